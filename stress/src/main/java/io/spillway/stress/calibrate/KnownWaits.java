package io.spillway.stress.calibrate;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.helpers.MessageFormatter;

/**
 * Lets the calling thread wait in each of the ways that the flight recorder tells apart, and
 * records the length of each wait. Each way has a separate method, so that frames tell them apart,
 * too. If a wait ends early, its time is recorded and the rest is waited again.
 */
final class KnownWaits {

  private final Injected injected;
  private final MonitorHolder holder = new MonitorHolder();

  KnownWaits(Injected injected) {
    this.injected = injected;
  }

  /** Waits once in every way to load the classes, which would be another wait inside logging. */
  void start() {
    holder.start();
    MessageFormatter.arrayFormat("{}", new Object[] {1}); // what formats an event loads more
    KnownWaits unseen = new KnownWaits(new Injected());
    unseen.holder.start();
    for (Injected.Fault fault : Injected.Fault.values()) {
      unseen.commit(fault, 1);
    }
  }

  /** Waits in the way of the given fault; does nothing if that fault is no wait. */
  void commit(Injected.Fault fault, long nanos) {
    switch (fault) {
      case PARK -> park(nanos);
      case SLEEP -> sleep(nanos);
      case MONITOR_WAIT -> await(nanos);
      case MONITOR_ENTER -> enter(nanos);
      default -> {}
    }
  }

  void park(long nanos) {
    long left = nanos;
    while (left > 0) {
      long start = System.nanoTime();
      LockSupport.parkNanos(this, left);
      left -= ended(Injected.Fault.PARK, start);
    }
  }

  private void sleep(long nanos) {
    long start = System.nanoTime();
    try {
      TimeUnit.NANOSECONDS.sleep(nanos);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    ended(Injected.Fault.SLEEP, start);
  }

  private void await(long nanos) {
    Object own = new Object();
    synchronized (own) {
      long left = nanos;
      while (left > 0) {
        long start = System.nanoTime();
        try {
          own.wait(TimeUnit.NANOSECONDS.toMillis(left) + 1); // 0 would be for ever
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          left = 0;
        }
        left -= ended(Injected.Fault.MONITOR_WAIT, start);
      }
    }
  }

  private void enter(long nanos) {
    long took = holder.enter(nanos);
    if (took > 0) {
      injected.waited(Injected.Fault.MONITOR_ENTER, took);
    }
  }

  private long ended(Injected.Fault kind, long startNanos) {
    long took = System.nanoTime() - startNanos;
    injected.waited(kind, took);
    return took;
  }
}
