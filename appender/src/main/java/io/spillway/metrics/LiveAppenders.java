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
  private static List<Subscription> subscriptions = List.of(); // another one after each change

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
      List<Subscription> more = new ArrayList<>(subscriptions);
      more.add(new Subscription(context, listener));
      subscriptions = more;
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
      List<Subscription> fewer = new ArrayList<>(subscriptions);
      fewer.removeIf(subscription -> subscription.listener == listener);
      subscriptions = fewer;
    }
  }

  /**
   * An appender starts.
   *
   * @param context its context, or null
   * @param appender its name
   * @param metrics its figures
   * @param failures told what a listener throws
   */
  public static void add(
      Context context, String appender, SpillwayMetrics metrics, Consumer<Throwable> failures) {
    synchronized (LIVE) {
      Live live = new Live(context, appender);
      LIVE.put(metrics, live);
      tell(live, metrics, true, failures);
    }
  }

  /**
   * An appender has stopped.
   *
   * @param metrics its figures
   * @param failures told what a listener throws
   */
  public static void remove(SpillwayMetrics metrics, Consumer<Throwable> failures) {
    synchronized (LIVE) {
      Live live = LIVE.remove(metrics);
      if (live != null) {
        tell(live, metrics, false, failures);
      }
    }
  }

  /** Needs no memory if nobody follows: an appender may stop when there is none. */
  private static void tell(
      Live live, SpillwayMetrics metrics, boolean started, Consumer<Throwable> failures) {
    List<Subscription> now = subscriptions; // a listener may change them
    for (int i = 0; i < now.size(); i++) {
      Subscription subscription = now.get(i);
      if (subscription.context == live.context) {
        try {
          if (started) {
            subscription.listener.started(live.appender, metrics);
          } else {
            subscription.listener.stopped(metrics);
          }
        } catch (Throwable e) { // of foreign code: the appender starts and stops all the same
          failures.accept(e);
        }
      }
    }
  }
}
