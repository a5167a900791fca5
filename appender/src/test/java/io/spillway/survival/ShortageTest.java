package io.spillway.survival;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.testkit.Fork;
import io.spillway.testkit.InMemory;
import io.spillway.testkit.Subject;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An OutOfMemoryError where any of Spillway's classes allocates, or behind any of its operations on
 * files, on any of its threads and in log calls, for a moment or for a while. Then each event is
 * delivered once, in order, or its log call threw, or it is counted as lost for a reason.
 */
@Tag("slow")
@Timeout(1_200)
class ShortageTest {
  private static final boolean FULL = Boolean.getBoolean("spillway.test.full");
  private static final long SEED =
      Long.getLong("spillway.test.shortage.seed", ThreadLocalRandom.current().nextInt(1_000_000));

  private static final int CASES = Integer.getInteger("spillway.test.shortage.cases", 600);

  @TempDir(factory = InMemory.class)
  Path directory;

  /** At chosen places of the code, and for a time at some of all visits of places. */
  @ParameterizedTest
  @Tag("gate")
  @ValueSource(strings = {"PLACES", "TIMES", "STOPS", "STARTS", "ROLLS", "EXITS"})
  void shouldAccountForEveryEventWhereverMemoryIsShort(String kind) {
    int few = kind.equals("STARTS") ? 60 : kind.equals("ROLLS") || kind.equals("EXITS") ? 40 : 120;
    int cases = FULL ? CASES : Math.min(few, CASES);
    try (Fork child =
        Fork.start(ShortageChild.class, List.of("-Xmx512m"), directory, kind, SEED, cases)) {
      child.awaitEnd(0);
      assertThat(child.number("thrown")).isGreaterThan(cases / 4);
      assertThat(child.number("failed"))
          .as(() -> "failed, -Dspillway.test.shortage.seed=" + SEED + ": " + child.output())
          .isZero();
    }
  }

  /** To look into a case that failed: what is printed of it, as often as there are cases. */
  @Test
  @EnabledIfSystemProperty(named = "spillway.test.shortage.only", matches = ".+")
  void shouldAccountForEveryEventInOneCaseToo() {
    String only = System.getProperty("spillway.test.shortage.only");
    try (Fork child =
        Fork.start(
            ShortageChild.class, List.of("-Xmx512m"), directory, "ONLY", SEED, CASES, only)) {
      child.awaitEnd(0);
      assertThat(child.number("thrown")).as("how often there is such a place").isPositive();
      assertThat(child.number("failed")).as(() -> "failed: " + child.output()).isZero();
    }
  }

  /** There is none at all for the thread that saves what waits. All at once: each waits 10 s. */
  @Test
  void shouldTellThatAnEndGaveUpForWantOfMemory() {
    Map<String, String> outcomes =
        Map.of(
            "STOP", "the stop goes on without it",
            "EXIT", "They are lost (NOT_SAVED)",
            "EXIT_STOP", "They are lost (NOT_SAVED)");
    Map<String, Fork> children = new HashMap<>();
    try {
      for (String end : outcomes.keySet()) {
        Path own = directory.resolve(end);
        children.put(end, Fork.start(ShortEndChild.class, List.of("-Xmx64m"), own, end));
      }
      children.forEach((end, child) -> assertTold(end, child, outcomes.get(end)));
    } finally {
      children.values().forEach(Fork::close);
    }
  }

  private void assertTold(String end, Fork child, String outcome) {
    child.awaitEnd(0);
    assertThat(child.output()).filteredOn(line -> line.contains("too little memory")).hasSize(1);
    assertThat(child.awaitLine("STATUS There has been too little memory")).contains(outcome);
    if (end.equals("EXIT_STOP")) {
      assertThat(child.number("delivered")).isEqualTo(ShortEndChild.EVENTS);
    }
    int saved = end.equals("EXIT") ? 0 : ShortEndChild.EVENTS;
    try (Subject next = new Subject(Subject.Kind.WRAPPED, directory.resolve(end)).start()) {
      next.awaitDelivered();
      assertThat(next.lines()).as(end).doesNotHaveDuplicates().hasSize(saved);
    }
  }
}
