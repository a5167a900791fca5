package io.spillway.internal.metrics;

/**
 * A daemon that takes over nothing of the thread that happens to start it: neither its locals nor
 * its class loader, which would keep an application's classes alive.
 */
public class DetachedThread extends Thread {
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
}
