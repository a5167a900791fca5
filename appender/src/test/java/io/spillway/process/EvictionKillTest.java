package io.spillway.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.internal.spill.SegmentScan;
import io.spillway.testkit.Fork;
import io.spillway.testkit.LoopDisk;
import io.spillway.testkit.Rig;
import io.spillway.testkit.Subject;
import io.spillway.testkit.Subject.Kind;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * kill -9 and power cuts while events make room for others, again and again on one directory: what
 * is kept and was spilled, or synced, is in the log in the end, in order.
 */
@Timeout(3_600)
@Tag("slow")
class EvictionKillTest {
  private static final int KILLS =
      Integer.getInteger("spillway.test.kills", Boolean.getBoolean("spillway.test.full") ? 250 : 7);
  private static final int CUTS =
      Integer.getInteger("spillway.test.cuts", Boolean.getBoolean("spillway.test.full") ? 25 : 3);
  private static final int CURSOR_LAG_EVENTS = 1_024;
  private static final Pattern KEPT = Pattern.compile("W:(\\d+):(\\d+):x{60}");

  @TempDir Path directory;
  private final Map<Long, Long> syncedOf = new TreeMap<>(); // of runs, as they told before the cut
  private final Set<String> holed = new TreeSet<>();
  private boolean hasHole; // after the last cut

  @ParameterizedTest
  @Tag("gate")
  @EnumSource
  void shouldDeliverWhatIsKeptAfterKills(Kind kind) {
    Random random = new Random(kind.ordinal());
    List<Long> witnesses = new ArrayList<>();
    for (int kill = 0; kill < KILLS; kill++) {
      witnesses.add(killOnce(kind, directory, kill, random));
    }
    assertKept(kind, directory, witnesses, CURSOR_LAG_EVENTS);
    assertThat(Rig.filesBelow(directory.resolve("spill"))).isEmpty();
  }

  /**
   * What {@link PowerCutTest} is without room made. A cut in the middle of an fsync may leave a
   * hole in what that had not covered: a later page is on the disk, an earlier one is not. The next
   * start cannot know that these bytes were not synced, so it counts what is missing and keeps a
   * copy of the segment. Such copies, and a loss, may be there, but of no segment without a hole;
   * and each cut is judged before anybody repairs what it left: there is no hole in what was told
   * as synced.
   */
  @Test
  void shouldDeliverWhatIsKeptAndSyncedAfterPowerCuts() {
    Random random = new Random(7);
    List<Long> witnesses = new ArrayList<>();
    try (LoopDisk disk = new LoopDisk(directory)) {
      for (int cut = 0; cut < CUTS; cut++) {
        witnesses.add(cutOnce(disk, cut, random));
      }
      Path spill = disk.directory().resolve("spill");
      assertKept(Kind.OWN_FILE, disk.directory(), witnesses, Integer.MAX_VALUE / CUTS);
      assertThat(holed).containsAll(Rig.filesBelow(spill).stream().map(this::segment).toList());
    }
  }

  private String segment(Path copy) {
    return copy.getFileName().toString().replace(".corrupt", "");
  }

  /** Everything up to what was told as synced is whole, but for what was delivered and unlinked. */
  private void judgeCut(Path spill, long synced) {
    List<SegmentScan.Segment> segments = SegmentScan.of(spill);
    long newest = segments.stream().mapToLong(SegmentScan.Segment::run).max().orElse(-1);
    syncedOf.putIfAbsent(newest, synced); // else nothing is left of this life
    hasHole = false;
    Map<Long, Long> reached = new TreeMap<>();
    for (int i = 0; i < segments.size(); i++) {
      SegmentScan.Segment each = segments.get(i);
      long before = reached.getOrDefault(each.run(), each.first());
      boolean follows = each.first() <= before;
      reached.put(each.run(), follows ? Math.max(before, each.upTo()) : before);
      boolean cutShort =
          i + 1 < segments.size()
              && segments.get(i + 1).run() == each.run()
              && segments.get(i + 1).first() > each.upTo();
      if (!each.whole() || cutShort) {
        holed.add(each.name());
        hasHole = true;
      }
    }
    reached.remove(-1L);
    reached.forEach(
        (run, upTo) ->
            assertThat(upTo - run)
                .as("without a hole, %s", segments)
                .isGreaterThanOrEqualTo(syncedOf.get(run)));
  }

  /** In mode ALWAYS what is kept does not wait in memory beside a spill that can make room. */
  @ParameterizedTest
  @EnumSource
  void shouldHaveInTheSpillWhatIsKeptWhileItIsFullOfOthers(Kind kind) {
    int kept = 500;
    try (Fork child = Fork.start(FullSpillKillChild.class, List.of(), kind, directory, kept)) {
      child.awaitLine("spilled");
      child.kill();
    }
    try (Subject next = new Subject(kind, directory)) {
      next.start();
      next.awaitDelivered();
      assertThat(next.lines().stream().filter(line -> line.startsWith("W:")))
          .as("kept ones that outlive the kill")
          .hasSize(kept);
    }
  }

  private void assertKept(Kind kind, Path where, List<Long> witnesses, int duplicatesEach) {
    try (Subject last = new Subject(kind, where)) {
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
          "while room is made, %s: %d lives, %d kept events, %d duplicates%n",
          kind, witnesses.size(), sum, duplicates);
      for (int life = 0; life < witnesses.size(); life++) {
        BitSet missing = new BitSet();
        missing.set(0, witnesses.get(life).intValue());
        missing.andNot(found.get(life));
        assertThat(missing.stream().boxed())
            .as("stream %d, missing of %d", life, witnesses.get(life))
            .isEmpty();
      }
      assertThat(sum).isPositive();
      assertThat(duplicates).isLessThanOrEqualTo(witnesses.size() * duplicatesEach);
      assertThat(last.metrics().getLost() > 0 && !hasHole).as("damage without a hole").isFalse();
    }
  }

  private long cutOnce(LoopDisk disk, int number, Random random) {
    try (Fork child =
        Fork.start(
            EvictionKillChild.class,
            List.of(),
            Kind.OWN_FILE,
            disk.directory(),
            number,
            "20 milliseconds")) {
      child.awaitAtLeast("evicted", 5_000);
      child.awaitLine("kept");
      LockSupport.parkNanos(random.nextInt(250_000_000));
      long kept = child.number("kept"); // what it tells after the cut counts for nothing
      long synced = child.number("synced");
      disk.cutPower();
      child.kill();
      disk.mountAgain();
      judgeCut(disk.directory().resolve("spill"), synced);
      return kept;
    }
  }

  private static long killOnce(Kind kind, Path directory, int number, Random random) {
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
