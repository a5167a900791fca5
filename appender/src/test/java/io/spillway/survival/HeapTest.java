package io.spillway.survival;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.testkit.Fork;
import io.spillway.testkit.Subject;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A heap that is too small: for the arguments of events, or because others take it all. */
@Timeout(1_200)
class HeapTest {
  private static final int ROUNDS = Boolean.getBoolean("spillway.test.full") ? 50 : 2;

  @TempDir Path directory;

  /** 20,000 events hold 2 GB; text alone goes to the spill. */
  @Test
  @Tag("slow")
  @Tag("gate")
  void shouldBoundWhatArgumentsHoldWhileTheSinkIsStuck() {
    try (Fork child =
        Fork.start(HeapChild.class, List.of("-Xmx512m"), directory.resolve("spill"), "HEAVY")) {
      child.awaitEnd(0);
      assertThat(child.number("done")).isOne();
      assertThat(child.number("taken")).isEqualTo(20_000);
      assertThat(child.number("lost")).isZero();
    }
  }

  /** As the drainer waits for room, the ring fills: with all of them it would hold a gigabyte. */
  @Test
  @Tag("slow")
  @Tag("gate")
  void shouldBoundWhatStackTracesHoldWhileTheyWaitInTheRing() {
    List<String> options = List.of("-Xmx64m", "-XX:+UseSerialGC", "-XX:-ExitOnOutOfMemoryError");
    try (Fork child =
        Fork.start(HeapChild.class, options, directory.resolve("spill"), "EXCEPTIONS")) {
      child.awaitEnd(0);
      assertThat(child.number("calls")).isEqualTo(4_000);
      assertThat(child.number("failures")).isZero();
      assertThat(child.number("lost")).isZero();
      assertThat(child.number("taken")).isEqualTo(child.number("accepted")).isPositive();
    }
  }

  /** A burst of 480 MB of messages in a heap of 64: they wait, and are delivered. */
  @ParameterizedTest
  @Tag("slow")
  @Tag("gate")
  @ValueSource(strings = {"LARGE", "LARGE_FILE"})
  void shouldGetLargeMessagesOutOfASmallHeap(String kind) {
    List<String> options = List.of("-Xmx64m", "-XX:-ExitOnOutOfMemoryError");
    try (Fork child = Fork.start(HeapChild.class, options, directory.resolve("spill"), kind)) {
      child.awaitEnd(0);
      assertThat(child.number("done")).isOne();
      assertThat(child.number("lost")).isZero();
      assertThat(child.number("delivered")).isEqualTo(child.number("logged"));
      assertThat(child.number("taken")).isEqualTo(child.number("logged"));
    }
  }

  /** Whatever a shortage costs is counted, and once there is memory again all goes on. */
  @Test
  @Tag("slow")
  void shouldGoOnOnceThereIsMemoryAgain() {
    List<String> options = List.of("-Xmx48m", "-XX:+UseSerialGC", "-XX:-ExitOnOutOfMemoryError");
    try (Fork child =
        Fork.start(HeapChild.class, options, directory.resolve("spill"), "SHORT", ROUNDS)) {
      child.awaitEnd(0);
      assertThat(child.number("done")).isOne();
      assertThat(child.number("delivered") + child.number("lost"))
          .as(() -> "delivered and lost; output: " + child.output())
          .isEqualTo(child.number("accepted"));
      assertThat(child.number("taken")).isEqualTo(child.number("delivered"));
    }
  }

  /** Code that the JDK links at its first use may throw when all is done. */
  @ParameterizedTest
  @Tag("slow")
  @ValueSource(ints = {2_000, 2_400, 2_800, 3_000, 3_200, 3_600})
  void shouldHoldABatchOnceHoweverLittleMemoryIsLeftForTheFirst(int freeBytes) {
    List<String> options = List.of("-Xmx32m", "-XX:-UseTLAB", "-XX:-ExitOnOutOfMemoryError");
    try (Fork child =
        Fork.start(HeapChild.class, options, directory.resolve("spill"), "HAND_OFF", freeBytes)) {
      child.awaitEnd(0);
      assertThat(child.number("held")).isEqualTo(child.number("placed"));
      assertThat(child.number("bytes")).isEqualTo(child.number("placed"));
    }
  }

