package io.spillway.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.testkit.Fork;
import io.spillway.testkit.Rig;
import io.spillway.testkit.Subject;
import io.spillway.testkit.Subject.Kind;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * kill -9 while events make room for others, again and again on one directory: what is kept and was
 * spilled is in the log in the end, in order.
 */
@Timeout(3_600)
@Tag("slow")
class EvictionKillTest {
  private static final int KILLS =
      Integer.getInteger("spillway.test.kills", Boolean.getBoolean("spillway.test.full") ? 250 : 7);
  private static final int CURSOR_LAG_EVENTS = 1_024;
  private static final Pattern KEPT = Pattern.compile("W:(\\d+):(\\d+):x{60}");

  @TempDir Path directory;

  @ParameterizedTest
  @EnumSource
  void shouldDeliverWhatIsKeptAfterKills(Kind kind) {
    Random random = new Random(kind.ordinal());
    List<Long> witnesses = new ArrayList<>();
    for (int kill = 0; kill < KILLS; kill++) {
      witnesses.add(killOnce(kind, kill, random));
    }
    try (Subject last = new Subject(kind, directory)) {
      last.start();
      last.awaitDelivered();
      int duplicates = 0;
      List<BitSet> found = new ArrayList<>();
      witnesses.forEach(any -> found.add(new BitSet()));
      int stream = 0;
      for (String line : last.lines()) {
        Matcher kept = KEPT.matcher(line);
        if (kept.matches()) {
          assertThat(Integer.parseInt(kept.group(1))).as("in order").isGreaterThanOrEqualTo(stream);
          stream = Integer.parseInt(kept.group(1));
          BitSet before = found.get(stream);
          int number = Integer.parseInt(kept.group(2));
          if (before.get(number)) {
            duplicates++;
          } else {
            assertThat(number).as("in order").isGreaterThanOrEqualTo(before.length());
            before.set(number);
          }
        }
      }
      long sum = witnesses.stream().mapToLong(Long::longValue).sum();
      System.out.printf(
          "kills while room is made, %s: %d kills, %d kept events, %d duplicates%n",
          kind, KILLS, sum, duplicates);
      for (int kill = 0; kill < KILLS; kill++) {
        assertThat(found.get(kill).nextClearBit(0))
            .as("stream %d, first missing", kill)
            .isGreaterThanOrEqualTo(witnesses.get(kill).intValue());
      }
      assertThat(sum).isPositive();
      assertThat(duplicates).isLessThanOrEqualTo(KILLS * CURSOR_LAG_EVENTS);
      assertThat(last.metrics().getLost()).as("damage").isZero();
    }
    assertThat(Rig.filesBelow(directory.resolve("spill"))).isEmpty();
  }

  private long killOnce(Kind kind, int number, Random random) {
    try (Fork child = Fork.start(EvictionKillChild.class, List.of(), kind, directory, number)) {
      child.awaitAtLeast("evicted", 5_000);
      child.awaitLine("kept");
      LockSupport.parkNanos(random.nextInt(250_000_000));
      child.kill();
      assertThat(child.number("lost")).isZero();
      return child.number("kept");
    }
  }
}
