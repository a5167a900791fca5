package io.spillway.stress.bench;

import ch.qos.logback.classic.LoggerContext;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.slf4j.Logger;

/**
 * An appender without traffic: prints the share of a core that its threads take, and how long a
 * lone event needs until it is in the file, as {@code cpuPercent=... controlPercent=... loneP50=...
 * loneMax=...} (nanoseconds).
 */
public final class IdleChild {
  private static final int LONE_EVENTS = 40;
  private static final long LONELY_MILLIS =
      800; // by then the threads sleep as long as they ever do
  private static final long CONTROL_NANOS = 6_000_000; // as often as an idle pipeline wakes

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
      Thread.sleep(LONELY_MILLIS + i); // in no step with their wake-ups
    }
    Thread control = control();
    long controlCpu = cpuNanos(control.getName());
    long workerCpu = cpuNanos("spillway-");
    long start = System.nanoTime();
    Thread.sleep(Integer.parseInt(args[2]) * 1000L);
    double window = System.nanoTime() - start;
    double percent = 100 * (cpuNanos("spillway-") - workerCpu) / window;
    double controlPercent = 100 * (cpuNanos(control.getName()) - controlCpu) / window;
    context.stop();
    System.out.printf(
        "cpuPercent=%.3f controlPercent=%.3f loneP50=%d loneMax=%d%n",
        percent, controlPercent, lone.getValueAtPercentile(50), lone.getMaxValue());
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

  /** What the machine takes for as many wake-ups that find nothing to do at all. */
  private static Thread control() {
    Thread control =
        new Thread(
            () -> {
              while (true) {
                LockSupport.parkNanos(CONTROL_NANOS);
              }
            },
            "control");
    control.setDaemon(true);
    control.start();
    return control;
  }

  private static long cpuNanos(String name) {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long sum = 0;
    for (long id : threads.getAllThreadIds()) {
      ThreadInfo info = threads.getThreadInfo(id);
      if (info != null && info.getThreadName().startsWith(name)) {
        sum += threads.getThreadCpuTime(id);
      }
    }
    return sum;
  }
}
