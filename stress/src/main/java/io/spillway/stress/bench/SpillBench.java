package io.spillway.stress.bench;

import ch.qos.logback.classic.LoggerContext;
import io.spillway.SpillwayAppender;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;

/** Compares spilling, replay, and delivery from memory to the same sink. */
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
   * Blocks and releases a sink. Prints how fast the spiller moves events to disk, how fast they are
   * replayed once the sink accepts events again, and how fast the same sink takes events that
   * waited in memory, as {@code spillPerSecond=... replayPerSecond=... directPerSecond=...}.
   */
  public static final class Child {
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final long POLL_NANOS = 100_000;
    private static final int ROUNDS = 3;

    /** Events of one round from memory: half of the ring, down to which events are spilled. */
    private static final int IN_MEMORY = 8_192;

    private Child() {}

    /**
     * Runs the measurement once.
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
      round(logger, appender, events, new double[2]); // warm-up
      direct(logger, appender, events, new double[2]);
      double[] spill = new double[2];
      double[] direct = new double[2];
      long spilled = 0;
      for (int i = 0; i < ROUNDS; i++) {
        spilled += round(logger, appender, events, spill);
        direct(logger, appender, events, direct);
      }
      context.stop();
      BenchJvm.tell(
          "spillPerSecond=%.0f replayPerSecond=%.0f directPerSecond=%.0f",
          spilled / spill[0], ROUNDS * events / spill[1], ROUNDS * events / direct[1]);
    }

    /**
     * Runs one round: logs events to a blocked sink, releases it, and adds the seconds of both
     * phases to {@code seconds}. Returns how many events spilled.
     */
    private static long round(
        Logger logger, SpillwayAppender appender, int events, double[] seconds) {
      StallAppender.stall();
      long before = appender.getMetrics().getSpilled();
      long start = System.nanoTime();
      log(logger, events);
      while (appender.getMetrics().getRingUsed() > IN_MEMORY) {
        LockSupport.parkNanos(POLL_NANOS); // reading the metrics costs the spiller time
      }
      long spilled = appender.getMetrics().getSpilled() - before;
      seconds[0] += secondsSince(start);
      start = System.nanoTime();
      StallAppender.goOn();
      awaitDelivered(appender);
      seconds[1] += secondsSince(start);
      return spilled;
    }

    /** Delivers the given number of events in rounds so small that none of them spills. */
    private static void direct(
        Logger logger, SpillwayAppender appender, int events, double[] seconds) {
      for (int done = 0; done < events; done += IN_MEMORY) {
        if (round(logger, appender, IN_MEMORY, seconds) > 0) {
          throw new IllegalStateException("Spilled: " + IN_MEMORY + " events were too many.");
        }
      }
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
