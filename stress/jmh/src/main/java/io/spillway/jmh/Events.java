package io.spillway.jmh;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import java.time.Instant;
import java.util.Map;

/** Events as log calls make them. */
public final class Events {
  /** Number of events in a full batch. */
  public static final int BATCH = 512;

  private static final long FIRST_MILLIS = 1_790_000_000_000L;
  private static final int PER_MILLI = 5; // dates repeat as under load, 5,000 events a second
  private static final int THREADS = 8;

  /** The content of events. */
  public enum Content {
    /** A message with one argument. */
    PLAIN,
    /** A message with one argument, and an MDC of three entries. */
    MDC,
    /** A message with one argument, and an exception with a cause. */
    THROWABLE
  }

  private Events() {}

  /** Returns a full batch of different events, which are prepared for another thread. */
  public static ILoggingEvent[] batch(LoggerContext context, Content content) {
    ILoggingEvent[] events = new ILoggingEvent[BATCH];
    for (int i = 0; i < BATCH; i++) {
      events[i] = event(context, content, i);
      events[i].prepareForDeferredProcessing();
    }
    return events;
  }

  /** Returns a full batch of different events whose messages are not formatted yet. */
  public static ILoggingEvent[] logged(LoggerContext context) {
    ILoggingEvent[] events = new ILoggingEvent[BATCH];
    for (int i = 0; i < BATCH; i++) {
      events[i] = event(context, Content.PLAIN, i);
    }
    return events;
  }

  private static ILoggingEvent event(LoggerContext context, Content content, int number) {
    LoggingEvent event =
        new LoggingEvent(
            Events.class.getName(),
            context.getLogger("io.spillway.jmh.Service"),
            Level.INFO,
            "order {} accepted, 3 items, customer 4711, payment by card, total 99.90",
            content == Content.THROWABLE ? failure(number) : null,
            new Object[] {number});
    event.setThreadName("worker-" + number % THREADS);
    event.setInstant(Instant.ofEpochMilli(FIRST_MILLIS + number / PER_MILLI));
    event.setMDCPropertyMap(
        content == Content.MDC
            ? Map.of("request", "r-" + number, "user", "u-" + number % 100, "tenant", "shop")
            : Map.of());
    return event;
  }

  private static Throwable failure(int number) {
    return new IllegalStateException(
        "order " + number + " refused", new IllegalArgumentException("no such customer"));
  }
}
