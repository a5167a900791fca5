package io.spillway;

import io.spillway.route.Joins;

/**
 * What a stop still has to do on a disk, in a thread of its own: a disk or a network file system
 * that hangs must not keep the JVM from ending. One that is only slow gets the time that it takes.
 */
final class DiskCall extends Thread {
  private static final long PATIENCE_NANOS = 10_000_000_000L;

  private final Runnable action;
  private volatile Throwable failure;

  private DiskCall(String appender, Runnable action) {
    super("spillway-stop-" + appender);
    this.action = action;
    setDaemon(true);
  }

  /**
   * Does it.
   *
   * @return false if the disk has not answered; then it is still being done
   */
  static boolean done(String appender, Runnable action) {
    DiskCall call = new DiskCall(appender, action);
    call.start();
    boolean done = Joins.awake(call, PATIENCE_NANOS);
    if (call.failure instanceof Error error) {
      throw error;
    }
    if (call.failure instanceof RuntimeException exception) {
      throw exception;
    }
    return done;
  }

  @Override
  public void run() {
    try {
      action.run();
    } catch (Throwable t) {
      failure = t; // for whoever waits
    }
  }
}
