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
 * touch it, except where a {@code SiftingAppender} creates a Spillway appender within the log call
 * that needs it.
 *
 * <p>Listeners are foreign code, which may log or wait for a thread that starts an appender. So
 * they are told without the lock: by one thread at a time, whichever comes first, in the order of
 * the starts and stops. Others leave what they have to tell to that one, and wait for nobody.
 */
public final class LiveAppenders {
  private static final Map<SpillwayMetrics, Live> LIVE = new LinkedHashMap<>(); // the lock
  private static final Queue<Change> UNTOLD = new ArrayDeque<>();
  private static boolean telling; // somebody does
  private static List<Subscription> subscriptions = List.of(); // another one after each change

  private record Live(Context context, String appender, Consumer<Throwable> failures) {}

  private record Subscription(Context context, Listener listener) {}

  private record Change(
      List<Subscription> to, Live live, SpillwayMetrics metrics, boolean started) {}

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
   * @param listener called by one thread at a time; what it throws is reported as an appender's
   *     warning
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
   * Ends that. What another thread tells the listener just now may still reach it.
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
      Live live = new Live(context, appender, failures);
      LIVE.put(metrics, live);
      changed(live, metrics, true);
    }
    tell();
  }

  /**
   * An appender has stopped.
   *
   * @param metrics its figures
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

  /** Needs no memory if nobody follows: an appender may stop when there is none. */
  private static void changed(Live live, SpillwayMetrics metrics, boolean started) {
    if (!subscriptions.isEmpty()) {
      UNTOLD.add(new Change(subscriptions, live, metrics, started));
    }
  }

  /** One that listens and starts an appender itself is told of that when it has returned. */
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
    } catch (Throwable e) { // of foreign code: the appender starts and stops all the same
      failed(change.live, e);
    }
  }

  private static void failed(Live live, Throwable e) {
    try {
      live.failures.accept(e);
    } catch (Throwable noMemory) {
      Thread.onSpinWait(); // to tell that; the others are told all the same
    }
  }
}
