package io.spillway.internal.metrics;

import java.security.AccessController;
import java.security.PrivilegedAction;
import java.util.concurrent.locks.LockSupport;

/**
 * A daemon thread that inherits nothing from the thread that starts it, neither its thread locals
 * nor its class loader: they would keep a redeployed application's classes alive.
 */
public final class DetachedThread extends Thread {
  private DetachedThread(Runnable work, String name) {
    super(null, work, name, 0, false);
    setDaemon(true);
    setContextClassLoader(null);
  }

  /** Creates a thread that is not started. */
  @SuppressWarnings("removal") // until Java 23 a thread keeps the loaders of its creator's callers
  public static Thread of(Runnable work, String name) {
    PrivilegedAction<Thread> making = () -> new DetachedThread(work, name);
    return Runtime.version().feature() < 24 ? AccessController.doPrivileged(making) : making.run();
  }

  /** Parks for a time, regardless of interrupts, and keeps the interrupt flag. */
  public static void pause(Object blocker, long nanos) {
    boolean interrupted = false;
    long deadline = System.nanoTime() + nanos;
    for (long left = nanos; left > 0; left = deadline - System.nanoTime()) {
      interrupted |= Thread.interrupted(); // else the next park returns at once
      LockSupport.parkNanos(blocker, left);
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
