package io.spillway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.INTEGER;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.LoggingEvent;
import io.spillway.internal.metrics.Reports;
import io.spillway.metrics.LossCause;
import io.spillway.metrics.SpillwayMetrics;
import io.spillway.testkit.ExitHooks;
import io.spillway.testkit.Subject;
import io.spillway.testkit.Tmpfs;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Which events are dropped when ring, memory and spill are full, and which are too old. */
@Tag("slow")
// In a thread of its own, since a log call that waits hears no interrupt.
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class FullPolicyTest {
  private static final int RING = 16_384;
  private static final int EVENTS = 150_000;
  private static final int KEPT_EACH = 10;
  private static final long HOUR_MILLIS = 3_600_000;
  private static final String PADDING = "x".repeat(60);

  @TempDir Path directory;

  private Subject subject(Subject.Kind kind, String whenFull, String kept) {
    Subject subject = new Subject(kind, directory);
    subject.settings().setMaxSpillSize("1 MB");
    subject.settings().setWhenFull(whenFull);
    if (kept != null) {
      subject.settings().setWhenFullKeepLevel(kept);
    }
    return subject;
  }

  /** Not faster than the drainer can make room. */
  private static void log(Subject subject, int from, int to, int keptEach) {
    for (int i = from; i < to; i++) {
      if (keptEach > 0 && i % keptEach == 0) {
        subject.logger.warn("W:{}:{}", i, PADDING);
      } else {
        subject.logger.info("I:{}:{}", i, PADDING);
      }
      pace(subject, i);
    }
  }

  /** Not for as long as it takes: it is those who log for whom room is made. */
  private static void pace(Subject subject, int logged) {
    for (int tries = 0;
        logged % 100 == 0 && tries < 20 && subject.metrics().getRingUsed() > RING / 8 * 7 - 200;
        tries++) {
      LockSupport.parkNanos(500_000);
    }
  }

  private static void waitUntil(BooleanSupplier condition) {
    long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(deadline - System.nanoTime()).as("in time").isPositive();
      LockSupport.parkNanos(100_000);
    }
  }

  /** Waits until the drainer has made room, but not for ever. */
  private static boolean hasRoomForMore(Subject subject) {
    long deadline = System.nanoTime() + Duration.ofSeconds(10).toNanos();
    boolean has;
    while (!(has = subject.metrics().getRingUsed() <= RING / 8 * 7 - 200)
        && deadline - System.nanoTime() > 0) {
      LockSupport.parkNanos(100_000);
    }
    return has;
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    boolean open = false;
    while (!open) {
      try {
        latch.await();
        open = true;
      } catch (InterruptedException e) {
        Thread.onSpinWait(); // deaf, as a lock is
      }
    }
  }

  private static List<Integer> numbers(Subject subject, String level) {
    List<Integer> numbers = new ArrayList<>();
    for (String line : subject.lines()) {
      if (line.startsWith(level) && line.contains(":")) {
        numbers.add(Integer.valueOf(line.split(":")[1]));
      }
    }
    return numbers;
  }

  private static long lost(SpillwayMetrics metrics, String level) {
    return Stream.of(LossCause.EVICTED, LossCause.EXPIRED, LossCause.QUEUE_FULL)
        .mapToLong(cause -> metrics.lossOf(cause, level))
        .sum();
  }

  private static void assertConserved(Subject subject) {
    SpillwayMetrics metrics = subject.metrics();
    assertThat(metrics.getPending()).isZero();
    assertThat(metrics.getAccepted()).isEqualTo(metrics.getDelivered() + metrics.getLost());
    assertThat(metrics.getLost())
        .isEqualTo(metrics.lossOf(LossCause.EVICTED) + metrics.lossOf(LossCause.EXPIRED));
    assertThat(metrics.getLostByPolicy())
        .isEqualTo(
            metrics.getLossByLevel().values().stream()
                .flatMap(levels -> levels.values().stream())
                .mapToLong(Long::longValue)
                .sum());
  }

  private static void assertInOrder(Subject subject) {
    List<Integer> all = numbers(subject, "");
    assertThat(all).isSorted().doesNotHaveDuplicates();
  }

  private static List<String> statuses(Subject subject) {
    Reports.flush(subject.context());
    return subject.context().getStatusManager().getCopyOfStatusList().stream()
        .map(status -> status.getMessage())
        .toList();
  }

  @ParameterizedTest
  @Tag("gate")
  @EnumSource
  void shouldDropTheOldestSoThatTheNewestAreDelivered(Subject.Kind kind) {
    try (Subject subject = subject(kind, "DROP_OLDEST", null)) {
      subject.gate.shut();
      subject.start();
      log(subject, 0, 1, 0);
      waitUntil(subject.gate::isHolding);
      long held = System.nanoTime();
      log(subject, 1, EVENTS, 0);
      SpillwayMetrics metrics = subject.metrics();
      assertThat(System.nanoTime() - held)
          .as("what makes room is not the oldest")
          .isLessThanOrEqualTo(metrics.getOldestPendingNanos());
      int attempts = 0;
      for (long before = metrics.getAccepted(); metrics.getAccepted() == before; attempts++) {
        subject.logger.info("I:{}:{}", EVENTS, PADDING); // is refused while the drainer is behind
      }
      assertThat(metrics.getBlockedCalls()).isZero();
      subject.gate.open();
      subject.awaitDelivered();

      assertThat(metrics.lossOf(LossCause.EVICTED)).isGreaterThan(EVENTS / 4);
      assertConserved(subject);
      assertInOrder(subject);
      assertThat(numbers(subject, "I")).endsWith(EVENTS);
      assertThat(numbers(subject, "I").size() + lost(metrics, "INFO")).isEqualTo(EVENTS + attempts);
      assertThat(statuses(subject))
          .anyMatch(message -> message.contains("whenFull=DROP_OLDEST: memory and spill are full"))
          .noneMatch(message -> message.contains("none of them lost"));
    }
    assertThat(directory.resolve("spill")).as("a clean stop leaves nothing").doesNotExist();
  }

  @ParameterizedTest
  @Tag("gate")
  @EnumSource
  void shouldCarryOverWhatIsKeptInOrder(Subject.Kind kind) {
    try (Subject subject = subject(kind, "DROP_OLDEST", "WARN")) {
      subject.gate.shut();
      subject.start();
      log(subject, 0, EVENTS / 2, KEPT_EACH * 2);
      assertThat(subject.metrics().getBlockedCalls()).isZero();
      subject.gate.open();
      subject.awaitDelivered();

      assertThat(subject.metrics().lossOf(LossCause.EVICTED)).isPositive();
      assertThat(numbers(subject, "W")).hasSize(EVENTS / 2 / KEPT_EACH / 2);
      assertThat(lost(subject.metrics(), "WARN")).isZero();
      assertThat(numbers(subject, "I").size() + lost(subject.metrics(), "INFO"))
          .isEqualTo(EVENTS / 2 - EVENTS / 2 / KEPT_EACH / 2);
      assertConserved(subject);
      assertInOrder(subject);
    }
  }

  /** How many of those that {@link #log} logs are kept ones. */
  private static int kept(int from, int to) {
    return (to - 1) / KEPT_EACH - (from - 1) / KEPT_EACH;
  }

  /** Fills memory and spill with what is kept, so that the next of that finds no room. */
  private static int fillWithKept(Subject subject) {
    SpillwayMetrics metrics = subject.metrics();
    int kept = 0;
    while (metrics.getSpillBytes() < 950_000 || metrics.getRingUsed() < 2_000) {
      subject.logger.warn("W:{}:{}", kept++, PADDING);
      waitUntil(() -> metrics.getRingUsed() < 2_000 || metrics.getSpillBytes() >= 950_000);
    }
    return kept;
  }

  /** Memory and spill are full of what is kept, and so is the beginning of the ring. */
  @ParameterizedTest
  @CsvSource({
    "WRAPPED, DROP_OLDEST",
    "OWN_FILE, DROP_OLDEST",
    "WRAPPED, DROP",
    "OWN_FILE, DROP",
  })
  void shouldMakeRoomInTheRingBehindAKeptEventThatFindsNone(Subject.Kind kind, String whenFull) {
    try (Subject subject = subject(kind, whenFull, "WARN")) {
      subject.gate.shut();
      subject.start();
      SpillwayMetrics metrics = subject.metrics();
      int first = fillWithKept(subject);
      int last = first + RING;
      boolean inTime = true;
      for (int i = first; i < last; i += 100) {
        log(subject, i, Math.min(i + 100, last), KEPT_EACH);
        inTime = inTime && hasRoomForMore(subject);
      }
      long queueFull = metrics.lossOf(LossCause.QUEUE_FULL);
      if (whenFull.equals("DROP_OLDEST")) {
        assertThat(queueFull).as("the newest, dropped").isZero();
        assertThat(metrics.lossOf(LossCause.EVICTED, "INFO")).as("the oldest").isPositive();
      }
      AtomicInteger more = new AtomicInteger(last);
      Thread logging =
          new Thread(
              () -> {
                while (more.get() < last + RING / 4) {
                  subject.logger.warn("W:{}:{}", more.getAndIncrement(), PADDING);
                  pace(subject, more.get());
                }
              });
      logging.start();
      waitUntil(() -> logging.getState() == Thread.State.TERMINATED);
      assertThat(metrics.getBlockedCalls()).as("calls that waited").isZero();
      subject.gate.open();
      subject.awaitDelivered();

      assertThat(numbers(subject, "W")).hasSize(first + kept(first, last) + RING / 4).isSorted();
      assertThat(lost(metrics, "WARN")).isZero();
      assertThat(lost(metrics, "INFO")).isPositive();
      assertConserved(subject);
      assertInOrder(subject);
    }
  }

  /** They have all the room that others are refused. */
  @ParameterizedTest
  @EnumSource
  void shouldDiscardNothingThatIsKept(Subject.Kind kind) {
    try (Subject subject = subject(kind, "DROP_OLDEST", "INFO")) {
      subject.settings().setDiscardingThreshold(String.valueOf(RING / 4));
      subject.gate.shut();
      subject.start();
      SpillwayMetrics metrics = subject.metrics();
      int kept = 0;
      while (metrics.getRingUsed() <= RING / 4 * 3 + 100
          && metrics.lossOf(LossCause.DISCARDED) == 0) {
        subject.logger.info("I:{}:{}", kept++, PADDING);
      }
      assertThat(metrics.lossOf(LossCause.DISCARDED)).isZero();
      subject.logger.debug("D:0:");
      assertThat(metrics.lossOf(LossCause.DISCARDED)).as("what is not kept").isEqualTo(1);
      subject.gate.open();
      subject.awaitDelivered();
      assertThat(numbers(subject, "I")).hasSize(kept);
    }
  }

  /** A disk that is full before the spill is: nobody waits, and it is not the newest that go. */
  @ParameterizedTest
  @EnumSource
  void shouldDropTheOldestWhileTheDiskOfTheSpillIsFull(Subject.Kind kind) {
    try (Tmpfs disk = new Tmpfs(directory.resolve("disk"), "size=2m");
        Subject subject = subject(kind, "DROP_OLDEST", "WARN")) {
      subject.settings().setSpillDirectory(disk.directory().resolve("spill").toString());
      subject.settings().setMaxSpillSize("4 MB");
      subject.gate.shut();
      subject.start();
      SpillwayMetrics metrics = subject.metrics();
      int last = EVENTS / 2;
      boolean inTime = true;
      for (int i = 0; i < last; i += 100) {
        log(subject, i, i + 100, KEPT_EACH);
        inTime = inTime && hasRoomForMore(subject);
      }
      assertThat(metrics.getSpillFailures()).as("its disk is full").isPositive();
      assertThat(metrics.lossOf(LossCause.QUEUE_FULL)).as("the newest, dropped").isZero();
      assertThat(metrics.lossOf(LossCause.EVICTED, "INFO")).as("the oldest").isPositive();
      assertThat(metrics.getBlockedCalls()).as("calls that waited").isZero();
      subject.gate.open();
      subject.awaitDelivered();

      assertThat(numbers(subject, "W")).hasSize(last / KEPT_EACH);
      assertConserved(subject);
      assertInOrder(subject);
    }
  }

  /** In the spill, too, as soon as the copy of a segment fits on its disk. */
  @ParameterizedTest
  @EnumSource
  void shouldMakeRoomInTheSpillWhileItsDiskIsFull(Subject.Kind kind) {
    try (Tmpfs disk = new Tmpfs(directory.resolve("disk"), "size=2m");
        Subject subject = subject(kind, "DROP_OLDEST", null)) {
      int spares = 8;
      for (int i = 0; i < spares; i++) {
        disk.ballast("spare" + i, 8_192);
      }
      subject.settings().setSpillDirectory(disk.directory().resolve("spill").toString());
      subject.settings().setMaxSpillSize("4 MB");
      subject.gate.shut();
      subject.start();
      int logged = 0;
      long most = 0;
      boolean made = false;
      while (!made && spares > 0) {
        long deadline = System.nanoTime() + Duration.ofSeconds(3).toNanos();
        while (!made && deadline - System.nanoTime() > 0) {
          log(subject, logged, logged + 100, 0);
          logged += 100;
          hasRoomForMore(subject);
          long bytes = subject.metrics().getSpillBytes();
          most = Math.max(most, bytes);
          made = bytes < most - 100_000;
        }
        if (!made) {
          disk.drop("spare" + --spares);
        }
      }
      assertThat(subject.metrics().getSpillFailures()).as("its disk is full").isPositive();
      assertThat(made).as("room in the spill").isTrue();
      subject.gate.open();
      subject.awaitDelivered();

      assertThat(numbers(subject, "I").size() + lost(subject.metrics(), "INFO")).isEqualTo(logged);
      assertConserved(subject);
      assertInOrder(subject);
    }
  }

  /** What may be dropped was, wherever it waited. */
  @ParameterizedTest
  @CsvSource({
    "WRAPPED, DROP_OLDEST",
    "OWN_FILE, DROP_OLDEST",
    "WRAPPED, DROP",
    "OWN_FILE, DROP",
  })
  void shouldWaitWithAKeptEventOnlyOnceAllThatWaitsIsKept(Subject.Kind kind, String whenFull)
      throws InterruptedException {
    try (Subject subject = subject(kind, whenFull, "WARN")) {
      subject.gate.shut();
      subject.start();
      SpillwayMetrics metrics = subject.metrics();
      int[] last = {fillWithKept(subject)};
      int others = 0;
      while (others < RING) {
        subject.logger.info("I:{}:{}", others++, PADDING);
      }
      AtomicBoolean enough = new AtomicBoolean();
      Thread logging =
          new Thread(
              () -> {
                while (!enough.get()) {
                  subject.logger.warn("W:{}:{}", last[0]++, PADDING);
                }
              });
      logging.start();
      int all = others;
      await("all others dropped while calls wait")
          .atMost(Duration.ofMinutes(1))
          .until(() -> lost(metrics, "INFO") == all);
      await("the ring is full")
          .atMost(Duration.ofMinutes(1))
          .until(() -> metrics.getRingUsed() == RING);
      await("the call waits")
          .atMost(Duration.ofMinutes(1))
          .until(() -> logging.getState() == Thread.State.TIMED_WAITING);
      enough.set(true);
      long lost = metrics.getDropped();
      subject.logger.info("I:{}:refused", others++);
      assertThat(metrics.getDropped()).isEqualTo(lost + 1);
      subject.gate.open();
      logging.join();
      subject.awaitDelivered();

      assertThat(metrics.getBlockedCalls()).isPositive();
      assertThat(numbers(subject, "W")).hasSize(last[0]).isSorted();
      assertThat(lost(metrics, "WARN")).isZero();
      assertThat(lost(metrics, "INFO")).isEqualTo(others);
      assertConserved(subject);
      log(subject, last[0], last[0] + 100, 0);
      subject.awaitDelivered();
      assertThat(numbers(subject, "I")).as("taken again").hasSize(100);
    }
  }

  /** What the drainer holds when it has to give up is counted, if it cannot be saved. */
  @ParameterizedTest
  @Tag("gate")
  @EnumSource
  void shouldAccountForWhatIsHeldAtAStop(Subject.Kind kind) {
    Subject first = subject(kind, "DROP_OLDEST", "WARN");
    first.settings().setMaxFlushTime("100");
    first.gate.shut();
    first.start();
    first.logger.warn("held"); // by a sink that is stuck, and may be written twice
    waitUntil(first.gate::isHolding);
    int kept = fillWithKept(first);
    log(first, kept, kept + RING, KEPT_EACH);
    SpillwayMetrics metrics = first.metrics();
    assertThat(metrics.lossOf(LossCause.EVICTED)).isPositive();
    first.context().stop();
    long notSaved = metrics.lossOf(LossCause.NOT_SAVED);
    assertThat(notSaved).isPositive();
    first.gate.open();
    try (Subject second = subject(kind, "DROP_OLDEST", "WARN")) {
      second.start();
      second.awaitDelivered();
      waitUntil(() -> second.metrics().getLeftoverBytes() == 0);
      assertInOrder(second);
      assertThat(lost(metrics, "WARN")).isZero();
      assertThat(numbers(second, "").size() + lost(metrics, "INFO") + notSaved)
          .isEqualTo(kept + RING);
    }
  }

  /** As another exit hook does, when that of the appender has ended. */
  @ParameterizedTest
  @EnumSource
  void shouldMakeRoomForAKeptEventThatIsLoggedAfterTheExit(Subject.Kind kind) throws Exception {
    Subject first = subject(kind, "DROP", "ERROR");
    first.settings().setMaxFlushTime("100");
    first.gate.shut();
    first.start();
    first.logger.error("held"); // by a sink that is stuck, and may be written twice
    waitUntil(first.gate::isHolding);
    while (!first.metrics().snapshot().workers().held()) {
      log(first, 0, first.metrics().getRingUsed() < 1_000 ? 100 : 0, 0); // or it makes room there
    }
    ExitHooks.of(first.appender()).run();
    SpillwayMetrics metrics = first.metrics();
    long notSaved = metrics.lossOf(LossCause.NOT_SAVED);
    int late = 2_000; // more than a segment has room for
    for (int i = 0; i < late; i++) {
      first.logger.error("E:{}:{}", i, PADDING);
    }
    assertThat(metrics.lossOf(LossCause.NOT_SAVED)).as("of the kept ones").isEqualTo(notSaved);
    assertThat(lost(metrics, "ERROR")).isZero();
    first.context().stop();
    first.gate.open();
    try (Subject second = subject(kind, "DROP", "ERROR")) {
      second.start();
      second.awaitDelivered();
      waitUntil(() -> second.metrics().getLeftoverBytes() == 0);
      assertThat(numbers(second, "E")).hasSize(late).isSorted();
      assertThat(second.metrics().lossOf(LossCause.SPILL_DAMAGED)).isZero();
    }
  }

  /** The watchdog has to tell that from a batch that is being placed. */
  @Test
  void shouldReplaceAThreadThatIsStuckInAnEventBehindOneThatFindsNoRoom() {
    CountDownLatch released = new CountDownLatch(1);
    try (Subject subject = subject(Subject.Kind.OWN_FILE, "DROP_OLDEST", "WARN")) {
      subject.gate.shut();
      subject.start();
      SpillwayMetrics metrics = subject.metrics();
      int first = fillWithKept(subject);
      subject.logger.callAppenders(
          new LoggingEvent("fqcn", subject.logger, Level.WARN, "hangs", null, new Object[0]) {
            @Override
            public String getFormattedMessage() {
              if (Thread.currentThread().getName().startsWith("spillway-drainer")) {
                awaitUninterruptibly(released);
              }
              return super.getFormattedMessage();
            }
          });
      int logged = first;
      for (long taken = 0; taken == 0; taken = metrics.lossOf(LossCause.ENCODE_FAILED)) {
        assertThat(logged).isLessThan(first + 100 * EVENTS);
        log(subject, logged, logged + 100, KEPT_EACH);
        logged += 100;
        LockSupport.parkNanos(1_000_000);
      }
      subject.gate.open();
      subject.awaitDelivered();

      assertThat(metrics.lossOf(LossCause.ENCODE_FAILED)).isEqualTo(1);
      assertThat(lost(metrics, "WARN")).isZero();
      assertThat(numbers(subject, "W")).hasSize(first + kept(first, logged));
      assertInOrder(subject);
    } finally {
      released.countDown();
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldDropTheNewestWithDropAndNoneThatIsKept(Subject.Kind kind) {
    try (Subject subject = subject(kind, "DROP", "WARN")) {
      subject.gate.shut();
      subject.start();
      for (int i = 0; i < EVENTS; i++) {
        subject.logger.info("I:{}:{}", i, PADDING);
      }
      assertThat(subject.metrics().lossOf(LossCause.EVICTED)).isZero();
      subject.gate.open();
      subject.awaitDelivered();

      assertThat(numbers(subject, "I")).startsWith(0, 1, 2);
      assertThat(subject.metrics().lossOf(LossCause.QUEUE_FULL, "INFO")).isPositive();
      assertConserved(subject);
      assertInOrder(subject);
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldDropNothingMoreOnceNobodyLogs(Subject.Kind kind) {
    try (Subject subject = subject(kind, "DROP_OLDEST", null)) {
      subject.gate.shut();
      subject.start();
      while (evicted(subject) == 0 || subject.metrics().getDropped() == 0) {
        subject.logger.info("I:{}:{}", 0, PADDING);
      }
      awaitStill(() -> evicted(subject));
      assertThat(subject.metrics().getRingUsed())
          .as("still nearly full")
          .isGreaterThan(RING / 4 * 3);
    }
  }

  private static long evicted(Subject subject) {
    return subject.metrics().lossOf(LossCause.EVICTED);
  }

  /** Once the drainer has looked often without a change. */
  private static void awaitStill(LongSupplier figure) {
    long last = -1;
    for (int same = 0; same < 500; LockSupport.parkNanos(100_000)) {
      long now = figure.getAsLong();
      same = now == last ? same + 1 : 0;
      last = now;
    }
  }

  /** What the first run left fills the spill; in the second one it makes room, but what is kept. */
  @ParameterizedTest
  @EnumSource
  void shouldDropTheOldestOfAnEarlierRun(Subject.Kind kind) {
    Subject first = subject(kind, "DROP_OLDEST", "WARN");
    first.settings().setMaxFlushTime("100");
    first.gate.shut();
    first.start();
    first.logger.warn("held"); // by a sink that is stuck, and may be written twice
    waitUntil(first.gate::isHolding);
    log(first, 0, EVENTS / 3, KEPT_EACH * 4);
    SpillwayMetrics before = first.metrics();
    first.context().stop();
    try (Subject second = subject(kind, "DROP_OLDEST", "WARN")) {
      second.gate.shut();
      second.start();
      log(second, EVENTS / 3, EVENTS / 3 * 2, KEPT_EACH * 4);
      assertThat(second.metrics().getBlockedCalls()).isZero();
      second.gate.open();
      first.gate.open();
      second.awaitDelivered();

      assertThat(numbers(second, "W")).hasSize(EVENTS / 3 * 2 / KEPT_EACH / 4);
      assertInOrder(second);
      assertThat(lost(second.metrics(), "WARN")).isZero();
      assertThat(second.metrics().lossOf(LossCause.SPILL_DAMAGED)).isZero();
      long notSaved = before.lossOf(LossCause.NOT_SAVED);
      assertThat(
              numbers(second, "").size()
                  + lost(before, "INFO")
                  + lost(second.metrics(), "INFO")
                  + notSaved)
          .isEqualTo(EVENTS / 3 * 2);
      assertThat(numbers(second, "I")).last().asInstanceOf(INTEGER).isGreaterThan(EVENTS / 3);
    } finally {
      first.gate.open();
      await()
          .until(
              () ->
                  Thread.getAllStackTraces().keySet().stream()
                      .noneMatch(each -> each.getName().equals("spillway-deliverer-" + kind)));
    }
  }

  private static void log(Subject subject, Level level, String message, long ageMillis) {
    LoggingEvent event =
        new LoggingEvent("fqcn", subject.logger, level, message, null, new Object[0]);
    event.setTimeStamp(System.currentTimeMillis() - ageMillis);
    subject.logger.callAppenders(event);
  }

  @ParameterizedTest
  @CsvSource({
    "WRAPPED, OVERFLOW",
    "WRAPPED, ALWAYS",
    "OWN_FILE, OVERFLOW",
    "OWN_FILE, ALWAYS",
  })
  void shouldDropWhatWaitedTooLong(Subject.Kind kind, String mode) {
    try (Subject subject = subject(kind, "DROP", "WARN")) {
      subject.settings().setWhenFullMaxAge("30 minutes");
      subject.settings().setSpillMode(mode);
      subject.start();
      for (int i = 0; i < 1_000; i++) {
        log(subject, Level.DEBUG, "old " + i, HOUR_MILLIS);
        log(subject, Level.WARN, "kept " + i, HOUR_MILLIS);
        log(subject, Level.DEBUG, "young " + i, 0);
      }
      subject.awaitDelivered();

      assertThat(subject.lines())
          .hasSize(2_000)
          .noneMatch(line -> line.startsWith("old"))
          .startsWith("kept 0", "young 0", "kept 1");
      assertThat(subject.metrics().lossOf(LossCause.EXPIRED, "DEBUG")).isEqualTo(1_000);
      assertThat(subject.metrics().lossOf(LossCause.EXPIRED)).isEqualTo(1_000);
      assertConserved(subject);
      assertThat(statuses(subject))
          .anyMatch(message -> message.contains("whenFullMaxAge") && message.contains("EXPIRED"));
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldKnowAcrossARestartHowLongAnEventHasWaited(Subject.Kind kind) {
    Subject first = subject(kind, "DROP", "WARN");
    first.settings().setWhenFullMaxAge("30 minutes");
    first.settings().setMaxFlushTime("100");
    first.gate.shut();
    first.start();
    log(first, Level.INFO, "held", 0);
    waitUntil(first.gate::isHolding);
    for (int i = 0; i < 100; i++) {
      log(first, Level.INFO, "old " + i, HOUR_MILLIS);
      log(first, Level.WARN, "kept " + i, HOUR_MILLIS);
      log(first, Level.INFO, "young " + i, 0);
    }
    first.context().stop();
    first.gate.open();
    try (Subject second = subject(kind, "DROP", "WARN")) {
      second.settings().setWhenFullMaxAge("30 minutes");
      second.start();
      waitUntil(() -> second.metrics().lossOf(LossCause.EXPIRED) == 100);
      second.awaitDelivered();
      waitUntil(() -> second.metrics().getLeftoverBytes() == 0);

      assertThat(second.lines())
          .contains("kept 0", "kept 99", "young 0", "young 99")
          .noneMatch(line -> line.startsWith("old"));
      assertThat(second.metrics().lossOf(LossCause.EXPIRED, "INFO")).isEqualTo(100);
    }
  }

  @Test
  void shouldTakeNeverBlockForDropAndWarnOfWhatHasNoEffect() {
    try (Subject subject = subject(Subject.Kind.WRAPPED, null, "ERROR")) {
      subject.settings().setNeverBlock(true);
      subject.start();
      assertThat(statuses(subject)).noneMatch(message -> message.contains("no effect"));
    }
    try (Subject subject = subject(Subject.Kind.WRAPPED, "BLOCK", "ERROR")) {
      subject.settings().setWhenFullMaxAge("1 hour");
      subject.start();
      assertThat(statuses(subject))
          .anyMatch(
              message ->
                  message.contains("Setting [whenFullKeepLevel] has the value [ERROR]")
                      && message.contains("no effect")
                      && message.contains("neverBlock=true is whenFull=DROP"))
          .anyMatch(message -> message.contains("Setting [whenFullMaxAge] has the value [1 hour]"));
    }
    try (Subject subject = subject(Subject.Kind.WRAPPED, "DROP", "TRACE")) {
      subject.start();
      assertThat(statuses(subject))
          .anyMatch(message -> message.contains("[TRACE], which keeps every event"));
    }
  }

  @Test
  void shouldRefuseToAcknowledgeWhatMayBeDropped() {
    try (Subject subject = subject(Subject.Kind.WRAPPED, "DROP_OLDEST", null)) {
      subject.settings().setAcknowledge("WRITTEN");
      subject.appender().start();
      assertThat(subject.appender().isStarted()).isFalse();
      assertThat(statuses(subject))
          .anyMatch(message -> message.contains("Setting [acknowledge] has the value [WRITTEN]"));
    }
  }

  @Test
  void shouldShowEachLevelToWhoMonitors() {
    Map<String, Map<String, Long>> none = SpillwayMetrics.NOT_STARTED.getLossByLevel();
    assertThat(none).isEmpty();
    try (Subject subject = subject(Subject.Kind.WRAPPED, "DROP", null)) {
      subject.start();
      assertThat(subject.metrics().getLossByLevel())
          .containsOnlyKeys("QUEUE_FULL", "EVICTED", "EXPIRED");
      assertThat(subject.metrics().getLossByLevel().get("EVICTED"))
          .containsOnlyKeys("TRACE", "DEBUG", "INFO", "WARN", "ERROR");
    }
  }
}
