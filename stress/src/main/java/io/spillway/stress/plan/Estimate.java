package io.spillway.stress.plan;

import io.spillway.stress.load.Prefill;
import io.spillway.stress.report.RefusedException;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * How long a run will take and what room it needs, from the speed at which this machine compresses
 * a sample. Writing and reading back were measured on two cores; they matter little.
 */
record Estimate(RunOptions options, List<PlannedTrial> trials, double gzipBytesPerSecond) {

  private static final double WRITE_BYTES_PER_SECOND = 400e6;
  private static final long SPARE_BYTES = 64L << 20;
  private static final double LONG_SECONDS = 180;

  /** For this machine. */
  static Estimate of(RunOptions options, List<PlannedTrial> trials) throws IOException {
    return new Estimate(options, trials, Prefill.gzipBytesPerSecond());
  }

  TrialEstimate of(PlannedTrial planned) {
    return TrialEstimate.of(planned, options, gzipBytesPerSecond);
  }

  double prefillSeconds() {
    return prefillBytes() / WRITE_BYTES_PER_SECOND;
  }

  /** Of the whole run. */
  double totalSeconds() {
    double once = trials.stream().mapToDouble(planned -> of(planned).totalSeconds()).sum();
    return prefillSeconds() + options.repeats() * once;
  }

  /** The most that is on disk at the same time. */
  long diskBytes() {
    List<TrialEstimate> each = trials.stream().map(this::of).toList();
    long most = each.stream().mapToLong(TrialEstimate::diskBytes).max().orElse(0);
    long kept = options.repeats() * each.stream().mapToLong(TrialEstimate::keptBytes).sum();
    return prefillBytes() + most + (options.keep() ? kept : 0) + SPARE_BYTES;
  }

  private long prefillBytes() {
    return PrefillFiles.lengths(trials, options).stream().mapToLong(Long::longValue).sum();
  }

  /** One line for whoever waits. */
  String describe() {
    double seconds = totalSeconds();
    return String.format(
        Locale.ROOT,
        "%d trials, about %s in all, up to %s on disk",
        trials.size() * options.repeats(),
        seconds < LONG_SECONDS
            ? String.format(Locale.ROOT, "%.0f s", seconds)
            : String.format(Locale.ROOT, "%.0f minutes", seconds / 60),
        size(diskBytes()));
  }

  /** Refuses a run that would fill the disk. */
  void requireRoom(Path directory) throws IOException {
    FileStore store = Files.getFileStore(directory);
    if (store.getUsableSpace() < diskBytes()) {
      throw new RefusedException(
          String.format(
              Locale.ROOT,
              "the run needs up to %s in %s, but only %s are free there;"
                  + " choose another place with --out or a smaller --size",
              size(diskBytes()),
              directory.toAbsolutePath(),
              size(store.getUsableSpace())));
    }
  }

  private static String size(long bytes) {
    return bytes < 1e9
        ? String.format(Locale.ROOT, "%.0f MB", bytes / 1e6)
        : String.format(Locale.ROOT, "%.1f GB", bytes / 1e9);
  }
}
