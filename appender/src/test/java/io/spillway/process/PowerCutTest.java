package io.spillway.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.spillway.process.PowerCutChild.Form;
import io.spillway.testkit.Configured;
import io.spillway.testkit.Fork;
import io.spillway.testkit.LoopDisk;
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Power cuts: the file system is shut down under a JVM that logs, without a flush of anything, and
 * mounted again, so that only what an fsync had covered is there. Every event that the appender had
 * told to be synced is in the log, its archives, or comes from the spill at the next start.
 *
 * <p>The witness is this process: what a child told it before the cut was synced before the cut.
 * What it tells afterwards counts for nothing: where ext4 is shut down in the middle of an fsync,
 * the call can return without an error though the journal was given up, which no process lives to
 * see when the power fails.
 */
@Timeout(3_600)
@Tag("slow")
class PowerCutTest {
  private static final boolean FULL = Boolean.getBoolean("spillway.test.full");
  private static final int CUTS = Integer.getInteger("spillway.test.cuts", 25);

  private static final int FSYNC_MILLIS = 2_000;

  private static final Pattern EVENT = Pattern.compile("#(\\d+):(\\d+)\\.[0-9a-f]+;");
  private static final String ROLLED = "app\\.log\\.[-.\\dTZ]+\\.rolled";
  private static final String LOG = "app(\\.[\\d.-]+)?\\.log(\\.gz)?|" + ROLLED;
  private static final String RAW = "app\\.[\\d.-]+\\.log|" + ROLLED;

  @TempDir Path directory;

  private int cycles;
  private long synced;
  private long missing;
  private long lines;
  private long duplicates;
  private long mostDuplicates;

  @ParameterizedTest
  @Tag("gate")
  @CsvSource({"ONE_FILE, ALWAYS", "FIXED_WINDOW_GZ, OVERFLOW", "SIZE_AND_TIME_GZ, ALWAYS"})
  void shouldKeepEverySyncedEvent(Form form, String mode) {
    cut(form, mode, FULL ? CUTS : 2);
  }

  @ParameterizedTest
  @Tag("full")
  @CsvSource({
    "ONE_FILE, OVERFLOW",
    "FIXED_WINDOW_GZ, ALWAYS",
    "FIXED_WINDOW_RAW, ALWAYS",
    "SIZE_AND_TIME_GZ, ALWAYS",
    "SIZE_AND_TIME_GZ, OVERFLOW"
  })
  void shouldKeepEverySyncedEventInEveryForm(Form form, String mode) {
    cut(form, mode, CUTS);
  }

  private void cut(Form form, String mode, int cuts) {
    Random random = new Random(form.ordinal() + mode.length());
    try (LoopDisk disk = new LoopDisk(directory)) {
      for (int cycle = 0; cycle < cuts; cycle++) {
        cutOnce(disk, form, mode, cycle, random);
      }
    } finally {
      System.out.printf(
          "power cuts, %s %s: %d cycles, %d synced events, %d missing, %d of %d lines duplicates,"
              + " at most %d a cut%n",
          form, mode, cycles, synced, missing, duplicates, lines, mostDuplicates);
    }
    assertThat(missing).as("synced and lost").isZero();
  }

  private void cutOnce(LoopDisk disk, Form form, String mode, int cycle, Random random) {
    long first;
    long events;
    long unforced;
    try (Fork child =
        Fork.start(PowerCutChild.class, List.of(), disk.directory(), form, mode, cycle)) {
      child.awaitAtLeast("synced", 1);
      child.awaitAtLeast("delivered", random.nextInt(20_000));
      LockSupport.parkNanos(random.nextInt(100_000_000));
      first = child.number("first");
      events = child.number("synced"); // an fsync that the cut comes upon may be said to succeed
      disk.cutPower();
      child.kill();
      unforced = deliveredLast(child.output());
    }
    disk.mountAgain();

    BitSet found = new BitSet();
    int[] counts = new int[2];
    try (Configured next =
        new Configured(Configured.SPILLWAY, disk.directory(), form.settings(mode))) {
      next.awaitDelivered();
      boolean raw = form.settings(mode).contains(".log<"); // then named archives stay as they are
      await() // else they are renamed while they are read
          .atMost(Duration.ofMinutes(1))
          .until(() -> names(disk).noneMatch(name -> name.matches(raw ? ROLLED : RAW)));
    }
    await() // the compressor takes away what it has not finished, and is not waited for by a stop
        .atMost(Duration.ofMinutes(1))
        .until(() -> names(disk).noneMatch(name -> name.endsWith(".part")));
    events(disk)
        .filter(event -> event.group(1).equals(String.valueOf(cycle)))
        .forEach(
            event -> {
              int number = Integer.parseInt(event.group(2));
              counts[found.get(number) ? 1 : 0]++;
              found.set(number);
            });
    BitSet expected = new BitSet();
    expected.set((int) first, (int) (first + events));
    expected.andNot(found);
    cycles++;
    synced += events;
    missing += expected.cardinality();
    lines += counts[0] + (long) counts[1];
    duplicates += counts[1];
    mostDuplicates = Math.max(mostDuplicates, counts[1]);
    assertThat((long) counts[1]).as("duplicates").isLessThanOrEqualTo(unforced);
    Stream.of(disk.directory().toFile().listFiles((d, name) -> name.matches(LOG)))
        .forEach(File::delete);
  }

  /** What was delivered within the time that an interval and its fsync take, generously. */
  private static long deliveredLast(List<String> output) {
    List<Long> delivered = values(output, "delivered ");
    List<Long> millis = values(output, "millis ");
    int last = millis.size() - 1;
    int then = last;
    while (then > 0 && millis.get(last) - millis.get(then) < FSYNC_MILLIS) {
      then--;
    }
    return delivered.get(delivered.size() - 1) - (then == 0 ? 0 : delivered.get(then));
  }

  private static List<Long> values(List<String> output, String key) {
    return output.stream()
        .filter(line -> line.startsWith(key))
        .map(line -> Long.parseLong(line.substring(key.length()).trim()))
        .toList();
  }

  private static Stream<String> names(LoopDisk disk) {
    return Stream.of(disk.directory().toFile().listFiles(File::isFile)).map(File::getName);
  }

  private static Stream<Matcher> events(LoopDisk disk) {
    return Configured.contents(disk.directory()).entrySet().stream()
        .filter(file -> file.getKey().matches(LOG))
        .flatMap(file -> file.getValue().lines())
        .map(EVENT::matcher)
        .filter(Matcher::matches);
  }
}
