package io.spillway.stress.plan;

import java.util.Comparator;
import java.util.List;

/**
 * A trial at one size, as a run goes through it.
 *
 * @param name unique in its run
 * @param trial what is tried
 * @param sizeBytes of the log file when it rolls over
 */
public record PlannedTrial(String name, Trial trial, long sizeBytes) {

  /** Half a file up to the rotation, and most of the next. */
  private static final double CLOSED_LOOP_FILES = 1.4;

  private static final List<String> UNITS = List.of("B", "KB", "MB", "GB");

  /** Smaller sizes first; if there are several, every name ends in its size: {@code async-4GB}. */
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

  /** Events after which a closed loop ends, lest the file rolls over twice. */
  long mostEvents(RunOptions options) {
    return options.closedLoop()
        ? (long) (closedLoopFiles(options) * sizeBytes / trial.lineBytes(options))
        : Long.MAX_VALUE;
  }

  /** How many files a closed loop fills. */
  static double closedLoopFiles(RunOptions options) {
    return CLOSED_LOOP_FILES + options.rotations() - 1;
  }

  /** From the first rotation to the last. */
  double betweenRotationsSeconds(RunOptions options) {
    return (options.rotations() - 1) * sizeBytes / trial.bytesPerSecond(options);
  }

  /** How long before the rotation is due, from the beginning of the load; roughly. */
  double leadSeconds(RunOptions options) {
    return options.closedLoop()
        ? options.warmUpSeconds()
            + (sizeBytes - prefillBytes(options)) / trial.bytesPerSecond(options)
        : options.warmUpSeconds() + options.aroundSeconds();
  }

  /**
   * Length of the file before the load, so that the rotation is due after the given time; half of
   * it if nobody knows how long that takes.
   */
  long prefillBytes(RunOptions options) {
    if (options.closedLoop()) {
      return sizeBytes / 2;
    }
    double lead = options.warmUpSeconds() + options.aroundSeconds();
    return sizeBytes - (long) (trial.bytesPerSecond(options) * lead);
  }

  /**
   * Lengths of the files that trials begin with a copy of; somebody else's configuration has its
   * own directories, and is filled in place.
   */
  static List<Long> prefillLengths(List<PlannedTrial> trials, RunOptions options) {
    return trials.stream()
        .filter(planned -> planned.trial().sandboxed() == null)
        .map(planned -> planned.prefillBytes(options))
        .distinct()
        .toList();
  }

  /** The smallest size at which the load makes the file roll over when it is due, and once. */
  long leastSizeBytes(RunOptions options) {
    return 2 * (sizeBytes - prefillBytes(options));
  }

  /** As it is written in options: in the largest unit that it is a whole number of. */
  private static String text(long bytes) {
    int unit = Math.min(Long.numberOfTrailingZeros(bytes) / 10, UNITS.size() - 1);
    return (bytes >> 10 * unit) + UNITS.get(unit);
  }
}
