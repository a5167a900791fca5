package io.spillway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import com.lmax.disruptor.RingBuffer;
import io.spillway.metrics.SpillwayMetrics;
import io.spillway.testkit.Fork;
import io.spillway.testkit.GatedAppender;
import io.spillway.testkit.Ledger;
import io.spillway.testkit.Rig;
import io.spillway.testkit.Subject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Nothing lost, duplicated or out of order, whatever the sink does. */
@Tag("slow")
class ConservationTest {
  private static final int THREADS = 8;
  private static final int PER_THREAD =
      Boolean.getBoolean("spillway.test.full") ? 12_500_000 : 60_000;
  private static final int PER_THREAD_IN_CHILD = Math.min(PER_THREAD, 1_250_000);

  @TempDir Path directory;

  @ParameterizedTest
  @Tag("gate")
  @ValueSource(strings = {"OVERFLOW", "ALWAYS"})
  void shouldConserveEventsAndOrderWhileTheSinkStallsAtRandom(String mode) throws Exception {
    assertConserved(directory, mode, "256 KB", "1 GB", PER_THREAD);
  }

  /** With so little room that the ring is full most of the time. */
  @ParameterizedTest
  @CsvSource({
    "3.3.11, WRAPPED",
    "3.4.4, WRAPPED",
    "3.4.4, OWN_FILE",
    "now, WRAPPED",
    "now, OWN_FILE",
  })
  void shouldConserveEventsAndOrderOnAnyDisruptorWhileTheRingIsFull(
      String disruptor, Subject.Kind kind) {
    String classPath = EnvironmentTest.classPath("now", "now", "now", disruptor);
    try (Fork child = Fork.startOn(classPath, Saturated.class, List.of(), directory, kind)) {
      child.awaitEnd(0);
      assertThat(child.awaitLine("disruptor "))
          .contains(disruptor.equals("now") ? "disruptor-4." : "disruptor-" + disruptor + ".jar");
      assertThat(child.number("blocked")).as("log calls that found the ring full").isPositive();
    }
  }

  /** The child's side. */
  public static final class Saturated {
    private Saturated() {}

    /** Takes a directory and the kind of appender. */
    public static void main(String[] arguments) throws Exception {
      System.out.println(
          "disruptor " + RingBuffer.class.getProtectionDomain().getCodeSource().getLocation());
      Path directory = Path.of(arguments[0]);
      long blocked =
          arguments[1].equals("WRAPPED")
              ? assertConserved(directory, "OVERFLOW", "64 KB", "1 MB", PER_THREAD_IN_CHILD)
              : assertConservedInFile(directory, PER_THREAD_IN_CHILD);
      System.out.println("blocked " + blocked);
    }
  }

  /** The same over the appender's own file. */
  private static long assertConservedInFile(Path directory, int perThread) throws Exception {
    long blocked;
    try (Subject subject = new Subject(Subject.Kind.OWN_FILE, directory)) {
      subject.settings().setMaxSpillSize("1 MB");
      subject.start();
      whileToggled(
          subject.gate::shut,
          subject.gate::open,
          () -> logFromAllThreads(subject.logger, perThread));
      subject.awaitDelivered();
      SpillwayMetrics metrics = subject.metrics();
      assertAllDelivered(metrics, perThread);
      blocked = metrics.getBlockedCalls();
      Ledger ledger = new Ledger();
      try (Stream<String> lines = Files.lines(subject.logFile())) {
        lines.forEach(ledger::add);
      }
      ledger.assertComplete(THREADS, perThread);
    }
    assertThat(directory.resolve("spill")).as("a clean stop leaves nothing").doesNotExist();
    return blocked;
  }

  /** Returns how many log calls found the ring full. */
  private static long assertConserved(
      Path directory, String mode, String memory, String spill, int perThread)
      throws InterruptedException {
    GatedAppender nested = new GatedAppender();
    Ledger ledger = new Ledger();
    nested.handTo(ledger::add);
    long blocked;
    try (Rig rig = new Rig(directory, nested)) {
      rig.appender.setSpillMode(mode);
      rig.appender.setMemoryBuffer(memory);
      rig.appender.setMaxSpillSize(spill);
      rig.start();
      whileToggled(nested::shut, nested::open, () -> logFromAllThreads(rig.logger, perThread));
      rig.awaitDelivered();

      ledger.assertComplete(THREADS, perThread);
      SpillwayMetrics metrics = rig.appender.getMetrics();
      assertAllDelivered(metrics, perThread);
      blocked = metrics.getBlockedCalls();
    }
    assertThat(Rig.filesBelow(directory)).as("a clean stop leaves nothing").isEmpty();
    return blocked;
  }

