package io.spillway.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.process.BurstChild.Ending;
import io.spillway.testkit.Fork;
import io.spillway.testkit.SequenceCheck;
import io.spillway.testkit.Subject;
import io.spillway.testkit.Subject.Kind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A burst, then the end: the ring is drained to its end, however long the encoder takes. */
@Timeout(600)
@Tag("slow")
class BurstTest {
  private static final int TERMINATED = 128 + 15;
  private static final long SLOW_NANOS = 200_000;

  @TempDir Path directory;

  /** Encoding takes three times maxFlushTime, or ten times. */
  @ParameterizedTest
  @Tag("gate")
  @EnumSource
  void shouldLoseNothingOfABurstThatIsSlowToEncode(Ending ending) throws Exception {
    endAfterBurst(Kind.OWN_FILE, ending, 10_000, SLOW_NANOS);
  }

  @Tag("full")
  @ParameterizedTest
  @MethodSource("everything")
  void shouldLoseNothingOfAnyBurst(Kind kind, Ending ending, int events, long encodeNanos)
      throws Exception {
    endAfterBurst(kind, ending, events, encodeNanos);
  }

  static Stream<Arguments> everything() {
    return Stream.of(Kind.values())
        .flatMap(
            kind ->
                Stream.of(Ending.values())
                    .flatMap(
                        ending ->
                            Stream.of(
                                Arguments.of(kind, ending, 16_000, SLOW_NANOS),
                                Arguments.of(kind, ending, 65_000, 0))));
  }

  private void endAfterBurst(Kind kind, Ending ending, int events, long encodeNanos)
      throws Exception {
    try (Fork child =
        Fork.start(
            BurstChild.class, List.of("-Xmx1g"), kind, directory, ending, events, encodeNanos)) {
      if (ending == Ending.SIGTERM) {
        child.awaitLine("logged");
        child.terminate();
      }
      child.awaitEnd(ending == Ending.SIGTERM ? TERMINATED : 0);
      assertThat(child.output().stream().filter(line -> line.contains("lost"))).isEmpty();
    }
    // A sink that is late has the rest in the spill.
    try (Subject next = new Subject(kind, directory)) {
      next.start();
      next.awaitDelivered();
      List<String> lines =
          Files.readAllLines(next.logFile()).stream().filter(l -> l.startsWith("#")).toList();
      SequenceCheck check = new SequenceCheck(lines).assertComplete("0", events);
      assertThat(check.duplicates()).isLessThanOrEqualTo(kind == Kind.WRAPPED ? 1 : 0);
      if (kind == Kind.OWN_FILE) {
        assertThat(next.metrics().getRecovered()).as("waited in the spill").isZero();
      }
    }
  }
}
