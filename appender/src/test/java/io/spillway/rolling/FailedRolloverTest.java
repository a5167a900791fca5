package io.spillway.rolling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.rolling.RolloverFailure;
import ch.qos.logback.core.rolling.TriggeringPolicy;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.internal.compress.RolledName;
import io.spillway.internal.disk.Disk;
import io.spillway.metrics.ArchiveMetrics;
import io.spillway.metrics.Health;
import io.spillway.rolling.RollingRig.Host;
import io.spillway.testkit.FaultyDisk;
import io.spillway.testkit.Numbered;
import io.spillway.testkit.Shell;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A rollover that cannot be: the appender writes on, nothing is lost, and it is made up for. */
@Timeout(60)
class FailedRolloverTest {
  private static final int FAILURES = Boolean.getBoolean("spillway.test.full") ? 10 : 1;

  private static final long AUGUST = Instant.parse("2026-08-15T12:00:00Z").toEpochMilli();
  private static final long SEPTEMBER = Instant.parse("2026-09-15T12:00:00Z").toEpochMilli();
  private static final long OCTOBER = Instant.parse("2026-10-15T12:00:00Z").toEpochMilli();

  @TempDir Path directory;
  private volatile long now;
  private Path logs;
  private RollingRig rig;
  private int logged;

  static Stream<Arguments> hostsAndPolicies() {
    return Stream.of(Host.values())
        .flatMap(host -> Stream.of("window", "sized", "bare").map(p -> Arguments.of(host, p)));
  }

  @AfterEach
  void stop() {
    Shell.attempt("chattr", "-R", "-i", directory);
    if (rig != null) {
      rig.close();
    }
  }

  private void start(Host host, String which, Path archives, Disk moves) throws IOException {
    logs = Files.createDirectories(directory.resolve("logs"));
    Files.createDirectories(archives);
    TriggeringPolicy<ILoggingEvent> trigger;
    ArchivingPolicy policy;
    if (which.equals("window")) {
      policy = new FixedWindowRollingPolicy();
      policy.setFileNamePattern(archives.resolve("app.%i.log").toString());
      ((FixedWindowRollingPolicy) policy).setMaxIndex("20");
      SizeBasedTriggeringPolicy<ILoggingEvent> size = new SizeBasedTriggeringPolicy<>();
      size.setMaxFileSize("5KB");
      trigger = size;
    } else {
      SizeAndTimeBasedRollingPolicy<ILoggingEvent> sized = new SizeAndTimeBasedRollingPolicy<>();
      sized.setFileNamePattern(archives.resolve("app.%d{yyyy-MM}.%i.log").toString());
      sized.setMaxFileSize("5KB");
      policy = sized;
      trigger = sized;
    }
    policy.files = moves;
    Path file = which.equals("bare") ? null : logs.resolve("app.log");
    rig = new RollingRig(host, file).with(policy, trigger).start();
  }

  private List<String> warnings(String of) {
    return rig.warnings().stream().filter(message -> message.contains(of)).toList();
  }

  private void log(int count) {
    for (int i = 0; i < count; i++) {
      rig.log(Numbered.message(logged++));
    }
  }

