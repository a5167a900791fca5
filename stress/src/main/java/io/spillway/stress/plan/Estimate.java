package io.spillway.stress.plan;

import io.spillway.stress.load.Prefill;
import io.spillway.stress.verify.LogLine;
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
public record Estimate(
    double prefillSeconds,
    double copySeconds,
    double leadSeconds,
    double loadSeconds,
    double rotationSeconds,
    double waitSeconds,
    double verifySeconds,
    int trials,
    long prefillBytes,
    long diskBytes) {

  private static final double WRITE_BYTES_PER_SECOND = 400e6;
  private static final double COPY_BYTES_PER_SECOND = 800e6;
  private static final double VERIFY_BYTES_PER_SECOND = 250e6;
  private static final double START_SECONDS = 3;
  private static final double MEAN_WAIT_SECONDS = 30; // for a full minute

  /** The load and the JVM beside it leave less than a core for compressing. */
  private static final double COMPRESSION_SLOWDOWN = 1.15;

  /** For this machine. */
  static Estimate of(RunOptions options, List<Trial> all) throws IOException {
    int trials = all.size();
    double size = options.sizeBytes();
    double rotation = size / Prefill.gzipBytesPerSecond() * COMPRESSION_SLOWDOWN;
    double lead = options.warmUpSeconds() + options.aroundSeconds();
    double load = START_SECONDS + lead + rotation + options.aroundSeconds();
    double bytesPerSecond = options.eventsPerSecond() * LogLine.TYPICAL_BYTES;
    long prefill = options.sizeBytes() - (long) (bytesPerSecond * lead);
    long byTheClock = all.stream().filter(Trial::rotatesByTheClock).count();
    double events = bytesPerSecond * (load + rotation);
    long disk = (long) (2.3 * size + 2 * events) + (64L << 20);
    return new Estimate(
        size / WRITE_BYTES_PER_SECOND,
        size / COPY_BYTES_PER_SECOND,
        START_SECONDS + lead,
        load,
        rotation,
        options.repeats() * MEAN_WAIT_SECONDS * byTheClock,
        1 + size / VERIFY_BYTES_PER_SECOND,
        trials * options.repeats(),
        prefill,
        options.keep() ? disk * trials * options.repeats() : disk);
  }

  /** Of the whole run. */
  double totalSeconds() {
    return prefillSeconds + waitSeconds + trials * (copySeconds + loadSeconds + verifySeconds);
  }

  /** One line for whoever waits. */
  String describe() {
    return String.format(
        Locale.ROOT,
        "%d trials, about %.0f s in all, up to %s on disk",
        trials,
        totalSeconds(),
        gigabytes(diskBytes));
  }

  /** Refuses a run that would fill the disk. */
  void requireRoom(Path directory) throws IOException {
    FileStore store = Files.getFileStore(directory);
    if (store.getUsableSpace() < diskBytes) {
      throw new RefusedException(
          String.format(
              Locale.ROOT,
              "the run needs up to %s in %s, but only %s are free there;"
                  + " choose another place with --out or a smaller --size",
              gigabytes(diskBytes),
              directory.toAbsolutePath(),
              gigabytes(store.getUsableSpace())));
    }
  }

  private static String gigabytes(long bytes) {
    return String.format(Locale.ROOT, "%.1f GB", bytes / 1e9);
  }
}
