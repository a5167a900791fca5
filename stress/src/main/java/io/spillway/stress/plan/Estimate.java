package io.spillway.stress.plan;

import io.spillway.stress.load.Prefill;
import io.spillway.stress.report.Format;
import io.spillway.stress.report.RefusedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * Estimates the time and the disk space of a run from the speed at which one core of this machine
 * compresses a sample. The rates of writing and reading back were measured on two cores; they
 * matter little.
 */
record Estimate(RunOptions options, List<Trial> trials, double gzipBytesPerSecond) {

  private static final long SPARE_BYTES = 64L << 20;
  private static final double LONG_SECONDS = 180;
  private static final double WRITE_BYTES_PER_SECOND = 300e6; // the force to the device included
  private static final double VERIFY_BYTES_PER_SECOND = 250e6;
  private static final double START_SECONDS = 3;
  private static final double ARCHIVE_SHARE = 0.3;

  /** Factor for the load and the other JVM, which leave less than a core for compressing. */
  private static final double COMPRESSION_SLOWDOWN = 1.15;

  private static final double PACED_SHARE = 0.5;

  static Estimate of(RunOptions options, List<Trial> trials) throws IOException {
    return new Estimate(options, trials, Prefill.gzipBytesPerSecond());
  }

  /**
   * The time of one trial, step by step, and its disk space.
   *
   * @param rotationSeconds from the trigger of the rotation until the archive is complete
   * @param loadSeconds from the start of the JVM to its end, with rotation and search
   * @param diskBytes log file, archive, and what may wait in a queue on disk
   */
  record OfTrial(
      double prefillSeconds,
      double rotationSeconds,
      double loadSeconds,
      double verifySeconds,
      long diskBytes) {}

  OfTrial of(Trial trial) {
    RunOptions own = trial.options(options);
    double size = trial.sizeBytes();
    double share = trial.pacesCompression() ? PACED_SHARE : 1;
    double compression = size / gzipBytesPerSecond * COMPRESSION_SLOWDOWN / share;
    double rotation = (own.rotations() - 1) * size / trial.bytesPerSecond(own) + compression;
    double load = START_SECONDS + own.leadSeconds() + rotation + own.aroundSeconds();
    double written = trial.bytesPerSecond(own) * (load + rotation);
    return new OfTrial(
        size / WRITE_BYTES_PER_SECOND,
        rotation,
        load + (trial.service() == null ? 0 : trial.service().searchSeconds()),
        1 + size / VERIFY_BYTES_PER_SECOND,
        (long) ((1 + ARCHIVE_SHARE) * size + 2 * written));
  }

  double totalSeconds() {
    return options.repeats()
        * trials.stream()
            .map(this::of)
            .mapToDouble(t -> t.prefillSeconds() + t.loadSeconds() + t.verifySeconds())
            .sum();
  }

  /** Returns the most bytes that are on disk at one time. */
  long diskBytes() {
    long most = trials.stream().mapToLong(t -> of(t).diskBytes()).max().orElse(0);
    long all = options.repeats() * trials.stream().mapToLong(t -> of(t).diskBytes()).sum();
    return (options.keep() ? all : most) + SPARE_BYTES;
  }

  String describe() {
    int number = trials.size() * options.repeats();
    double seconds = totalSeconds();
    return String.format(
        Locale.ROOT,
        "%d %s, about %.0f %s in all, up to %s on disk",
        number,
        number == 1 ? "trial" : "trials",
        seconds < LONG_SECONDS ? seconds : seconds / 60,
        seconds < LONG_SECONDS ? "s" : "minutes",
        Format.bytes(diskBytes()));
  }

  /** Refuses a run that needs more space than is free. */
  void requireRoom(Path directory) throws IOException {
    long free = Files.getFileStore(directory).getUsableSpace();
    if (free < diskBytes()) {
      throw new RefusedException(
          String.format(
              Locale.ROOT,
              "the run needs up to %s in %s, but only %s are free there;"
                  + " choose another place with --out or a smaller --size",
              Format.bytes(diskBytes()),
              directory.toAbsolutePath(),
              Format.bytes(free)));
    }
  }
}
