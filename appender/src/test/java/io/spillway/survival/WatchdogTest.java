package io.spillway.survival;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.spillway.testkit.Fork;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whoever looks after the workers can fail as well, and must not be mistaken. */
@Tag("slow")
@Timeout(300)
class WatchdogTest {
  static final int EVENTS = 2_000;

  private static final List<String> LITTLE_ROOM =
      List.of("-XX:ThreadStackSize=65536", "-XX:-ExitOnOutOfMemoryError", "-Xmx64m");

  @TempDir Path directory;

  /** None; one, for the deliverer; one more, for the watchdog. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void shouldWorkAsSoonAsThereAreThreads(int threads) {
    Path spill = directory.resolve("spill");
    try (Fork child = Fork.start(WatchdogChild.class, LITTLE_ROOM, "THREADS", spill, threads)) {
      child.awaitEnd(0);
      assertThat(child.number("logged")).isEqualTo(100);
      assertThat(child.number("delivered")).isEqualTo(20_102);
      assertThat(child.output()).contains("health DEGRADED");
      assertThat(child.number("counted"))
          .as("failed starts, one in ten milliseconds at most, not looks at them")
          .isLessThanOrEqualTo(child.number("ms") / 10 + 1);
    }
  }

  /**
   * Of what waits, arguments may log as they are printed: by the thread that all others wait for.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldSaveWhatWaitsAtAnExitWithoutThreads(boolean arguments) {
    Path spill = directory.resolve("spill");
    try (Fork child = Fork.start(WatchdogChild.class, LITTLE_ROOM, "EXIT", spill, arguments)) {
      child.awaitEnd(0);
      assertThat(child.output()).as("exit hooks").anyMatch(line -> line.contains("spillway-exit"));
    }
    try (Fork next = Fork.start(WatchdogChild.class, List.of(), "NEXT", spill)) {
      next.awaitEnd(0);
      assertThat(next.number("delivered")).isEqualTo(EVENTS);
    }
  }

  /** A log call is stuck in the sink, and whoever stops must not wait for it in person. */
  @Test
  void shouldReturnFromAStopAfterTheExitWithoutThreads() {
    assertThat(lateStop(false)).contains("started true");
  }

  @Test
  void shouldCloseWhatTheExitHasLeftOnceThereAreThreads() {
    assertThat(lateStop(true)).contains("started false");
  }

  /** Delivered by the stop if there are threads again, else by the exit or the next start. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldReturnFromAStopOfWhatNeverHadAThread(boolean comeBack) {
    Path spill = directory.resolve("spill");
    long delivered;
    try (Fork child = Fork.start(WatchdogChild.class, LITTLE_ROOM, "STOP", spill, comeBack)) {
      child.awaitEnd(0);
      assertThat(child.number("stopped")).isEqualTo(comeBack ? EVENTS : 0);
      delivered = child.number("delivered");
    }
    try (Fork next = Fork.start(WatchdogChild.class, List.of(), "NEXT", spill.resolve("second"))) {
      next.awaitEnd(0);
      assertThat(next.number("delivered") + delivered).isEqualTo(EVENTS);
    }
  }

  private List<String> lateStop(boolean comeBack) {
    Path spill = directory.resolve("spill");
    try (Fork child = Fork.start(WatchdogChild.class, LITTLE_ROOM, "LATE", spill, comeBack)) {
      child.awaitEnd(0);
      return child.output();
    }
  }

  /**
   * An event that takes three tenths of a second of a processor that is there for a moment at a
   * time.
   */
  @Test
  @Tag("alone") // three tenths of a second are far more where ten others want the processors
  void shouldLeaveADrainerItsTimeOnAMachineThatStutters() {
    try (Fork child =
        Fork.start(WatchdogChild.class, List.of(), "STUTTER", directory.resolve("spill"))) {
      child.awaitLine("encoding");
      while (child.output().stream().noneMatch(line -> line.startsWith("failures"))) {
        child.freeze(Duration.ofMillis(170));
        await().pollDelay(Duration.ofMillis(30)).until(() -> true);
      }
      child.awaitEnd(0);
      assertThat(child.number("failures")).isZero();
    }
  }
}
