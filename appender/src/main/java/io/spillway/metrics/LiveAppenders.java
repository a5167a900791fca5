package io.spillway.metrics;

import ch.qos.logback.core.Context;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The Spillway appenders that are started now, whatever they are attached to or nested in, so that
 * a monitoring library can follow them through reconfigurations. Thread-safe; appenders come and go
 * under its lock. Publishers do not touch it, except where a {@code SiftingAppender} creates a
 * Spillway appender within the log call that needs it.
 */
public final class LiveAppenders {
  private static final Map<SpillwayMetrics, Live> LIVE = new LinkedHashMap<>();
  private static final List<Subscription> SUBSCRIPTIONS = new ArrayList<>();

  private record Live(Context context, String appender) {}

  private record Subscription(Context context, Listener listener) {}

  /** Told of the appenders of one logger context. */
  public interface Listener {
    /**
     * An appender has started, or was running already.
     *
     * @param appender its name
     * @param metrics its figures, another object after each start
     */
    void started(String appender, SpillwayMetrics metrics);

    /**
     * It has stopped.
     *
     * @param metrics as at its start
     */
    void stopped(SpillwayMetrics metrics);
  }

  private LiveAppenders() {}

  /**
   * Follows the appenders of a context, beginning with those that are there.
   *
   * @param context the logger context
   * @param listener called under the lock, so it must not log; what it throws is reported as an
   *     appender's warning
   */
  public static void follow(Context context, Listener listener) {
    synchronized (LIVE) {
      SUBSCRIPTIONS.add(new Subscription(context, listener));
      LIVE.forEach(
          (metrics, live) -> {
            if (live.context == context) {
              listener.started(live.appender, metrics);
            }
          });
    }
  }

  /**
   * Ends that.
   *
   * @param listener as it was passed
   */
  public static void unfollow(Listener listener) {
    synchronized (LIVE) {
      SUBSCRIPTIONS.removeIf(subscription -> subscription.listener == listener);
    }
  }

  /**
   * An appender starts.
   *
   * @param context its context, or null
   * @param appender its name
   * @param metrics its figures
   * @param warnings told if a listener fails
   */
  public static void add(
      Context context, String appender, SpillwayMetrics metrics, Consumer<String> warnings) {
    synchronized (LIVE) {
      Live live = new Live(context, appender);
      LIVE.put(metrics, live);
      tell(live, metrics, true, warnings);
    }
  }

  /**
   * An appender has stopped.
   *
   * @param metrics its figures
   * @param warnings told if a listener fails
   */
  public static void remove(SpillwayMetrics metrics, Consumer<String> warnings) {
    synchronized (LIVE) {
      Live live = LIVE.remove(metrics);
      if (live != null) {
        tell(live, metrics, false, warnings);
      }
    }
  }

  private static void tell(
      Live live, SpillwayMetrics metrics, boolean started, Consumer<String> warnings) {
    for (Subscription subscription : List.copyOf(SUBSCRIPTIONS)) {
      if (subscription.context == live.context) {
        try {
          if (started) {
            subscription.listener.started(live.appender, metrics);
          } else {
            subscription.listener.stopped(metrics);
          }
        } catch (Throwable e) { // of foreign code: the appender starts and stops all the same
          warnings.accept("A listener to this appender's start and stop failed: " + e);
        }
      }
    }
  }
}