  /** A stop needs hardly more than what it saves, however many batches wait. */
  @Test
  @Tag("slow")
  @Tag("gate")
  void shouldSaveWhatWaitsAtAStopWithLittleMemoryLeft() {
    List<String> options = List.of("-Xmx32m", "-XX:+UseSerialGC", "-XX:-ExitOnOutOfMemoryError");
    try (Fork child =
        Fork.start(HeapChild.class, options, directory.resolve("spill"), "STOP", 200_000)) {
      child.awaitEnd(0);
      assertThat(child.number("taken")).isEqualTo(1_000);
      assertThat(child.number("done")).isOne();
    }
  }

  /** It begins all the same, and goes on once there is memory. */
  @ParameterizedTest
  @Tag("slow")
  @CsvSource({
    "STOP_FULL, WRAPPED",
    "STOP_FULL, OWN_FILE",
    "EXIT_FULL, WRAPPED",
    "EXIT_FULL, OWN_FILE"
  })
  void shouldSaveWhatWaitsAtAnEndInAHeapThatIsFullToTheLastWord(String end, Subject.Kind kind) {
    List<String> options =
        List.of(
            "-Xmx32m",
            "-XX:+UseSerialGC", // which collects a full heap faster
            "-XX:-ExitOnOutOfMemoryError",
            "--add-opens=java.base/java.lang=ALL-UNNAMED");
    try (Fork child = Fork.start(HeapChild.class, options, directory, end, kind)) {
      child.awaitEnd(0);
      assertThat(child.number("done")).isOne();
      assertThat(child.number("lost")).as(() -> "lost; output: " + child.output()).isZero();
      if (end.equals("STOP_FULL")) {
        assertThat(child.number("returned")).as("stop() returned").isOne();
        assertThat(child.number("started")).as("still started").isZero();
      }
    }
    try (Subject next = new Subject(kind, directory.resolve("app")).start()) {
      next.awaitDelivered();
      assertThat(next.lines()).doesNotHaveDuplicates().hasSize(1_000);
    }
  }

  /** What a stop without memory has to let go of is let go of once there is some. */
  @Test
  @Tag("slow")
  void shouldStartAgainAfterAStopInAFullHeap() {
    List<String> options = List.of("-Xmx32m", "-XX:+UseSerialGC", "-XX:-ExitOnOutOfMemoryError");
    try (Fork child = Fork.start(HeapChild.class, options, directory, "RESTART")) {
      child.awaitEnd(0);
      assertThat(child.number("lines")).as(() -> child.output().toString()).isEqualTo(100);
    }
  }

  /** The heap is full to the last word while the drainer handles an OutOfMemoryError. */
  @Test
  @Tag("slow")
  @Tag("gate")
  void shouldSurviveAnOutOfMemoryErrorInItsOwnCatch() {
    List<String> options = List.of("-Xmx48m", "-XX:-ExitOnOutOfMemoryError");
    int rounds = Boolean.getBoolean("spillway.test.full") ? 20 : 2;
    try (Fork child = Fork.start(HeapChild.class, options, directory, "FULL", rounds)) {
      child.awaitEnd(0);
      assertThat(child.number("replaced")).isZero();
      assertThat(child.number("accepted")).isEqualTo(1_000 + rounds * 40_001L);
      assertThat(child.number("lost")).isBetween(0L, (long) rounds);
      assertThat(child.number("taken")).isEqualTo(child.number("delivered"));
      assertThat(child.number("delivered") + child.number("lost"))
          .isEqualTo(child.number("accepted"));
    }
  }
}
