package io.spillway.stress.bench;

import ch.qos.logback.classic.LoggerContext;
import java.nio.file.Path;
import java.time.Duration;
import org.HdrHistogram.Histogram;

/**
 * Puts {@link SteadyLoad} on a logger, then does {@link ContendedWork}; watched by {@code
 * spillway-stress watch} in a JVM of its own, or not. Prints percentiles of the log call's service
 * time in nanoseconds, CPU use while it logged, and operations a second.
 */
public final class WatchedChild {

  private static final int WARM_UP_SECONDS = 10;
  private static final int OPERATIONS = 2_000_000;
  private static final double SECOND = 1e9;

  private WatchedChild() {}

  /**
   * Runs once.
   *
   * @param args configuration, directory, seconds, whether to be watched
   * @throws Exception if the configuration is broken or the watcher fails
   */
  public static void main(String[] args) throws Exception {
    Path directory = Path.of(args[1]);
    int seconds = Integer.parseInt(args[2]);
    boolean watched = Boolean.parseBoolean(args[3]);
    LoggerContext context = Configurations.load(args[0], directory);
    SteadyLoad load = new SteadyLoad(context);
    Histogram calls;
    ContendedWork work = new ContendedWork();
    try (Watcher watcher = watched ? Watcher.ofThisJvm(directory.resolve("watch")) : null) {
      load.run(WARM_UP_SECONDS);
      double[] before = cpuSeconds(watcher);
      calls = load.run(seconds);
      double[] after = cpuSeconds(watcher);
      work.perSecond(OPERATIONS / 4); // warm-up
      System.out.printf("operationsPerSecond=%.0f%n", work.perSecond(OPERATIONS));
      System.out.printf("cpuPercent=%.3f%n", 100 * (after[0] - before[0]) / seconds);
      System.out.printf("watcherCpuPercent=%.3f%n", 100 * (after[1] - before[1]) / seconds);
    }
    context.stop();
    System.out.printf(
        "p50=%d p99=%d p99.9=%d%n",
        calls.getValueAtPercentile(50),
        calls.getValueAtPercentile(99),
        calls.getValueAtPercentile(99.9));
  }

  /** Of this JVM, and of its watcher. */
  private static double[] cpuSeconds(Watcher watcher) {
    Duration own = ProcessHandle.current().info().totalCpuDuration().orElseThrow();
    Duration other = watcher == null ? Duration.ZERO : watcher.cpu();
    return new double[] {own.toNanos() / SECOND, other.toNanos() / SECOND};
  }
}
