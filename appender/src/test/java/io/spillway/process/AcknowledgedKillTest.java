package io.spillway.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.spillway.testkit.Fork;
import io.spillway.testkit.LoopDisk;
import io.spillway.testkit.SequenceCheck;
import io.spillway.testkit.Subject;
import io.spillway.testkit.Subject.Kind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * kill -9, or a power cut, while threads log and each call is acknowledged: every event whose call
 * had returned is in the log once the next start has delivered what the spill holds.
 *
 * <p>The witness is this process: a child tells it of an event, through a pipe, after its log call
 * has returned. Of what it tells after a power cut nothing counts ({@link PowerCutTest}).
 */
@Timeout(3_600)
@Tag("slow")
class AcknowledgedKillTest {
  private static final int KILLS =
      Integer.getInteger("spillway.test.kills", Boolean.getBoolean("spillway.test.full") ? 100 : 4);

  private static final int CUTS =
      Integer.getInteger("spillway.test.cuts", Boolean.getBoolean("spillway.test.full") ? 25 : 2);

  private static final int EACH = 100; // events that are acknowledged before a kill, at least
  private static final Duration PATIENCE = Duration.ofMinutes(2); // the child's own

  @TempDir Path directory;

  private final Map<String, BitSet> witness = new HashMap<>();
  private long acknowledged;
  private long missing;

  @ParameterizedTest
  @Tag("gate")
  @CsvSource({"OWN_FILE, WRITTEN", "WRAPPED, WRITTEN", "OWN_FILE, SYNCED"})
  void shouldHaveEveryAcknowledgedEventAfterKills(Kind kind, String acknowledge) {
    Random random = new Random(kind.ordinal() + acknowledge.length());
    for (int kill = 0; kill < KILLS; kill++) {
      try (Fork child = start(kind, directory, acknowledge, kill, random)) {
        child.kill();
        takeDown(child.output());
      }
    }
    try (Subject last = new Subject(kind, directory)) {
      SequenceCheck check = check(last);
      assertThat(check.inversions()).as("out of order").isZero();
      assertThat(last.metrics().getLost()).isZero();
    }
    assertNoneMissing("kills, " + kind + " " + acknowledge, KILLS);
  }

  @Test
  void shouldHaveEverySyncedEventAfterPowerCuts() {
    Random random = new Random(CUTS);
    try (LoopDisk disk = new LoopDisk(directory)) {
      for (int cut = 0; cut < CUTS; cut++) {
        try (Fork child = start(Kind.OWN_FILE, disk.directory(), "SYNCED", cut, random)) {
          List<String> before = child.output();
          disk.cutPower();
          child.kill();
          takeDown(before);
        }
        disk.mountAgain();
      }
      try (Subject last = new Subject(Kind.OWN_FILE, disk.directory())) {
        check(last);
      }
    }
    assertNoneMissing("power cuts, OWN_FILE SYNCED", CUTS);
  }

  private static Fork start(
      Kind kind, Path directory, String acknowledge, int number, Random random) {
    Fork child =
        Fork.start(AcknowledgedKillChild.class, List.of(), kind, directory, acknowledge, number);
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(told(child.output()).count())
                    .as(() -> "acknowledged; output: " + child.output())
                    .isGreaterThanOrEqualTo(EACH));
    LockSupport.parkNanos(random.nextInt(500_000_000));
    return child;
  }

  /** Events whose log calls have returned, as stream and number. */
  private static Stream<String[]> told(List<String> output) {
    return output.stream()
        .map(line -> line.split(" "))
        .filter(words -> words[0].equals("acknowledged") && words.length == 3);
  }

  private void takeDown(List<String> output) {
    assertThat(output).noneMatch(line -> line.startsWith("missed"));
    told(output)
        .forEach(
            words ->
                witness
                    .computeIfAbsent(words[1], any -> new BitSet())
                    .set(Integer.parseInt(words[2])));
  }

  private SequenceCheck check(Subject last) {
    last.start();
    last.awaitDelivered();
    SequenceCheck check = new SequenceCheck(last.logFile());
    for (Map.Entry<String, BitSet> stream : witness.entrySet()) {
      acknowledged += stream.getValue().cardinality();
      stream.getValue().andNot(check.of(stream.getKey()));
      missing += stream.getValue().cardinality();
    }
    return check;
  }

  private void assertNoneMissing(String what, int cycles) {
    System.out.printf(
        "%s: %d times, %d acknowledged events, %d missing%n", what, cycles, acknowledged, missing);
    assertThat(missing).as("acknowledged and lost").isZero();
    assertThat(acknowledged).isGreaterThanOrEqualTo((long) cycles * EACH);
  }
}
