package io.spillway.stress.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.spillway.stress.report.Judge;
import io.spillway.stress.report.TrialResult;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a run says it needs on disk, and what it then takes, its recordings and reports included;
 * how long it says it takes, and does.
 */
@Tag("slow")
class DiskEstimateTest {

  private static final long SIZE = 64L << 20;
  private static final double MEGABYTE = 1e6;

  /** Room that an estimate leaves on top, whatever the size. */
  private static final double SPARE = 64L << 20;

  /**
   * More than is needed refuses runs that would fit; a slow machine is thought to log for longer.
   */
  private static final double FACTOR = 2;

  /** For what is not log files: recordings, reports. Without it the spare room hides much. */
  private static final double LOGS_SHARE = 0.95;

  /** Wide, as others share the machine; it is there for wrong units and forgotten parts. */
  private static final double TIME_FACTOR = 4;

  private static final Judge.Limits LIMITS = new Judge.Limits(0, 0, 60_000, 100);
  private static final Pattern TOLD = Pattern.compile("up to ([0-9.]+) MB on disk");
  private static final Pattern SECONDS = Pattern.compile("about ([0-9]+) s in all");

  @TempDir Path directory;
  private volatile boolean over;
  private long peakBytes; // of the looking thread, until that is joined

  @Test
  void shouldAskForWhatARunTakesAndNotMuchMore() throws Exception {
    assertEstimateOf(false);
  }

  @Test
  @Tag("full")
  void shouldAskForWhatARunThatKeepsItsFilesTakes() throws Exception {
    assertEstimateOf(true);
  }

  private void assertEstimateOf(boolean keep) throws Exception {
    List<PlannedTrial> trials =
        Trials.builtIn().stream()
            .filter(trial -> List.of("sync", "spillway-fixed-window").contains(trial.name()))
            .map(trial -> trial.at(SIZE))
            .toList();
    assertThat(trials).hasSize(2);
    RunOptions options = new SmallRun(directory).limits(LIMITS).keep(keep).options();
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    Thread looker = new Thread(this::look, "looker");
    looker.start();
    Run.Finished finished;
    try {
      PrintStream out = new PrintStream(said, true, StandardCharsets.UTF_8);
      finished = SmallRun.run(options, trials, out);
    } finally {
      over = true;
      looker.join();
    }

    assertThat(finished.result().trials()).allMatch(TrialResult::measured);
    double told = number(TOLD, said.toString(StandardCharsets.UTF_8)) * MEGABYTE;
    String what = String.format(Locale.ROOT, "told %.0f, peak %d", told, peakBytes);
    assertThat(peakBytes).as(what).isGreaterThan(2 * SIZE);
    assertThat(told).as(what).isGreaterThanOrEqualTo(peakBytes);
    assertThat(told - SPARE).as(what).isGreaterThanOrEqualTo(LOGS_SHARE * peakBytes);
    assertThat(told - SPARE).as(what).isLessThanOrEqualTo(FACTOR * peakBytes);
    double estimated = finished.result().estimatedSeconds();
    assertThat(estimated)
        .as("seconds")
        .isCloseTo(number(SECONDS, said.toString(StandardCharsets.UTF_8)), within(0.5))
        .isBetween(
            finished.result().seconds() / TIME_FACTOR, finished.result().seconds() * TIME_FACTOR);
  }

  private static double number(Pattern pattern, String text) {
    Matcher found = pattern.matcher(text);
    assertThat(found.find()).as(text).isTrue();
    return Double.parseDouble(found.group(1));
  }

  /** Over and over, so that a peak of a moment is seen, too. */
  private void look() {
    while (!over) {
      try {
        Sum sum = new Sum();
        Files.walkFileTree(directory, sum);
        peakBytes = Math.max(peakBytes, sum.bytes);
        Thread.sleep(10);
      } catch (IOException | InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** What vanishes meanwhile takes no room. */
  private static final class Sum extends SimpleFileVisitor<Path> {
    private long bytes;

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
      bytes += attributes.size();
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException gone) {
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path gone, IOException failure) {
      return FileVisitResult.CONTINUE;
    }
  }
}