  @ParameterizedTest(name = "{0} {1}")
  @MethodSource("hostsAndPolicies")
  void shouldWriteOnIntoAnImmutableDirectoryAndCatchUpWithinASecond(Host host, String which)
      throws IOException {
    Path archives = directory.resolve("archives");
    start(host, which, archives, new Disk());
    log(100); // rolls over once
    Shell.Result result = Shell.attempt("chattr", "+i", archives);
    Assumptions.assumeTrue(
        result.exitCode() == 0,
        () -> "skipped, chattr +i does not work here (be root, on ext4 or xfs): " + result);
    int before = files(archives);
    log(100);
    assertThat(files(archives)).isEqualTo(before);
    String told = which.equals("bare") ? "Cannot roll over" : "Cannot give";
    rig.await("told", () -> !warnings(told).isEmpty()); // perhaps by the compressor
    assertThat(warnings(told))
        .as("one message, though many attempts")
        .hasSizeBetween(1, 3)
        .allMatch(m -> m.contains("To do: "));
    assertThat(rig.errors()).isEmpty();

    Shell.run("chattr", "-i", archives);
    long start = System.nanoTime();
    rig.await(
        "rolled over",
        () -> {
          if (which.equals("bare")) { // the others are caught up with by the compressor
            log(1);
          }
          return files(archives) > before;
        });
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));

    log(100);
    assertAllThere(archives);
    if (which.equals("sized")) {
      assertThat(Tree.names(archives).stream().map(n -> n.replaceAll(".*\\.(\\d+)\\.log", "$1")))
          .as("indices, of which a failure uses up none")
          .containsExactlyInAnyOrderElementsOf(
              IntStream.range(0, files(archives)).mapToObj(String::valueOf).toList());
    }
  }

  @ParameterizedTest(name = "{0} {1}")
  @CsvSource({"STOCK, window", "STOCK, sized", "SPILLWAY, window", "SPILLWAY, sized"})
  void shouldWriteOnWhenRenamesFail(Host host, String which) throws IOException {
    CountingFiles moves = new CountingFiles();
    start(host, which, directory.resolve("logs"), moves);
    for (int i = 0; i < FAILURES; i++) {
      moves.fail(new IOException("Input/output error (by the test)"));
      log(100);
      if (rig.appender instanceof SpillwayRollingFileAppender<?> spillway) {
        assertThat(spillway.health().status()).isEqualTo(Health.Status.DEGRADED);
      }
      moves.fail(null);
      int before = files(logs);
      rig.await(
          "rolled over",
          () -> {
            log(1);
            return files(logs) > before;
          });
    }
    assertAllThere(logs);
  }

  /** Nothing else makes the file due, so that the call is all there is to be tried again. */
  @Test
  void shouldTryAgainWhatTheApplicationAskedFor() throws IOException {
    logs = Files.createDirectories(directory.resolve("logs"));
    CountingFiles moves = new CountingFiles();
    FixedWindowRollingPolicy policy = new FixedWindowRollingPolicy();
    policy.setFileNamePattern(logs.resolve("app.%i.log").toString());
    policy.files = moves;
    rig = new RollingRig(Host.SPILLWAY, logs.resolve("app.log"));
    rig.with(policy, new SizeBasedTriggeringPolicy<>()).start();
    rig.log("first");
    moves.fail(new IOException("Input/output error (by the test)"));
    rig.appender.rollover();
    rig.log("second");
    assertThat(warnings("it is tried again in a second")).isNotEmpty();
    moves.fail(null);
    rig.await(
        "rolled over",
        () -> {
          rig.log("more");
          return Files.exists(logs.resolve("app.1.log"));
        });
    assertThat(Files.readString(logs.resolve("app.1.log"))).startsWith("first\nsecond\n");
  }

  /** One file waits that cannot be given its name, such as in a directory that cannot be made. */
  @Test
  void shouldBeDegradedUntilItsFilesCanBeArchived() throws IOException {
    Path archives = Files.createFile(directory.resolve("archives"));
    FixedWindowRollingPolicy policy = new FixedWindowRollingPolicy();
    policy.setFileNamePattern(archives.resolve("app.%i.log.gz").toString());
    OnDemand trigger = new OnDemand();
    rig = new RollingRig(Host.SPILLWAY, directory.resolve("app.log")).with(policy, trigger).start();
    SpillwayRollingFileAppender<?> appender = (SpillwayRollingFileAppender<?>) rig.appender;
    rig.log("first");
    assertThat(appender.health().status()).isEqualTo(Health.Status.UP);
    trigger.roll();
    rig.log("second");
    rig.await("degraded", () -> appender.health().status() == Health.Status.DEGRADED);
    assertThat(appender.health().reason())
        .contains("cannot be archived in [" + archives + "]", "To do: ");
    assertThat(policy.getArchiveMetrics().backlogFiles()).isEqualTo(1);
    Files.delete(archives);
    rig.await("up again", () -> appender.health().status() == Health.Status.UP);
    rig.await("archived", () -> Files.exists(archives.resolve("app.1.log.gz")));
  }

  @Test
  void shouldKeepTheOldestArchiveUntilTheActiveFileCanBeMoved() throws IOException {
    logs = Files.createDirectories(directory.resolve("logs"));
    Path archives = Files.createDirectories(directory.resolve("archives"));
    FixedWindowRollingPolicy policy = new FixedWindowRollingPolicy();
    policy.setFileNamePattern(archives.resolve("app.%i.log").toString());
    policy.setMaxIndex("2");
    OnDemand trigger = new OnDemand();
    rig = new RollingRig(Host.STOCK, logs.resolve("app.log")).with(policy, trigger).start();
    for (String message : List.of("one", "two", "three")) {
      rig.log(message);
      trigger.roll();
    }
    rig.log("four"); // one has fallen off
    awaitArchives(archives, Map.of("app.1.log", "three\n", "app.2.log", "two\n"));
    Shell.Result result = Shell.attempt("chattr", "+i", logs);
    Assumptions.assumeTrue(result.exitCode() == 0, () -> "skipped, no chattr +i here: " + result);
    trigger.roll();
    rig.log("five");
    awaitArchives(archives, Map.of("app.1.log", "three\n", "app.2.log", "two\n"));
    Shell.run("chattr", "-i", logs);
    trigger.roll();
    rig.log("six");
    awaitArchives(archives, Map.of("app.1.log", "four\nfive\n", "app.2.log", "three\n"));
  }

  /** What fell off the window is deleted in the background. */
  private void awaitArchives(Path archives, Map<String, String> expected) {
    rig.await("archives " + expected, () -> expected.equals(Tree.of(archives)));
  }

  @ParameterizedTest
  @EnumSource
  void shouldLeaveADirectoryInPlaceOfTheFileWhereItIs(Host host) throws IOException {
    logs = Files.createDirectories(directory.resolve("logs"));
    Path file = logs.resolve("app.log");
    FixedWindowRollingPolicy policy = new FixedWindowRollingPolicy();
    policy.setFileNamePattern(logs.resolve("app.%i.log").toString());
    OnDemand trigger = new OnDemand();
    rig = new RollingRig(host, file).with(policy, trigger).start();
    rig.log("before");
    Files.delete(file);
    Path inside = Files.createFile(Files.createDirectory(file).resolve("of somebody else"));
    trigger.roll();
    rig.appender.doAppend(new LoggingEvent("", rig.logger, Level.INFO, "during it", null, null));
    rig.await("told", () -> rig.errors().stream().anyMatch(e -> e.contains("Cannot roll over")));
    assertThat(inside).exists();
    assertThat(Tree.names(logs))
        .containsExactlyInAnyOrder("app.log", "app.log/" + inside.getFileName());
    Files.delete(inside);
    Files.delete(file);
    rig.log("after");
  }

  @Test
  void shouldTryOnceASecondOnly() throws IOException {
    CountingFiles moves = new CountingFiles();
    start(Host.STOCK, "window", directory.resolve("logs"), moves);
    int[] attempts = {0};
    moves.fail(
        new IOException("by the test") {
          private static final long serialVersionUID = 1L;

          @Override
          public synchronized Throwable fillInStackTrace() {
            return this;
          }
        });
    log(60);
    long start = System.nanoTime();
    log(2_000);
    long seconds = Duration.ofNanos(System.nanoTime() - start).toSeconds();
    attempts[0] =
        (int) rig.statuses().stream().filter(s -> s.contains("RolloverFailure occurred")).count();
    assertThat(attempts[0]).isBetween(1, (int) seconds + 3);
    assertThat(Files.size(logs.resolve("app.log"))).isGreaterThan(100_000);
  }

  private static int files(Path directory) {
    return Tree.names(directory).size();
  }

  /** Every message once, in order, in the order in which files were written. */
  private void assertAllThere(Path archives) {
    rig.await("numbered", () -> Tree.names(logs).stream().noneMatch(n -> n.endsWith(".rolled")));
    StringBuilder all = new StringBuilder();
    Stream.concat(Tree.of(archives).values().stream(), Tree.of(logs).values().stream())
        .filter(content -> content.startsWith("event"))
        .distinct() // the directories may be the same
        .sorted(Comparator.comparingInt(content -> Integer.parseInt(content.split(" ", 3)[1])))
        .forEach(all::append);
    Numbered.assertWhole(Numbered.lines(all.toString()), 0, logged);
  }

  /** Its number is higher than those of this run. */
  @Test
  void shouldArchiveWhatAnEarlierRunLeftThoughItWasNotListedAtTheStart() throws Exception {
    Path log = directory.resolve("app.log");
    Path left = RolledName.of(log, Instant.EPOCH, 7).path();
    Files.writeString(left, "left\n");
    FaultyDisk files = new FaultyDisk();
    AtomicBoolean failed = new AtomicBoolean();
    files.hook(
        (number, operation, file) -> {
          if (operation.equals("list") && failed.compareAndSet(false, true)) {
            throw new IOException("Input/output error (injected)");
          }
        });
    FixedWindowRollingPolicy policy = new FixedWindowRollingPolicy();
    policy.files = files;
    policy.setFileNamePattern(directory + "/app.%i.log.gz");
    OnDemand trigger = new OnDemand();
    try (RollingRig rig = new RollingRig(RollingRig.Host.STOCK, log).with(policy, trigger)) {
      rig.start();
      assertThat(failed).isTrue();
      rig.log("a");
      trigger.roll();
      rig.log("b");
      rig.await("archived", () -> Files.exists(directory.resolve("app.2.log.gz")));
      assertThat(left).doesNotExist();
    }
  }

  private TimeBasedRollingPolicy<ILoggingEvent> monthly(String pattern) {
    TimeBasedRollingPolicy<ILoggingEvent> policy = new TimeBasedRollingPolicy<>();
    policy.clock = () -> now;
    policy.setFileNamePattern(directory + pattern);
    return policy;
  }

  /** To itself, it answers nothing. At no time is it missing. */
  private static void link(Path link, Path target) throws IOException {
    Path made = Files.createSymbolicLink(link.resolveSibling("made"), target);
    Files.move(made, link, StandardCopyOption.ATOMIC_MOVE);
  }

  /** A file server that is down at midnight: what does not answer is not taken for missing. */
  @ParameterizedTest
  @EnumSource(Host.class)
  void shouldEndThePeriodOnceTheDiskAnswersAgain(Host host) throws Exception {
    Path real = Files.createDirectory(directory.resolve("real"));
    Path current = directory.resolve("current");
    link(current, real);
    now = AUGUST;
    TimeBasedRollingPolicy<ILoggingEvent> policy = monthly("/archives/app.%d{yyyy-MM, UTC}.log");
    rig = new RollingRig(host, current.resolve("app.log")).with(policy, policy).start();
    rig.log("a");
    link(current, current);
    now = SEPTEMBER;
    assertThatThrownBy(policy::rollover).isInstanceOf(RolloverFailure.class);
    link(current, real);
    Path august = directory.resolve("archives/app.2026-08.log");
    rig.await(
        "rolled over",
        () -> {
          rig.log("b");
          return Files.exists(august);
        });
    assertThat(Files.readString(august).replace("b\n", "")).isEqualTo("a\n");
  }

  /** Nor at a start, where the file of an earlier run would count as one of this period. */
  @ParameterizedTest
  @EnumSource(Host.class)
  void shouldEndThePeriodOfAFileThatDidNotAnswerAtTheStart(Host host) throws Exception {
    Path log = Files.writeString(directory.resolve("app.log"), "a\n");
    Files.setLastModifiedTime(log, FileTime.fromMillis(AUGUST));
    now = SEPTEMBER;
    AtomicBoolean away = new AtomicBoolean(true);
    TimeBasedRollingPolicy<ILoggingEvent> policy = monthly("/app.%d{yyyy-MM, UTC}.log");
    policy.files =
        new FaultyDisk()
            .hook(
                (number, operation, path) -> {
                  if (path.equals(log) && away.get()) {
                    throw new IOException("Host is down (injected)");
                  }
                });
    rig = new RollingRig(host, log).with(policy, policy).start();
    away.set(false);
    rig.log("b");
    rig.await("rolled over", () -> Files.exists(directory.resolve("app.2026-08.log")));
    assertThat(directory.resolve("app.2026-08.log")).hasContent("a");
  }

  @ParameterizedTest
  @EnumSource(Host.class)
  void shouldArchiveWhatDoesNotAnswerWhenItIsLeft(Host host) throws Exception {
    now = AUGUST;
    Path real = Files.createDirectory(directory.resolve("real"));
    Path august = directory.resolve("2026-08");
    link(august, real);
    TimeBasedRollingPolicy<ILoggingEvent> policy = monthly("/%d{yyyy-MM, UTC}/app.log.gz");
    rig = new RollingRig(host, null).with(policy, policy).start();
    rig.log("a");
    rig.awaitArchived(); // no first look will find it later
    link(august, august);
    now = SEPTEMBER;
    policy.rollover();
    link(august, real);
    rig.await("archived", () -> Files.exists(real.resolve("app.log.gz")));
  }

  /** It cannot be written, and what is left when its period ends is nothing to archive. */
  @ParameterizedTest
  @ValueSource(strings = {"mkdir", "mkfifo"})
  void shouldLeaveAloneWhatIsNoFileAndHasTheNameOfAPeriod(String maker) {
    now = AUGUST;
    Path september = directory.resolve("app.2026-09.log");
    Shell.run(maker, september);
    TimeBasedRollingPolicy<ILoggingEvent> policy = monthly("/app.%d{yyyy-MM, UTC}.log.gz");
    rig = new RollingRig(Host.STOCK, null).with(policy, policy).start();
    rig.log("a");
    rig.awaitArchived(); // no first look will pass over it
    now = SEPTEMBER;
    policy.rollover();
    now = OCTOBER;
    policy.rollover();
    rig.await(
        "looked at",
        () -> {
          ArchiveMetrics metrics = policy.getArchiveMetrics();
          return metrics.archived() == 1 && metrics.backlogFiles() == 0 || metrics.failures() > 0;
        });
    assertThat(policy.getArchiveMetrics().failures()).isZero();
    assertThat(september).exists();
  }

  /** A policy that asks once, and the file may be moved only later. */
  @Test
  void shouldRollOverLaterIfTheFileIsNoRegularOneYet() throws Exception {
    Path log = directory.resolve("app.log");
    Files.createSymbolicLink(log, Path.of("/dev/null"));
    var policy = new ch.qos.logback.core.rolling.FixedWindowRollingPolicy();
    policy.setFileNamePattern(directory + "/app.%i.log");
    OnDemand trigger = new OnDemand();
    try (RollingRig rig = new RollingRig(RollingRig.Host.SPILLWAY, log).with(policy, trigger)) {
      rig.start();
      rig.log("a");
      trigger.roll();
      rig.log("b");
      assertThat(rig.errors()).anyMatch(text -> text.contains("it is not a regular file"));
      Files.delete(log);
      rig.await(
          "rolled over",
          () -> {
            rig.log("c");
            return Files.exists(directory.resolve("app.1.log"));
          });
      assertThat(Files.readString(directory.resolve("app.1.log"))).startsWith("c\n");
    }
  }
}
