package io.spillway.metrics;

import ch.qos.logback.core.Context;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.function.Consumer;

/**
 * The Spillway appenders that are started now, whatever they are attached to or nested in, so that
 * a monitoring library can follow them through reconfigurations. Thread-safe. Publishers do not
 * call this class, except where a {@code SiftingAppender} creates a Spillway appender within the
 * log call that needs it.
 *
 * <p>Listeners are foreign code, which may log or wait for a thread that starts an appender. So
 * they are called without the lock, by one thread at a time, in the order of the starts and stops.
 * While a thread calls listeners, other threads queue their changes for it and do not wait.
 */
public final class LiveAppenders {
  private static final Map<SpillwayMetrics, Live> LIVE = new LinkedHashMap<>(); // also the lock
  private static final Queue<Change> UNTOLD = new ArrayDeque<>();
  private static boolean telling; // a thread calls listeners
  private static List<Subscription> subscriptions = List.of(); // another list after each change

  private record Live(Context context, String appender, Consumer<Throwable> failures) {}

  private record Subscription(Context context, Listener listener) {}

  private record Change(
      List<Subscription> to, Live live, SpillwayMetrics metrics, boolean started) {}

  /** Receives the starts and stops of the appenders of one logger context. */
  public interface Listener {
    /**
     * Called when an appender has started, and for each appender that was started before.
     *
     * @param appender the name of the appender
     * @param metrics the figures of the appender; another object after each start
     */
    void started(String appender, SpillwayMetrics metrics);

    /**
     * Called when an appender has stopped.
     *
     * @param metrics the object that {@link #started} was called with
     */
    void stopped(SpillwayMetrics metrics);
  }

  private LiveAppenders() {}

  /**
   * Calls a listener for the appenders of a context from now on, beginning with those that are
   * started.
   *
   * @param context the logger context
   * @param listener called by one thread at a time; what it throws is reported as a warning of the
   *     appender
   */
  public static void follow(Context context, Listener listener) {
    Subscription subscription = new Subscription(context, listener);
    synchronized (LIVE) {
      List<Subscription> more = new ArrayList<>(subscriptions);
      more.add(subscription);
      subscriptions = more;
      LIVE.forEach(
          (metrics, live) -> {
            if (live.context == context) {
              UNTOLD.add(new Change(List.of(subscription), live, metrics, true));
            }
          });
    }
    tell();
  }

  /**
   * Ends the calls of a listener. A call that another thread has begun may still reach the
   * listener.
   *
   * @param listener the object that was passed to {@link #follow}
   */
  public static void unfollow(Listener listener) {
    synchronized (LIVE) {
      List<Subscription> fewer = new ArrayList<>(subscriptions);
      fewer.removeIf(subscription -> subscription.listener == listener);
      subscriptions = fewer;
    }
  }

  /**
   * Adds an appender. Called by an appender that starts.
   *
   * @param context the logger context of the appender, or null
   * @param appender the name of the appender
   * @param metrics the figures of the appender
   * @param failures receives what a listener throws
   */
  public static void add(
      Context context, String appender, SpillwayMetrics metrics, Consumer<Throwable> failures) {
    synchronized (LIVE) {
      Live live = new Live(context, appender, failures);
      LIVE.put(metrics, live);
      changed(live, metrics, true);
    }
    tell();
  }

  /**
   * Removes an appender. Called by an appender that has stopped.
   *
   * @param metrics the object that was passed to {@link #add}
   */
  public static void remove(SpillwayMetrics metrics) {
    synchronized (LIVE) {
      Live live = LIVE.remove(metrics);
      if (live != null) {
        changed(live, metrics, false);
      }
    }
    tell();
  }

  /** Allocates nothing without listeners: an appender may stop after an OutOfMemoryError. */
  private static void changed(Live live, SpillwayMetrics metrics, boolean started) {
    if (!subscriptions.isEmpty()) {
      UNTOLD.add(new Change(subscriptions, live, metrics, started));
    }
  }

  /** Calls listeners. One that starts an appender itself is called for it after it has returned. */
  private static void tell() {
    synchronized (LIVE) {
      if (telling) {
        return;
      }
      telling = true;
    }
    for (Change next = next(); next != null; next = next()) {
      for (int i = 0; i < next.to.size(); i++) {
        if (next.to.get(i).context == next.live.context) {
          tell(next.to.get(i).listener, next);
        }
      }
    }
  }

  private static Change next() {
    synchronized (LIVE) {
      Change next = UNTOLD.poll();
      telling = next != null;
      return next;
    }
  }

  private static void tell(Listener listener, Change change) {
    try {
      if (change.started) {
        listener.started(change.live.appender, change.metrics);
      } else {
        listener.stopped(change.metrics);
      }
    } catch (Throwable e) { // of foreign code: the appender starts or stops all the same
      failed(change.live, e);
    }
  }

  private static void failed(Live live, Throwable e) {
    try {
      live.failures.accept(e);
    } catch (Throwable noMemory) {
      Thread.onSpinWait(); // to report that; the other listeners are called all the same
    }
  }
}
