package io.spillway.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.testkit.Fork;
import io.spillway.testkit.Probe;
import io.spillway.testkit.Probe.Kind;
import io.spillway.testkit.ProbeChild;
import io.spillway.testkit.ProbeChild.Sink;
import io.spillway.testkit.SequenceCheck;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Promise 7: after {@code kill -9} the next start delivers every spilled event; what is lost was in
 * the ring or in flight, and little comes twice. Each child delivers what those before it left
 * while it logs a stream of its own; the witness is this process, to which a child tells what it
 * has done.
 */
class P07KillTest extends Promise {
  private static final int KILLS = FULL ? 50 : 2;
  private static final int RING = 16_384;
  private static final int BATCH = 512;
  private static final int MOST_DUPLICATES = 1_024;

  /** At the last word of a child: how many events had left the ring, how many it had spilled. */
  private record Witness(long drained, long spilled) {}

  @ParameterizedTest
  @CsvSource({"WRAPPED, OVERFLOW", "FILE, ALWAYS", "WRAPPED, ALWAYS", "FILE, OVERFLOW"})
  void deliversEverySpilledEvent(Kind kind, String mode) {
    Random random = new Random(kind.ordinal() + mode.length());
    List<Witness> witnesses = new ArrayList<>();
    for (int kill = 0; kill < KILLS; kill++) {
      witnesses.add(killOnce(kind, mode, kill, random));
    }
    try (Probe last = new Probe(kind, directory).start()) {
      last.log("999", 0, 100);
      last.awaitDelivered();
      assertThat(last.metrics().getLost()).as("damage").isZero();
      SequenceCheck check = new SequenceCheck(last.logFile()).assertComplete("999", 100);
      assertThat(check.inversions()).as("out of order").isZero();
      assertThat(check.interleaved()).as("of a run after a later run's").isZero();
      assertThat(check.glued()).as("torn lines glued to others").isZero();
      assertThat(check.fragments()).as("lines torn by a kill").isLessThanOrEqualTo(KILLS);
      assertThat(check.longestStepBack()).as("repeated").isLessThanOrEqualTo(MOST_DUPLICATES);
      assertThat(check.duplicates()).isLessThanOrEqualTo((long) KILLS * MOST_DUPLICATES);
      long found = 0;
      for (int kill = 0; kill < KILLS; kill++) {
        BitSet delivered = check.of(String.valueOf(kill));
        int whole = delivered.nextClearBit(0);
        long spilled = witnesses.get(kill).spilled;
        String stream = "stream " + kill + " of " + witnesses.get(kill);
        assertThat(delivered.cardinality()).as(stream + ": lost only the newest").isEqualTo(whole);
        if (mode.equals("ALWAYS")) {
          assertThat((long) whole).as(stream).isGreaterThanOrEqualTo(spilled);
        }
        assertThat((long) whole)
            .as(stream + ": lost only what was in the ring or in flight")
            .isGreaterThanOrEqualTo(witnesses.get(kill).drained - BATCH);
        found += whole;
      }
      System.out.printf(
          "kills, %s %s: %d kills, %s, %d found, %d duplicates%n",
          kind, mode, KILLS, KILLS > 5 ? "" : witnesses, found, check.duplicates());
    }
    assertThat(directory.resolve("spill").toFile().list()).as("left in the spill").isNullOrEmpty();
  }

  private Witness killOnce(Kind kind, String mode, int number, Random random) {
    try (Fork child =
        ProbeChild.fork(kind, directory, Sink.STALLING, number, "SpillMode=" + mode)) {
      child.awaitAtLeast("drained", 1 + random.nextInt(RING));
      if (number % 3 != 0) { // surely while the spill is in use, however slow the machine is
        child.awaitAtLeast("spilled", 1_000);
      }
      LockSupport.parkNanos(random.nextInt(250_000_000));
      child.kill();
      assertThat(child.number("missing")).isZero();
      return new Witness(child.number("drained"), child.number("spilled"));
    }
  }
}
