package io.spillway.metrics;

import ch.qos.logback.core.Context;
import ch.qos.logback.core.spi.ContextAware;
import ch.qos.logback.core.status.ErrorStatus;
import ch.qos.logback.core.status.OnErrorConsoleStatusListener;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Status messages that cannot flood: at most one a topic in {@value #INTERVAL_SECONDS} seconds, the
 * next one telling how many were left out. Counting happens elsewhere and is never limited.
 * Messages never contain event text, and a status listener that throws is ignored. Thread-safe.
 */
public final class Reports {
  private static final long INTERVAL_SECONDS = 10;
  private static final long INTERVAL_NANOS = INTERVAL_SECONDS * 1_000_000_000L;

  private final ContextAware origin;
  private final Map<String, Topic> topics = new ConcurrentHashMap<>();

  /**
   * Reports through a Logback component.
   *
   * @param origin the appender
   */
  public Reports(ContextAware origin) {
    this.origin = origin;
  }

  /**
   * Tells of something normal, unlimited; for rare events.
   *
   * @param message what happened
   */
  public void info(String message) {
    tell(() -> origin.addInfo(message));
  }

  /**
   * Tells of something normal that may repeat.
   *
   * @param topic messages of one topic share a limit
   * @param message what happened
   */
  public void info(String topic, String message) {
    long leftOut = admit(topic);
    if (leftOut >= 0) {
      tell(() -> origin.addInfo(message + suffix(leftOut)));
    }
  }

  /**
   * Warns.
   *
   * @param topic messages of one topic share a limit
   * @param message what happened and what to do
   */
  public void warn(String topic, String message) {
    long leftOut = admit(topic);
    if (leftOut >= 0) {
      tell(() -> origin.addWarn(message + suffix(leftOut)));
    }
  }

  /**
   * Reports a failure.
   *
   * @param topic messages of one topic share a limit
   * @param message what failed, what it means for events, and what to do
   * @param cause the failure, or null
   */
  public void error(String topic, String message, Throwable cause) {
    long leftOut = admit(topic);
    if (leftOut >= 0) {
      tell(() -> origin.addError(message + suffix(leftOut), cause));
    }
  }

  /**
   * Reports events lost at the end, when nobody may come to look: without a status listener it is
   * printed to standard error as well, as Logback's own {@link OnErrorConsoleStatusListener} does.
   *
   * @param message how many, why, and what to do
   */
  public void loss(String message) {
    tell(() -> origin.addError(message));
    Context context = origin.getContext();
    if (context == null || !context.getStatusManager().getCopyOfStatusListenerList().isEmpty()) {
      return;
    }
    OnErrorConsoleStatusListener console = new OnErrorConsoleStatusListener();
    console.setRetrospective(0); // what came before is not for now
    console.setContext(context);
    console.start();
    tell(() -> console.addStatusEvent(new ErrorStatus(message, origin)));
    console.stop();
  }

  /** Logback lets through what a status listener throws; delivery must not end by it. */
  private static void tell(Runnable status) {
    try {
      status.run();
    } catch (Throwable t) {
      // Nobody is left to tell: the listener was the one to be told.
    }
  }

  private static String suffix(long leftOut) {
    return leftOut == 0 ? "" : " (" + leftOut + " similar messages left out)";
  }

  /** The number of messages left out since the last one, or -1 if this one is to be left out. */
  private long admit(String topic) {
    return topics.computeIfAbsent(topic, t -> new Topic()).admit(System.nanoTime());
  }

  private static final class Topic {
    private long lastNanos;
    private long leftOut;
    private boolean reported;

    synchronized long admit(long now) {
      if (reported && now - lastNanos < INTERVAL_NANOS) {
        leftOut++;
        return -1;
      }
      reported = true;
      lastNanos = now;
      long admitted = leftOut;
      leftOut = 0;
      return admitted;
    }
  }
}
