package io.spillway.stress.plan;

import io.spillway.stress.load.Prefill;
import io.spillway.stress.report.Format;
import io.spillway.stress.report.Progress;
import io.spillway.stress.report.RefusedException;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * Estimates the time and the disk space of a run from the speed at which this machine compresses a
 * sample. The rates of writing and reading back were measured on two cores; they matter little.
 */
record Estimate(RunOptions options, List<PlannedTrial> trials, double gzipBytesPerSecond) {

  private static final double WRITE_BYTES_PER_SECOND = 400e6;
  private static final long SPARE_BYTES = 64L << 20;
  private static final double LONG_SECONDS = 180;

  /** Returns the estimate for this machine. */
  static Estimate of(RunOptions options, List<PlannedTrial> trials) throws IOException {
    return new Estimate(options, trials, Prefill.gzipBytesPerSecond());
  }

  OfTrial of(PlannedTrial planned) {
    return OfTrial.of(planned, options, gzipBytesPerSecond);
  }

  double prefillSeconds() {
    return prefillBytes() / WRITE_BYTES_PER_SECOND;
  }

  /** Returns the seconds of the whole run. */
  double totalSeconds() {
    double once = trials.stream().mapToDouble(planned -> of(planned).totalSeconds()).sum();
    return prefillSeconds() + options.repeats() * once;
  }

  /** Returns the most bytes that are on disk at one time. */
  long diskBytes() {
    List<OfTrial> each = trials.stream().map(this::of).toList();
    long most = each.stream().mapToLong(OfTrial::diskBytes).max().orElse(0);
    long kept = options.repeats() * each.stream().mapToLong(OfTrial::keptBytes).sum();
    return prefillBytes() + most + (options.keep() ? kept : 0) + SPARE_BYTES;
  }

  private long prefillBytes() {
    return PlannedTrial.prefillLengths(trials, options).stream().mapToLong(Long::longValue).sum();
  }

  /** Returns one line for the user. */
  String describe() {
    double seconds = totalSeconds();
    return String.format(
        Locale.ROOT,
        "%s, about %s in all, up to %s on disk",
        Progress.trials(trials.size() * options.repeats()),
        seconds < LONG_SECONDS
            ? String.format(Locale.ROOT, "%.0f s", seconds)
            : String.format(Locale.ROOT, "%.0f minutes", seconds / 60),
        Format.bytes(diskBytes()));
  }

  /** Refuses a run that needs more space than is free. */
  void requireRoom(Path directory) throws IOException {
    FileStore store = Files.getFileStore(directory);
    if (store.getUsableSpace() < diskBytes()) {
      throw new RefusedException(
          String.format(
              Locale.ROOT,
              "the run needs up to %s in %s, but only %s are free there;"
                  + " choose another place with --out or a smaller --size",
              Format.bytes(diskBytes()),
              directory.toAbsolutePath(),
              Format.bytes(store.getUsableSpace())));
    }
  }

  /**
   * The time of one trial, step by step, and its disk space beside the prefilled files.
   *
   * @param copySeconds for filling the log file
   * @param leadSeconds from the start of the JVM until the rotation is due
   * @param rotationSeconds from then until the archive is complete
   * @param loadSeconds from the start of the JVM to its end; includes the preceding two
   * @param verifySeconds for reading everything back
   * @param diskBytes log file, archive, and what may wait in a queue on disk
   * @param keptBytes the bytes that remain if files are kept
   */
  record OfTrial(
      double copySeconds,
      double leadSeconds,
      double rotationSeconds,
      double loadSeconds,
      double verifySeconds,
      long diskBytes,
      long keptBytes) {

    /** Rate of copying, including the force to the device. */
    private static final double COPY_BYTES_PER_SECOND = 400e6;

    private static final double VERIFY_BYTES_PER_SECOND = 250e6;
    private static final double START_SECONDS = 3;
    private static final double ARCHIVE_SHARE = 0.3;

    /** Factor for the load and the other JVM, which leave less than a core for compressing. */
    private static final double COMPRESSION_SLOWDOWN = 1.15;

    private static final double PACED_SHARE = 0.5;

    /** Returns the estimate of a trial, given the speed at which one core compresses. */
    static OfTrial of(PlannedTrial planned, RunOptions options, double gzipBytesPerSecond) {
      double size = planned.sizeBytes();
      double share = planned.trial().pacesCompression() ? PACED_SHARE : 1;
      double rotation =
          planned.betweenRotationsSeconds(options)
              + size / gzipBytesPerSecond * COMPRESSION_SLOWDOWN / share;
      double lead = START_SECONDS + planned.leadSeconds(options);
      double load = lead + rotation + options.aroundSeconds();
      double events = planned.trial().bytesPerSecond(options) * (load + rotation);
      long most = (long) ((1 + ARCHIVE_SHARE) * size + 2 * events);
      return new OfTrial(
          size / COPY_BYTES_PER_SECOND,
          lead,
          rotation,
          load,
          1 + size / VERIFY_BYTES_PER_SECOND,
          most,
          planned.trial().isArchivedAsGzip() ? (long) (ARCHIVE_SHARE * size + events) : most);
    }

    double totalSeconds() {
      return copySeconds + loadSeconds + verifySeconds;
    }
  }
}