  private static void assertAllDelivered(SpillwayMetrics metrics, int perThread) {
    assertThat(metrics.getAccepted()).isEqualTo((long) THREADS * perThread);
    assertThat(metrics.getDelivered()).isEqualTo(metrics.getAccepted());
    assertThat(metrics.getPending()).isZero();
    assertThat(metrics.getLost()).isZero();
    assertThat(metrics.getDropped()).isZero();
    assertThat(metrics.getSpilled()).as("the spill was used").isPositive();
  }

  private interface Logging {
    void run() throws InterruptedException;
  }

  private static void whileToggled(Runnable shut, Runnable open, Logging logging)
      throws InterruptedException {
    AtomicBoolean done = new AtomicBoolean();
    Thread toggler = new Thread(() -> toggle(shut, open, done));
    toggler.start();
    logging.run();
    done.set(true);
    toggler.join();
  }

  private static void toggle(Runnable shut, Runnable open, AtomicBoolean done) {
    Random random = new Random(42);
    while (!done.get()) {
      shut.run();
      LockSupport.parkNanos(random.nextInt(30_000_000));
      open.run();
      LockSupport.parkNanos(random.nextInt(30_000_000));
    }
  }

  private static void logFromAllThreads(Logger logger, int perThread) throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < THREADS; t++) {
      int id = t;
      Thread thread =
          new Thread(
              () -> {
                for (int i = 0; i < perThread; i++) {
                  logger.info("{}:{}", id, i);
                }
              });
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
  }

  @Test
  void shouldKeepHappensBeforeOrderAcrossThreadsAndAcrossTheSpill() throws Exception {
    GatedAppender nested = new GatedAppender();
    try (Rig rig = new Rig(directory, nested)) {
      rig.appender.setMemoryBuffer("64 KB");
      rig.start();
      int rounds = 50_000;
      whileToggled(nested::shut, nested::open, () -> passBaton(rig.logger, 0, rounds));
      rig.awaitDelivered();

      assertCausal(nested.messages(), rounds);
      assertThat(rig.appender.getMetrics().getSpilled()).isPositive();
    }
  }

  /** What waits in the spill when the next process starts is older than whatever that one logs. */
  @ParameterizedTest
  @EnumSource
  void shouldKeepHappensBeforeOrderAcrossARestart(Subject.Kind kind) throws Exception {
    int rounds = 5_000;
    Subject first = new Subject(kind, directory);
    first.settings().setMaxFlushTime("100");
    first.gate.shut();
    first.start();
    passBaton(first.logger, 0, rounds);
    first.context().stop();
    try (Subject second = new Subject(kind, directory)) {
      second.gate.shut(); // newer events come while the leftovers are still there
      second.start();
      passBaton(second.logger, rounds, 2 * rounds);
      second.gate.open();
      second.awaitDelivered();

      assertThat(second.metrics().getRecovered()).isEqualTo(2L * rounds);
      List<Integer> position = assertCausal(second.lines(), 2 * rounds);
      assertThat(Collections.max(position.subList(0, 2 * rounds)))
          .isLessThan(Collections.min(position.subList(2 * rounds, 4 * rounds)));
    } finally {
      first.gate.open();
      await().until(() -> isGone("spillway-deliverer-" + kind)); // before its directory goes
    }
  }

  private static boolean isGone(String thread) {
    return Thread.getAllStackTraces().keySet().stream()
        .noneMatch(each -> each.getName().equals(thread));
  }

  /** A logs 2i and hands over, B logs 2i+1; A's next may come before or after that. */
  private static void passBaton(Logger logger, int from, int to) throws InterruptedException {
    SynchronousQueue<Integer> baton = new SynchronousQueue<>();
    Thread second =
        new Thread(
            () -> {
              for (int i = from; i < to; i++) {
                logger.info("0:{}", 2 * take(baton) + 1);
              }
            });
    second.start();
    for (int i = from; i < to; i++) {
      logger.info("0:{}", 2 * i);
      baton.put(i);
    }
    second.join();
  }

  private static List<Integer> assertCausal(List<String> messages, int rounds) {
    List<Integer> position = positions(messages, 2 * rounds);
    for (int i = 0; i < rounds; i++) {
      assertThat(position.get(2 * i)).isLessThan(position.get(2 * i + 1));
    }
    return position;
  }

  private static List<Integer> positions(List<String> messages, int count) {
    assertThat(messages).hasSize(count);
    List<Integer> position = new ArrayList<>(Collections.nCopies(count, -1));
    for (int p = 0; p < messages.size(); p++) {
      position.set(Integer.parseInt(messages.get(p).substring(2)), p);
    }
    return position;
  }

  private static int take(SynchronousQueue<Integer> baton) {
    try {
      return baton.take();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
