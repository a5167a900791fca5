package io.spillway.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.process.ExitChild.Ending;
import io.spillway.testkit.Fork;
import io.spillway.testkit.Rig;
import io.spillway.testkit.SequenceCheck;
import io.spillway.testkit.Subject;
import io.spillway.testkit.Subject.Kind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** However the JVM ends, short of kill -9, nothing is lost, with and without Logback's own hook. */
@Timeout(300)
@Tag("slow")
class ExitTest {
  private static final int TERMINATED = 128 + 15;

  @TempDir Path directory;

  static Stream<Arguments> endings() {
    return Stream.of(Ending.values())
        .filter(ending -> !ending.leavesABacklog())
        .flatMap(ending -> Stream.of(Kind.values()).map(kind -> Arguments.of(ending, kind, false)));
  }

  /** Nobody stops a nested appender that keeps its last lines in a buffer until then. */
  static Stream<Arguments> endingsWithABuffer() {
    return Stream.of(Ending.SYSTEM_EXIT, Ending.SIGTERM, Ending.LOGGING_HOOK)
        .map(ending -> Arguments.of(ending, Kind.WRAPPED, true));
  }

  @ParameterizedTest
  @MethodSource({"endings", "endingsWithABuffer"})
  void shouldDeliverWhatIsInFlight(Ending ending, Kind kind, boolean buffered) throws Exception {
    try (Fork child = start(ending, kind, buffered)) {
      if (ending == Ending.SIGTERM) {
        child.awaitLine("ready");
        child.terminate();
      }
      child.awaitEnd(ending == Ending.SIGTERM ? TERMINATED : 0);

      assertThat(child.number("inflight")).isEqualTo(ExitChild.EVENTS);
      SequenceCheck check = check();
      check.assertInOrderWithoutFragments().assertComplete("0", ExitChild.EVENTS);
      assertThat(check.duplicates()).isZero();
      if (ending == Ending.LOGGING_HOOK) {
        assertThat(child.number("late")).isPositive();
        assertThat(child.number("dropped")).isZero();
        check.assertComplete("1", (int) child.number("stragglers"));
      }
      assertThat(Rig.filesBelow(directory.resolve("spill"))).isEmpty();
    }
  }

  @ParameterizedTest
  @Tag("gate")
  @EnumSource
  void shouldExitInTimeWithAStuckSinkAndDeliverTheRestAtTheNextStart(Kind kind) throws Exception {
    try (Fork child = start(Ending.STUCK, kind, false)) {
      child.awaitLine("inflight");
      long began = System.nanoTime();
      child.awaitEnd(0);
      assertThat(Duration.ofNanos(System.nanoTime() - began))
          .as("maxFlushTime of 500 ms, and the JVM's own end")
          .isLessThan(Duration.ofSeconds(3));
      assertThat(Files.size(directory.resolve("app.log"))).isZero();
    }
    try (Subject next = new Subject(kind, directory)) {
      next.start();
      next.log("1", 0, 100);
      next.awaitDelivered();
      SequenceCheck check = check().assertInOrderWithoutFragments();
      check.assertComplete("0", ExitChild.EVENTS).assertComplete("1", 100);
      assertThat(check.duplicates()).isZero();
      assertThat(next.lines().subList(0, ExitChild.EVENTS))
          .allMatch(line -> line.startsWith("#0:"));
    }
  }

  /** What is logged while the JVM exits comes behind a backlog, whose turn is the next start. */
  @ParameterizedTest
  @Tag("gate")
  @CsvSource({
    "STUCK_LOGGING_HOOK, WRAPPED", "STUCK_LOGGING_HOOK, OWN_FILE",
    "SLOW_LOGGING_HOOK, WRAPPED", "SLOW_LOGGING_HOOK, OWN_FILE"
  })
  void shouldKeepTheOrderOfWhatIsLoggedBehindABacklog(Ending ending, Kind kind) throws Exception {
    int stragglers;
    try (Fork child = start(ending, kind, false)) {
      child.awaitEnd(0);
      assertThat(child.number("late")).isPositive();
      assertThat(child.number("dropped")).isZero();
      stragglers = (int) child.number("stragglers");
    }
    try (Subject next = new Subject(kind, directory)) {
      next.start();
      next.awaitDelivered();
      SequenceCheck check = check().assertInOrderWithoutFragments();
      check.assertComplete("0", ExitChild.EVENTS).assertComplete("1", stragglers);
      assertThat(check.duplicates()).isZero();
      assertThat(next.lines().subList(0, ExitChild.EVENTS))
          .allMatch(line -> line.startsWith("#0:"));
    }
  }

  private Fork start(Ending ending, Kind kind, boolean buffered) {
    return Fork.start(ExitChild.class, List.of(), kind, directory, ending, buffered);
  }

  private SequenceCheck check() throws Exception {
    return new SequenceCheck(Files.readAllLines(directory.resolve("app.log")));
  }
}
