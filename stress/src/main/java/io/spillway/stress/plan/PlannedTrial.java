package io.spillway.stress.plan;

import io.spillway.stress.fork.ChildProcess;
import io.spillway.stress.load.LoadSpec;
import io.spillway.stress.service.HttpDriver;
import io.spillway.stress.service.ServiceTrial;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * A trial at one file size.
 *
 * @param name unique in its run
 * @param trial the configuration
 * @param sizeBytes the size of the log file at which it rolls over; 0 for a service without
 *     rotation
 * @param service the service whose requests make the log calls, or null if threads only log
 */
public record PlannedTrial(String name, Trial trial, long sizeBytes, ServiceTrial service) {

  /** Threads that may log beside those for requests, such as a server's own. */
  private static final int SPARE_THREADS = 32;

  private static final List<String> UNITS = List.of("B", "KB", "MB", "GB");

  /** Creates a trial whose threads only log. */
  public PlannedTrial(String name, Trial trial, long sizeBytes) {
    this(name, trial, sizeBytes, null);
  }

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
    return new PlannedTrial(newName, trial, sizeBytes, service);
  }

  /** Returns the options of this trial: those of the run, with what a service replaces. */
  RunOptions options(RunOptions run) {
    if (service == null) {
      return run;
    }
    return new RunOptions(
        service.application().threads() + SPARE_THREADS,
        false,
        service.rate() * service.lines(),
        service.lineBytes(),
        run.rotation() && sizeBytes > 0,
        1,
        Set.of(),
        service.warmUpSeconds(),
        run.aroundSeconds(),
        Objects.requireNonNullElse(service.heap(), run.heap()),
        run.repeats(),
        run.limits(),
        run.keep(),
        run.out(),
        run.deadline());
  }

  /** Returns the service for the forked JVM, or null. */
  LoadSpec.Application application() {
    return service == null ? null : service.application();
  }

  /** Returns what this process does while the forked JVM runs. */
  ChildProcess.Driver driver(Path latencyFile) {
    return service == null ? ChildProcess.Driver.NONE : new HttpDriver(service, latencyFile);
  }

  /** Returns the command line by which the JVM of this trial is started. */
  List<String> command(List<String> jvm) {
    return service == null ? jvm : service.onOwnProcessors(jvm);
  }

  /** Returns the beginning of the names of application threads. */
  String threadPrefix() {
    return service == null ? LoadSpec.APPLICATION_THREAD : service.threadPrefix();
  }

  /** Returns the seconds that the forked JVM runs on after the load. */
  double afterSeconds() {
    return service == null ? 0 : service.searchSeconds();
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
    return sizeBytes == 0
        ? 0
        : sizeBytes - (long) (trial.bytesPerSecond(options) * leadSeconds(options));
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
