package io.spillway.stress.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.assertj.core.data.Percentage.withPercentage;

import io.spillway.stress.report.Chromium;
import io.spillway.stress.report.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Forked targets that hold their threads up by known amounts, watched by a forked watcher. Two at a
 * time: for the most part they wait.
 */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class WatchTest {

  /** Beside the wait, a call takes the time until its thread runs again: 400 threads, few cores. */
  private static final int TOLERANCE_PERCENT = 10;

  /** Virtual threads are only sampled, up to a second late, in a time of about three. */
  private static final int SAMPLED_TOLERANCE_PERCENT = 50;

  /** To a JVM the same as Ctrl-C's, but not ignored by those that a script starts in background. */
  private static final String STOP = "TERM";

  private static final String APPEND = "ch.qos.logback.core.AppenderBase.doAppend";
  private static final String NO_RECORDING = "No available recordings";

  @TempDir Path out;

  /** Target and watcher on this JDK, and crosswise if there is a newer one. */
  static Stream<List<Path>> jdks() {
    Path own = ForkedJvm.OWN_JDK;
    Path newer = ForkedJvm.JDK25;
    return newer == null || Runtime.version().feature() >= 25
        ? Stream.of(List.of(own, own))
        : Stream.of(List.of(own, own), List.of(own, newer), List.of(newer, own));
  }

  @ParameterizedTest
  @Tag("gate")
  @MethodSource("jdks")
  void shouldNameWhatHoldsThreadsUpAndLeaveNothingBehind(List<Path> jdks) throws Exception {
    try (ForkedJvm target = ForkedJvm.target(jdks.get(0), "platform")) {
      target.await("ready");
      Set<String> listening = target.listeningSockets();

      WatchFigures figures;
      Map<String, Double> done;
      try (ForkedJvm watcher = ForkedJvm.watcher(jdks.get(1), target.pid(), "--out", out)) {
        watcher.await("Watching process " + target.pid());
        done = holdUp(target, watcher, 2);
        watcher.signal(STOP);
        assertThat(watcher.awaitEnd()).as(watcher.said()).isEqualTo(143);
        assertThat(watcher.said()).contains("Held up in log calls:").contains("doAppend");
        figures = figures();
      }

      assertThat(figures.complete()).isTrue();
      if (Chromium.find().isPresent()
          && jdks.equals(List.of(ForkedJvm.OWN_JDK, ForkedJvm.OWN_JDK))) {
        new WatchPage(directory(), out).assertShowsEveryFigure();
      }
      assertEveryCauseIsNamed(figures, done, TOLERANCE_PERCENT);
      assertIdleWorkersAreApart(figures);
      assertThat(target.recordings()).contains(NO_RECORDING);
      assertThat(target.listeningSockets()).isEqualTo(listening);
      assertThat(target.alive()).isTrue();
    }
  }

  @Test
  void shouldSeeVirtualThreadsHeldUp() throws Exception {
    Path jdk = Runtime.version().feature() >= 25 ? ForkedJvm.OWN_JDK : ForkedJvm.JDK25;
    assumeThat(jdk).as("a JDK 25, by JDK25_HOME").isNotNull();
    try (ForkedJvm target = ForkedJvm.target(jdk, "virtual")) {
      target.await("ready");
      WatchFigures figures;
      Map<String, Double> done;
      try (ForkedJvm watcher = ForkedJvm.watcher(ForkedJvm.OWN_JDK, target.pid(), "--out", out)) {
        watcher.await("Watching");
        done = holdUp(target, watcher, 3);
        watcher.signal(STOP);
        watcher.awaitEnd();
        figures = figures();
      }

      assertEveryCauseIsNamed(figures, done, SAMPLED_TOLERANCE_PERCENT);
      assertThat(target.recordings()).contains(NO_RECORDING);
    }
  }

  @Test
  void shouldEndByItselfAsDoesTheRecordingOfAWatcherThatWasKilled() throws Exception {
    try (ForkedJvm target = ForkedJvm.target(ForkedJvm.OWN_JDK, "platform")) {
      target.await("ready");
      Path killed = out.resolve("killed");
      try (ForkedJvm watcher =
          ForkedJvm.watcher(ForkedJvm.OWN_JDK, target.pid(), "--seconds", 1, "--out", killed)) {
        watcher.await("Watching");
        watcher.signal("KILL");
        watcher.awaitEnd();
      }
      assertThat(target.recordings()).contains("spillway-watch-");

      out = out.resolve("whole");
      try (ForkedJvm watcher =
          ForkedJvm.watcher(ForkedJvm.OWN_JDK, target.pid(), "--seconds", 2, "--out", out)) {
        assertThat(watcher.awaitEnd()).as(watcher.said()).isZero();
        assertThat(watcher.said()).contains("Held up in log calls: nobody");
      }
      assertThat(figures().seconds()).isGreaterThanOrEqualTo(2);
      assertIdleWorkersAreApart(figures());

      long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
      String recordings = target.recordings();
      while (!recordings.contains(NO_RECORDING) && System.nanoTime() < deadline) {
        TimeUnit.SECONDS.sleep(1); // between two questions, each of which is a JVM
        recordings = target.recordings();
      }
      assertThat(recordings).contains(NO_RECORDING);
    }
  }

  @Test
  void shouldWriteWhatItSawIfTheTargetEnds() throws Exception {
    try (ForkedJvm target = ForkedJvm.target(ForkedJvm.OWN_JDK, "platform")) {
      target.await("ready");
      try (ForkedJvm watcher = ForkedJvm.watcher(ForkedJvm.OWN_JDK, target.pid(), "--out", out)) {
        watcher.await("[");
        target.signal("KILL");
        assertThat(watcher.awaitEnd()).as(watcher.said()).isZero();
      }
      assertThat(figures().notes()).contains("The process ended during the watch.");
    }
  }

  /** As on a disk that is full by then: what was seen is said before it is written. */
  @Test
  void shouldSayWhatItSawIfItCannotWriteIt() throws Exception {
    try (ForkedJvm target = ForkedJvm.target(ForkedJvm.OWN_JDK, "platform")) {
      target.await("ready");
      try (ForkedJvm watcher = ForkedJvm.watcher(ForkedJvm.OWN_JDK, target.pid(), "--out", out)) {
        watcher.await("[");
        Files.delete(directory());
        watcher.signal(STOP);
        watcher.awaitEnd();
        assertThat(watcher.said())
            .contains("Held up in log calls:", "the figures could not be written to " + out)
            .doesNotContain("Page: ");
      }
    }
  }

  @Test
  void shouldSeeWhoWaitsForSocketsAndDisksAndPutSleepersLast() throws Exception {
    Path file = Files.createDirectories(Path.of("target")).resolve("waiting-target");
    try (ForkedJvm target =
        ForkedJvm.java(
            ForkedJvm.OWN_JDK, WaitingTarget.class.getName(), file.toAbsolutePath().toString())) {
      target.await("ready");
      try (ForkedJvm watcher =
          ForkedJvm.watcher(ForkedJvm.OWN_JDK, target.pid(), "--seconds", 8, "--out", out)) {
        assertThat(watcher.awaitEnd()).as(watcher.said()).isZero();
      }
    } finally {
      for (int i = 0; i < WaitingTarget.WRITERS; i++) {
        Files.deleteIfExists(file.resolveSibling(file.getFileName() + "-" + i));
      }
    }
    WatchFigures figures = figures();
    String type = WaitingTarget.class.getName();
    WatchFigures.Group readers = group(figures.heldUp(), type + ".query");
    assertThat(readers.call()).isEqualTo("Socket$SocketInputStream.read");
    assertThat(readers.threadsAtOnce()).isEqualTo(WaitingTarget.READERS);
    assertThat(readers.threadSeconds() / WaitingTarget.READERS)
        .isBetween(secondsSeen(figures, readers) * 0.9, figures.seconds() * 1.1);
    WatchFigures.Group writers = group(figures.heldUp(), type + ".store");
    assertThat(writers.call()).isEqualTo("FileChannelImpl.force");
    assertThat(writers.threads()).isEqualTo(WaitingTarget.WRITERS);
    assertThat(writers.threadSeconds()).isPositive();
    assertThat(figures.heldUp().get(0)).isEqualTo(readers);
    WatchFigures.Group last = figures.heldUp().get(figures.heldUp().size() - 1);
    assertThat(last.sleeps()).as(last.frame()).isTrue();
    assertThat(figures.heldUp())
        .as("the helper that sleeps, the acceptor, standard input")
        .noneMatch(group -> group.frame().equals(type + ".sleep"))
        .noneMatch(group -> group.frame().equals(type + ".main"));
    assertThat(group(figures.heldUp(), type + ".handle").threads())
        .isEqualTo(WaitingTarget.SLEEPERS);
  }

  @Test
  void shouldLeaveOutWhatComesTooOftenForTheTargetAndSaySo() throws Exception {
    try (ForkedJvm target = ForkedJvm.java(ForkedJvm.OWN_JDK, ParkingTarget.class.getName())) {
      target.await("ready");
      try (ForkedJvm watcher = ForkedJvm.watcher(ForkedJvm.OWN_JDK, target.pid(), "--out", out)) {
        watcher.await("Note: jdk.ThreadPark came ");
        watcher.await("] ");
        watcher.await("] ");
        watcher.signal(STOP);
        watcher.awaitEnd();
        assertThat(watcher.said()).contains("thread dumps alone show these waits");
      }
      assertThat(target.recordings()).contains(NO_RECORDING);
    }
    WatchFigures figures = figures();
    assertThat(figures.notes()).anyMatch(note -> note.startsWith("jdk.ThreadPark came "));
    assertThat(group(figures.heldUp(), ParkingTarget.class.getName() + ".await"))
        .satisfies(
            group -> {
              assertThat(group.sampledThreadSeconds()).as("by dumps").isPositive();
              assertThat(group.threads()).isEqualTo(ParkingTarget.THREADS);
            });
  }

  private static WatchFigures.Group group(List<WatchFigures.Group> groups, String frame) {
    return groups.stream()
        .filter(group -> group.frame().equals(frame))
        .findFirst()
        .orElseThrow(() -> new AssertionError(frame + " is not in " + groups));
  }

  /** Until so many dumps have shown it, which are a second apart. */
  private static Map<String, Double> holdUp(ForkedJvm target, ForkedJvm watcher, int dumps)
      throws IOException {
    target.tell("go");
    for (int dump = 0; dump < dumps; dump++) {
      watcher.await(" " + HoldUpTarget.CROWD + " in " + APPEND);
    }
    target.tell("release");
    return threadSeconds(target.await("done"));
  }

  /** The first of a crowd holds up the others; in the appender it is held up by logging itself. */
  private static void assertEveryCauseIsNamed(
      WatchFigures figures, Map<String, Double> threadSeconds, int tolerancePercent) {
    Map<String, String> frames =
        Map.of(
            "logging", APPEND,
            "random", "java.security.SecureRandom.nextBytes",
            "cache", "io.spillway.stress.watch.HoldUpTarget$SlowCache.get",
            "pool", "io.spillway.stress.watch.HoldUpTarget$ConnectionPool.borrow");
    assertThat(threadSeconds).containsOnlyKeys(frames.keySet());
    frames.forEach(
        (cause, frame) ->
            assertThat(figures.heldUp())
                .filteredOn(group -> group.frame().equals(frame))
                .singleElement()
                .satisfies(
                    group -> {
                      boolean logging = cause.equals("logging");
                      int threads = logging ? HoldUpTarget.CROWD : HoldUpTarget.CROWD - 1;
                      assertThat(group.reason()).isEqualTo(logging ? "LOGGING" : "OTHER");
                      assertThat(group.threads()).isEqualTo(threads);
                      assertThat(group.threadsAtOnce()).isEqualTo(threads);
                      assertThat(group.threadSeconds())
                          .isCloseTo(threadSeconds.get(cause), withPercentage(tolerancePercent));
                    }));
  }

  /** Reads {@code done cause=nanos ...}. */
  private static Map<String, Double> threadSeconds(String done) {
    return Arrays.stream(done.split(" "))
        .skip(1)
        .map(word -> word.split("="))
        .collect(Collectors.toMap(pair -> pair[0], pair -> Long.parseLong(pair[1]) / 1e9));
  }

  private static void assertIdleWorkersAreApart(WatchFigures figures) {
    assertThat(figures.heldUp()).noneMatch(group -> group.frame().contains("ThreadPoolExecutor"));
    assertThat(figures.heldUp()).noneMatch(group -> group.frame().contains("QueueWorker"));
    assertThat(figures.waitingForWork())
        .filteredOn(group -> group.frame().endsWith("ThreadPoolExecutor.getTask"))
        .singleElement()
        .satisfies(
            group -> {
              assertThat(group.threadsAtOnce()).isGreaterThanOrEqualTo(HoldUpTarget.POOL_THREADS);
              assertThat(group.threadSeconds() / HoldUpTarget.POOL_THREADS)
                  .isBetween(secondsSeen(figures, group) * 0.9, figures.seconds() * 1.1);
            });
    assertThat(figures.waitingForWork())
        .anyMatch(group -> group.frame().endsWith("HoldUpTarget$QueueWorker.run"));
  }

  /** From the end of the second of the first dump on, which is as late as the machine is slow. */
  private static double secondsSeen(WatchFigures figures, WatchFigures.Group group) {
    long before = group.threadSecondsBySecond().stream().takeWhile(sum -> sum == 0).count();
    return figures.seconds() - before - 1;
  }

  private WatchFigures figures() throws IOException {
    return Json.read(directory().resolve("watch.json"), WatchFigures.class);
  }

  private Path directory() throws IOException {
    try (Stream<Path> directories = Files.list(out)) {
      return directories.findFirst().orElseThrow();
    }
  }
}
