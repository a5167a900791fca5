package io.spillway.stress.calibrate;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * A thread that holds a monitor for a requested time while the requesting thread enters it. It
 * serves one caller at a time: among several that contend, one may get the monitor by spinning,
 * which is no wait.
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
   * Enters the monitor, which the holder thread keeps until the caller has been blocked for the
   * given time.
   *
   * @return how long the caller was blocked, in nanoseconds, or 0 if another caller is being served
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
      Thread.yield(); // a yield is recorded as no wait
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
