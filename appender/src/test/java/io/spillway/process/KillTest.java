package io.spillway.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.testkit.Fork;
import io.spillway.testkit.Rig;
import io.spillway.testkit.SequenceCheck;
import io.spillway.testkit.Subject;
import io.spillway.testkit.Subject.Kind;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * kill -9 at random moments, again and again on one directory: each child delivers what those
 * before it left while it logs a stream of its own. Whatever was spilled must be in the log in the
 * end.
 *
 * <p>The witness is this process: what a child told it before the kill had happened before the
 * kill.
 */
@Timeout(3_600)
@Tag("slow")
@Tag("gate")
class KillTest {
  private static final int KILLS =
      Integer.getInteger("spillway.test.kills", Boolean.getBoolean("spillway.test.full") ? 50 : 5);
  private static final int CURSOR_LAG_EVENTS = 1_024;
  private static final int BATCH_EVENTS = 512;

  @TempDir Path directory;

  /** What a child was known to have done. */
  private record Witness(long drained, long spilled) {}

  @ParameterizedTest
  @CsvSource({
    "WRAPPED, ALWAYS, 2000, 237", // the memory buffer in events: 64 KB of 256 bytes and the text
    "WRAPPED, OVERFLOW, 2000, 237",
    "OWN_FILE, ALWAYS, 20, 22000", // 64 KB of lines of 3 bytes at least
    "OWN_FILE, OVERFLOW, 20, 22000"
  })
  void shouldDeliverEverySpilledEventAfterKills(
      Kind kind, String mode, int meanPasses, int memoryEvents) {
    Witness[] witnesses = new Witness[KILLS];
    Random random = new Random(kind.ordinal() + mode.length());
    for (int kill = 0; kill < KILLS; kill++) {
      witnesses[kill] = killOnce(kind, mode, kill, meanPasses, random);
    }

    try (Subject last = new Subject(kind, directory)) {
      last.start();
      last.log("999", 0, 100);
      last.awaitDelivered();
      SequenceCheck check = new SequenceCheck(last.logFile());
      tell(kind + " " + mode, witnesses, check);
      check.assertComplete("999", 100);
      assertThat(check.inversions()).as("out of order").isZero();
      assertThat(check.interleaved()).as("of a run after a later run's").isZero();
      assertThat(check.glued()).as("torn lines glued to others").isZero();
      assertThat(check.fragments()).as("lines torn by a kill").isLessThanOrEqualTo(KILLS);
      assertThat(check.longestStepBack()).as("repeated").isLessThanOrEqualTo(CURSOR_LAG_EVENTS);
      assertThat(check.duplicates()).isLessThanOrEqualTo((long) KILLS * CURSOR_LAG_EVENTS);
      for (int kill = 0; kill < KILLS; kill++) {
        BitSet delivered = check.of(String.valueOf(kill));
        if (mode.equals("ALWAYS")) {
          assertWholeUpTo(witnesses[kill].spilled, delivered, "stream " + kill);
        } else {
          assertOnlyMemoryLost(witnesses[kill], delivered, memoryEvents + BATCH_EVENTS);
        }
      }
      assertThat(last.metrics().getLost()).as("damage").isZero();
    }
    assertThat(Rig.filesBelow(directory.resolve("spill"))).isEmpty();
  }

  private Witness killOnce(Kind kind, String mode, int number, int meanPasses, Random random) {
    try (Fork child =
        Fork.start(KillChild.class, List.of(), kind, directory, mode, number, meanPasses)) {
      child.awaitLine("dropped");
      if (number % 3 == 2) { // some surely while the disk is in use, however slow the machine is
        child.awaitAtLeast("spilled", 1_000);
      }
      LockSupport.parkNanos(random.nextInt(250_000_000));
      child.kill();
      assertThat(child.number("dropped")).isZero();
      return new Witness(child.number("drained"), child.number("spilled"));
    }
  }

  private static void tell(String form, Witness[] witnesses, SequenceCheck check) {
    long spilled = 0;
    long delivered = 0;
    long missing = 0;
    for (int kill = 0; kill < witnesses.length; kill++) {
      int found = check.of(String.valueOf(kill)).cardinality();
      spilled += witnesses[kill].spilled;
      delivered += found;
      missing += Math.max(0, witnesses[kill].spilled - found);
    }
    System.out.printf(
        "kills, %s: %d kills, %d spilled events, %d missing, %d events found, %d duplicates%n",
        form, witnesses.length, spilled, missing, delivered, check.duplicates());
  }

  private static void assertWholeUpTo(long count, BitSet delivered, String what) {
    int whole = delivered.nextClearBit(0);
    assertThat(whole).as(what + ": first missing").isGreaterThanOrEqualTo((int) count);
    assertThat(delivered.cardinality()).as(what + ": nothing beyond the end").isEqualTo(whole);
  }

  /** Memory is older than the spill and newer than the sink: its loss is one gap, no larger. */
  private static void assertOnlyMemoryLost(Witness witness, BitSet delivered, int memoryEvents) {
    int gap = delivered.nextClearBit(0);
    int end = delivered.nextSetBit(gap);
    if (end >= 0) {
      assertThat(end - gap).as("lost with the memory").isLessThanOrEqualTo(memoryEvents);
      assertThat(delivered.nextClearBit(end)).as("whole after it").isEqualTo(delivered.length());
    }
    assertThat((long) delivered.cardinality())
        .as("delivered of those drained")
        .isGreaterThanOrEqualTo(witness.drained - memoryEvents - BATCH_EVENTS);
    assertThat((long) delivered.cardinality())
        .as("delivered of those spilled")
        .isGreaterThanOrEqualTo(witness.spilled);
  }
}
