package io.spillway.stress.bench;

import ch.qos.logback.classic.LoggerContext;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.metrics.ArchiveMetrics;
import io.spillway.rolling.ArchivingPolicy;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.slf4j.Logger;

/**
 * Logs through a number of rollovers, waits until every archive is whole, and reads everything
 * back. Prints {@code rollovers=... p50=... p99=... max=...} (nanoseconds from trigger to first
 * write), {@code cpu=...} of the process and {@code compressing=...} from the end of the load to
 * the last archive (nanoseconds), {@code publish=...} (of the last archive), {@code archived=...}
 * and {@code archive=...} (bytes before and after), and {@code wrong=...}, lines out of order, lost
 * or torn.
 */
public final class RolloverChild {
  private static final long TICK_NANOS = 1_000_000;
  private static final long PATIENCE_NANOS = 900_000_000_000L;

  private RolloverChild() {}

  /**
   * Runs once.
   *
   * @param args configuration, directory, bytes of a file, rollovers, bytes a second or 0 for as
   *     fast as it goes, whether to read back
   * @throws Exception if the configuration is broken
   */
  public static void main(String[] args) throws Exception {
    Path directory = Path.of(args[1]);
    long limit = Long.parseLong(args[2]);
    LoggerContext context = Configurations.load(args[0], directory, limit);
    SpillwayRollingFileAppender<?> appender =
        (SpillwayRollingFileAppender<?>)
            context.getLogger(Logger.ROOT_LOGGER_NAME).getAppender("FILE");
    ArchivingPolicy policy = (ArchivingPolicy) appender.getRollingPolicy();
    long start = System.nanoTime();
    long sent = load(context, appender, Long.parseLong(args[3]), Double.parseDouble(args[4]));
    if (!appender.awaitDelivered(Duration.ofMinutes(10))) {
      throw new IllegalStateException("Not delivered in ten minutes.");
    }
    long loaded = System.nanoTime();
    while (policy.getArchiveMetrics().backlogFiles() > 0) {
      if (System.nanoTime() - loaded > PATIENCE_NANOS) {
        throw new IllegalStateException("Not archived in fifteen minutes.");
      }
      LockSupport.parkNanos(TICK_NANOS);
    }
    long archived = System.nanoTime();
    long cpu =
        ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class)
            .getProcessCpuTime();
    ArchiveMetrics metrics = policy.getArchiveMetrics();
    context.stop();
    Histogram rollovers = TimedSizePolicy.rollovers();
    long wrong = Boolean.parseBoolean(args[5]) ? NumberedLines.wrong(directory, sent) : 0;
    System.out.printf(
        "rollovers=%d p50=%d p99=%d max=%d load=%d cpu=%d compressing=%d publish=%d archived=%d"
            + " archive=%d wrong=%d%n",
        rollovers.getTotalCount(),
        rollovers.getValueAtPercentile(50),
        rollovers.getValueAtPercentile(99),
        rollovers.getMaxValue(),
        loaded - start,
        cpu,
        archived - loaded,
        metrics.lastArchiveNanos(),
        metrics.archivedBytes(),
        metrics.archiveBytes(),
        wrong);
  }

  /** Logs until so many rollovers are through, and returns how many events that took. */
  private static long load(
      LoggerContext context,
      SpillwayRollingFileAppender<?> appender,
      long rollovers,
      double bytesPerSecond) {
    Logger logger = context.getLogger("io.spillway.stress.bench.Service");
    double perNano = bytesPerSecond / NumberedLines.BYTES / 1e9;
    long start = System.nanoTime();
    long sent = 0;
    while (appender.getMetrics().getRollovers() < rollovers) {
      long due = sent + 1_000;
      if (perNano > 0) {
        LockSupport.parkNanos(TICK_NANOS);
        due = (long) ((System.nanoTime() - start) * perNano);
      }
      while (sent < due) {
        NumberedLines.log(logger, sent++);
      }
    }
    return sent;
  }
}
