package io.spillway.internal.metrics;

import java.security.AccessController;
import java.security.PrivilegedAction;
import java.util.concurrent.locks.LockSupport;

/**
 * A daemon that takes over nothing of the thread that happens to start it: neither its locals nor
 * its class loader, which would keep an application's classes alive.
 */
public class DetachedThread extends Thread {
  /** No lambda, which would spin a class at start. */
  private record Making(Runnable work, String name) implements PrivilegedAction<Thread> {
    @Override
    public Thread run() {
      return new DetachedThread(work, name);
    }
  }

  /**
   * Not started.
   *
   * @param work what it runs, or null if a subclass does it
   * @param name of the thread
   */
  public DetachedThread(Runnable work, String name) {
    super(null, work, name, 0, false);
    setDaemon(true);
    setContextClassLoader(null);
  }

  /**
   * One that may outlive the appender for which it is started. Not started.
   *
   * @param work what it runs
   * @param name of the thread
   * @return a new one
   */
  public static Thread of(Runnable work, String name) {
    return isHeir() ? made(new Making(work, name)) : new DetachedThread(work, name);
  }

  /**
   * Whether a thread holds on to the class loaders of all that have called its constructor, down to
   * a privileged one.
   *
   * @return true until Java 23
   */
  public static boolean isHeir() {
    return Runtime.version().feature() < 24;
  }

  /**
   * Makes one where {@link #isHeir}, without what it would inherit.
   *
   * @param <T> the type of thread
   * @param making calls the constructor
   * @return what it has made
   */
  @SuppressWarnings("removal")
  public static <T extends Thread> T made(PrivilegedAction<T> making) {
    return AccessController.doPrivileged(making);
  }

  /**
   * Parks for a while, whatever interrupts come. Each makes the next park return at once, though
   * its flag is cleared.
   *
   * @param blocker for a thread dump
   * @param nanos how long
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
