package io.spillway.stress.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.slf4j.Logger;

/** Measures the log call of one producer at a steady rate, for every configuration. */
final class LatencyBench {

  private final BenchJvm jvm;
  private final int repeat;

  LatencyBench(BenchJvm jvm, int repeat) {
    this.jvm = jvm;
    this.repeat = repeat;
  }

  void run() throws IOException, InterruptedException {
    Measurement p50 = new Measurement();
    for (int run = 0; run < repeat; run++) {
      for (String kind : BenchJvm.all()) {
        BenchJvm.Figures figures = jvm.run(Child.class, kind, "5000", "10");
        p50.add(kind + " p50", figures.get("p50"));
        p50.add(kind + " p99.9", figures.get("p999"));
      }
    }
    System.out.println("Log call, 1 producer, 5,000 events/s:");
    System.out.print(p50.table("us", 1e3));
  }

  /**
   * Logs by one producer at a steady rate and prints percentiles of the log call's service time in
   * nanoseconds, as {@code p50=... p99=... p999=...}. Runs in a forked JVM.
   */
  public static final class Child {
    private Child() {}

    /**
     * Runs the measurement once.
     *
     * @param args configuration, directory, events a second, seconds
     * @throws Exception if the configuration is broken
     */
    public static void main(String[] args) throws Exception {
      Configurations.Logging logging = Configurations.open(args[0], Path.of(args[1]));
      Logger logger = logging.logger();
      int rate = Integer.parseInt(args[2]);
      int seconds = Integer.parseInt(args[3]);
      run(logger, rate, Math.max(5, seconds / 2)); // warm-up: compiled as in a running service
      Histogram histogram = run(logger, rate, seconds);
      logging.stop().run();
      BenchJvm.tell(
          "p50=%d p99=%d p999=%d",
          histogram.getValueAtPercentile(50),
          histogram.getValueAtPercentile(99),
          histogram.getValueAtPercentile(99.9));
    }

    private static Histogram run(Logger logger, int rate, int seconds) {
      Histogram histogram = new Histogram(3);
      long interval = 1_000_000_000L / rate;
      long next = System.nanoTime();
      for (int i = 0; i < rate * seconds; i++) {
        next += interval;
        long wait;
        while ((wait = next - System.nanoTime()) > 0) {
          LockSupport.parkNanos(wait);
        }
        long start = System.nanoTime();
        logger.info("order {} accepted, 3 items, customer 4711, payment by card, total 99.90", i);
        histogram.recordValue(System.nanoTime() - start);
      }
      return histogram;
    }
  }
}
