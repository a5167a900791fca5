package io.spillway.stress.bench;

import ch.qos.logback.classic.LoggerContext;
import io.spillway.SpillwayAppender;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;

/**
 * A stuck sink: prints how fast the drainer moves events to disk, how fast they are replayed once
 * the sink goes on, and how fast the same sink takes events that never saw the disk, as {@code
 * spillPerSecond=... replayPerSecond=... directPerSecond=...}.
 */
public final class SpillChild {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final long POLL_NANOS = 100_000;

  private SpillChild() {}

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
    round(logger, appender, events); // warm-up
    double[] spilled = round(logger, appender, events);
    double direct = direct(logger, appender, events);
    context.stop();
    System.out.printf(
        "spillPerSecond=%.0f replayPerSecond=%.0f directPerSecond=%.0f%n",
        spilled[0], spilled[1], direct);
  }

  private static double[] round(Logger logger, SpillwayAppender appender, int events)
      throws InterruptedException {
    StallAppender.stall();
    long before = appender.getMetrics().getSpilled();
    long start = System.nanoTime();
    log(logger, events);
    while (appender.getMetrics().getRingUsed() > 0) {
      LockSupport.parkNanos(POLL_NANOS); // a look at the metrics costs the drainer something
    }
    long spilled = appender.getMetrics().getSpilled() - before;
    double spillPerSecond = perSecond(spilled, start);
    start = System.nanoTime();
    StallAppender.goOn();
    awaitDelivered(appender);
    return new double[] {spillPerSecond, perSecond(events, start)};
  }

  private static double direct(Logger logger, SpillwayAppender appender, int events) {
    long start = System.nanoTime();
    log(logger, events);
    awaitDelivered(appender);
    return perSecond(events, start);
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

  private static double perSecond(long events, long startNanos) {
    return events * 1e9 / (System.nanoTime() - startNanos);
  }
}
