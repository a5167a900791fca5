package io.spillway.stress.bench;

import ch.qos.logback.classic.LoggerContext;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import org.HdrHistogram.Histogram;
import org.slf4j.Logger;

/**
 * An appender without traffic: prints the share of a core that its threads take, and how long a
 * lone event needs until it is in the file, as {@code cpuPercent=... loneP50=... loneMax=...}
 * (nanoseconds).
 */
public final class IdleChild {
  private static final int LONE_EVENTS = 200;

  private IdleChild() {}

  /**
   * Runs once.
   *
   * @param args configuration, directory, seconds
   * @throws Exception if the configuration is broken
   */
  public static void main(String[] args) throws Exception {
    Path directory = Path.of(args[1]);
    LoggerContext context = Configurations.load(args[0], directory);
    Logger logger = context.getLogger("io.spillway.stress.bench.Service");
    Path file = directory.resolve("app.log");
    Histogram lone = new Histogram(3);
    for (int i = 0; i < LONE_EVENTS; i++) {
      long nanos = loneEvent(logger, file);
      if (i >= LONE_EVENTS / 4) { // the first ones measure class loading
        lone.recordValue(nanos);
      }
      Thread.sleep(20);
    }
    double percent = idlePercent(Integer.parseInt(args[2]));
    context.stop();
    System.out.printf(
        "cpuPercent=%.3f loneP50=%d loneMax=%d%n",
        percent, lone.getValueAtPercentile(50), lone.getMaxValue());
  }

  private static long loneEvent(Logger logger, Path file) throws Exception {
    long before = Files.size(file);
    long start = System.nanoTime();
    logger.info("a lone event");
    while (Files.size(file) == before) {
      Thread.onSpinWait();
    }
    return System.nanoTime() - start;
  }

  private static double idlePercent(int seconds) throws InterruptedException {
    long cpu = workerCpuNanos();
    long start = System.nanoTime();
    Thread.sleep(seconds * 1000L);
    return 100.0 * (workerCpuNanos() - cpu) / (System.nanoTime() - start);
  }

  private static long workerCpuNanos() {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long sum = 0;
    for (long id : threads.getAllThreadIds()) {
      ThreadInfo info = threads.getThreadInfo(id);
      if (info != null
          && (info.getThreadName().startsWith("spillway-")
              || info.getThreadName().startsWith("AsyncAppender"))) {
        sum += threads.getThreadCpuTime(id);
      }
    }
    return sum;
  }
}
