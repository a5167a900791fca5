package io.spillway.internal.metrics;

import java.security.AccessController;
import java.security.PrivilegedAction;
import java.util.concurrent.locks.LockSupport;

/**
 * A daemon thread that inherits nothing from the thread that starts it: neither its thread locals
 * nor its class loader, which would keep an application's classes alive.
 */
public class DetachedThread extends Thread {
  /** Calls the constructor. A record, since a lambda would spin a class at the start. */
  private record Making(Runnable work, String name) implements PrivilegedAction<Thread> {
    @Override
    public Thread run() {
      return new DetachedThread(work, name);
    }
  }

  /**
   * Creates a thread that is not started.
   *
   * @param work run by the thread, or null if a subclass overrides {@code run()}
   * @param name of the thread
   */
  public DetachedThread(Runnable work, String name) {
    super(null, work, name, 0, false);
    setDaemon(true);
    setContextClassLoader(null);
  }

  /**
   * Creates a thread that may outlive the appender for which it is started. Does not start it.
   *
   * @param work run by the thread
   * @param name of the thread
   * @return a new thread
   */
  public static Thread of(Runnable work, String name) {
    return inheritsCallerContext() ? made(new Making(work, name)) : new DetachedThread(work, name);
  }

  /**
   * Returns whether a thread keeps the class loaders of all callers of its constructor alive, up to
   * a privileged call.
   *
   * @return true until Java 23
   */
  public static boolean inheritsCallerContext() {
    return Runtime.version().feature() < 24;
  }

  /**
   * Creates a thread in a privileged call, for versions of Java where {@link
   * #inheritsCallerContext} is true.
   *
   * @param <T> the type of thread
   * @param making calls the constructor
   * @return the thread that was created
   */
  @SuppressWarnings("removal")
  public static <T extends Thread> T made(PrivilegedAction<T> making) {
    return AccessController.doPrivileged(making);
  }

  /**
   * Parks for a time, regardless of interrupts, and keeps the interrupt flag. Each interrupt makes
   * the next park return at once although the flag is cleared, so the remaining time is parked
   * again.
   *
   * @param blocker shown in a thread dump
   * @param nanos how long to park
   */
  public static void pause(Object blocker, long nanos) {
    boolean interrupted = false;
    long deadline = System.nanoTime() + nanos;
    try {
      for (long left = nanos; left > 0; left = deadline - System.nanoTime()) {
        interrupted |= Thread.interrupted();
        LockSupport.parkNanos(blocker, left);
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
