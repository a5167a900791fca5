package io.spillway.stress.calibrate;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * A thread that holds a monitor for a while when it is asked to, so that the thread that asked
 * finds it taken. One at a time: of several that contend for a monitor, one may get it by spinning,
 * and then nobody has waited.
 */
final class MonitorHolder {

  private final Object monitor = new Object();
  private final Thread thread = new Thread(this::serve, "calibration-holder");
  private final AtomicBoolean busy = new AtomicBoolean();
  private volatile Thread caller;
  private volatile long askedNanos;
  private volatile boolean held;

  void start() {
    thread.setDaemon(true);
    thread.start();
  }

  /**
   * Enters the monitor, which the other thread holds until the caller has been blocked for the
   * given time.
   *
   * @return how long that took, or 0 if another caller is at it
   */
  long enter(long nanos) {
    if (!busy.compareAndSet(false, true)) {
      return 0;
    }
    held = false;
    caller = Thread.currentThread();
    askedNanos = nanos;
    LockSupport.unpark(thread);
    while (!held) {
      Thread.yield(); // neither a park nor a monitor: nothing that is counted
    }
    long start = System.nanoTime();
    long took;
    synchronized (monitor) {
      took = System.nanoTime() - start;
    }
    busy.set(false);
    return took;
  }

  private void serve() {
    while (true) {
      while (askedNanos == 0) {
        LockSupport.park(this);
      }
      long nanos = askedNanos;
      askedNanos = 0;
      hold(nanos);
    }
  }

  private void hold(long nanos) {
    synchronized (monitor) {
      held = true;
      while (caller.getState() != Thread.State.BLOCKED) {
        Thread.yield();
      }
      long end = System.nanoTime() + nanos;
      for (long left = nanos; left > 0; left = end - System.nanoTime()) {
        LockSupport.parkNanos(this, left);
      }
    }
  }
}
