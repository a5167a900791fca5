package io.spillway.stress.bench;

import ch.qos.logback.classic.LoggerContext;
import io.spillway.SpillwayAppender;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;

/** Spilling, replay, and the same sink without either. */
final class SpillBench {

  private final BenchJvm jvm;
  private final int repeat;

  SpillBench(BenchJvm jvm, int repeat) {
    this.jvm = jvm;
    this.repeat = repeat;
  }

  void run() throws IOException, InterruptedException {
    Measurement rates = new Measurement();
    for (int run = 0; run < repeat; run++) {
      BenchJvm.Figures figures = jvm.run(Child.class, "spillway-stall", "2000000");
      rates.add("spill", figures.get("spillPerSecond"));
      rates.add("replay", figures.get("replayPerSecond"));
      rates.add("direct", figures.get("directPerSecond"));
    }
    System.out.println("Stuck sink, SpillwayAppender over a buffered RollingFileAppender:");
    System.out.print(rates.table("M events/s", 1e6));
    System.out.print(rates.ratio("replay / direct", "replay", List.of("direct")));
  }

  /**
   * A stuck sink: prints how fast the drainer moves events to disk, how fast they are replayed once
   * the sink goes on, and how fast the same sink takes events that never saw the disk, as {@code
   * spillPerSecond=... replayPerSecond=... directPerSecond=...}.
   */
  public static final class Child {
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final long POLL_NANOS = 100_000;
    private static final int ROUNDS = 3;

    private Child() {}

    /**
     * Runs once.
     *
     * @param args configuration, directory, events
     * @throws Exception if the configuration is broken
     */
    public static void main(String[] args) throws Exception {
      LoggerContext context = Configurations.load(args[0], Path.of(args[1]));
      Logger logger = context.getLogger("io.spillway.stress.bench.Service");
      SpillwayAppender appender =
          (SpillwayAppender) context.getLogger(Logger.ROOT_LOGGER_NAME).getAppender("SPILLWAY");
      int events = Integer.parseInt(args[2]);
      round(logger, appender, events, new double[3]); // warm-up
      double[] seconds = new double[3];
      long spilled = 0;
      for (int i = 0; i < ROUNDS; i++) {
        spilled += round(logger, appender, events, seconds);
        seconds[2] += direct(logger, appender, events);
      }
      context.stop();
      BenchJvm.tell(
          "spillPerSecond=%.0f replayPerSecond=%.0f directPerSecond=%.0f",
          spilled / seconds[0], ROUNDS * events / seconds[1], ROUNDS * events / seconds[2]);
    }

    /** Adds the seconds of spilling and of replay; returns how many were spilled. */
    private static long round(
        Logger logger, SpillwayAppender appender, int events, double[] seconds) {
      StallAppender.stall();
      long before = appender.getMetrics().getSpilled();
      long start = System.nanoTime();
      log(logger, events);
      while (appender.getMetrics().getRingUsed() > 0) {
        LockSupport.parkNanos(POLL_NANOS); // a look at the metrics costs the drainer something
      }
      long spilled = appender.getMetrics().getSpilled() - before;
      seconds[0] += secondsSince(start);
      start = System.nanoTime();
      StallAppender.goOn();
      awaitDelivered(appender);
      seconds[1] += secondsSince(start);
      return spilled;
    }

    private static double direct(Logger logger, SpillwayAppender appender, int events) {
      long start = System.nanoTime();
      log(logger, events);
      awaitDelivered(appender);
      return secondsSince(start);
    }

    private static void awaitDelivered(SpillwayAppender appender) {
      if (!appender.awaitDelivered(PATIENCE)) {
        throw new IllegalStateException("Not delivered within " + PATIENCE + ".");
      }
    }

    private static void log(Logger logger, int events) {
      for (int i = 0; i < events; i++) {
        logger.info("order {} accepted, 3 items, customer 4711, payment by card, total 99.90", i);
      }
    }

    private static double secondsSince(long startNanos) {
      return (System.nanoTime() - startNanos) / 1e9;
    }
  }
}
