package io.spillway.stress.bench;

import ch.qos.logback.classic.LoggerContext;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import org.HdrHistogram.Histogram;
import org.slf4j.Logger;

/**
 * Measures the CPU use of an idle appender, and the time from a single call to its line in the
 * file.
 */
final class IdleBench {

  private final BenchJvm jvm;
  private final int repeat;

  IdleBench(BenchJvm jvm, int repeat) {
    this.jvm = jvm;
    this.repeat = repeat;
  }

  void run() throws IOException, InterruptedException {
    Measurement cpu = new Measurement();
    Measurement lone = new Measurement();
    Measurement call = new Measurement();
    for (int run = 0; run < repeat; run++) {
      BenchJvm.Figures figures = jvm.run(Child.class, "spillway-file", "20");
      cpu.add("idle", figures.get("cpuPercent"));
      lone.add("lone event p50", figures.get("loneP50"));
      lone.add("lone event max", figures.get("loneMax"));
      call.add("its log call p50", figures.get("callP50"));
      call.add("its log call max", figures.get("callMax"));
    }
    System.out.println("Idle spillway-file:");
    System.out.print(cpu.table("% of a core", 1));
    System.out.print(lone.table("ms until in the file", 1e6));
    System.out.print(call.table("us", 1e3));
  }

  /**
   * Prints the share of a core that an appender's threads take without traffic, the time until a
   * single event is in the file, from before its log call, and the time of that log call alone, as
   * {@code cpuPercent=... loneP50=... loneMax=... callP50=... callMax=...} (nanoseconds). Runs in a
   * forked JVM.
   */
  public static final class Child {
    private static final int LONE_EVENTS = 40;
    // by then the appender's threads sleep for their longest interval
    private static final long LONELY_MILLIS = 800;

    private Child() {}

    /**
     * Runs the measurement once.
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
      Histogram call = new Histogram(3);
      for (int i = 0; i < LONE_EVENTS; i++) {
        if (i == LONE_EVENTS / 4) { // the first events measure class loading
          lone.reset();
          call.reset();
        }
        loneEvent(logger, file, lone, call);
        // varies, so as not to keep step with the wake-ups of the appender's threads
        Thread.sleep(LONELY_MILLIS + i);
      }
      long before = cpuNanos();
      long start = System.nanoTime();
      Thread.sleep(Integer.parseInt(args[2]) * 1000L);
      double window = System.nanoTime() - start;
      double percent = 100 * (cpuNanos() - before) / window;
      context.stop();
      BenchJvm.tell(
          "cpuPercent=%.3f loneP50=%d loneMax=%d callP50=%d callMax=%d",
          percent,
          lone.getValueAtPercentile(50),
          lone.getMaxValue(),
          call.getValueAtPercentile(50),
          call.getMaxValue());
    }

    private static void loneEvent(Logger logger, Path file, Histogram lone, Histogram call)
        throws Exception {
      long before = Files.size(file);
      long start = System.nanoTime();
      logger.info("a lone event");
      call.recordValue(System.nanoTime() - start);
      while (Files.size(file) == before) {
        Thread.onSpinWait();
      }
      lone.recordValue(System.nanoTime() - start);
    }

    private static long cpuNanos() {
      ThreadMXBean threads = ManagementFactory.getThreadMXBean();
      long sum = 0;
      for (long id : threads.getAllThreadIds()) {
        ThreadInfo info = threads.getThreadInfo(id);
        if (info != null && info.getThreadName().startsWith("spillway-")) {
          sum += threads.getThreadCpuTime(id);
        }
      }
      return sum;
    }
  }
}
