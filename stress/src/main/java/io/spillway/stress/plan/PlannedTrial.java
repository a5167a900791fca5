package io.spillway.stress.plan;

import java.util.Comparator;
import java.util.List;

/**
 * A trial at one file size.
 *
 * @param name unique in its run
 * @param trial the configuration
 * @param sizeBytes the size of the log file at which it rolls over
 */
public record PlannedTrial(String name, Trial trial, long sizeBytes) {

  private static final List<String> UNITS = List.of("B", "KB", "MB", "GB");

  /** Sorts trials by size; several sizes are appended to the names: {@code async-4GB}. */
  public static List<PlannedTrial> bySize(List<PlannedTrial> trials) {
    if (trials.stream().mapToLong(PlannedTrial::sizeBytes).distinct().count() < 2) {
      return trials;
    }
    return trials.stream()
        .sorted(Comparator.comparingLong(PlannedTrial::sizeBytes))
        .map(planned -> planned.named(planned.name + "-" + text(planned.sizeBytes)))
        .toList();
  }

  private PlannedTrial named(String newName) {
    return new PlannedTrial(newName, trial, sizeBytes);
  }

  /** Returns the seconds from the first rotation to the last. */
  double betweenRotationsSeconds(RunOptions options) {
    return (options.rotations() - 1) * sizeBytes / trial.bytesPerSecond(options);
  }

  /** Returns the approximate seconds from the start of the load until the rotation is due. */
  double leadSeconds(RunOptions options) {
    return options.warmUpSeconds() + options.aroundSeconds();
  }

  /**
   * Returns the length of the file before the load, so that the rotation is due after the given
   * time.
   */
  long prefillBytes(RunOptions options) {
    return sizeBytes - (long) (trial.bytesPerSecond(options) * leadSeconds(options));
  }

  /** Returns the least size at which the file rolls over when due, and only once. */
  long leastSizeBytes(RunOptions options) {
    return 2 * (sizeBytes - prefillBytes(options));
  }

  /** Formats a size for a name, in the largest unit in which it is a whole number. */
  private static String text(long bytes) {
    int unit = Math.min(Long.numberOfTrailingZeros(bytes) / 10, UNITS.size() - 1);
    return (bytes >> 10 * unit) + UNITS.get(unit);
  }
}
