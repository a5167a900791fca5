package io.spillway.internal.metrics;

/**
 * Work that a start leaves for later, so that no first log line waits for it. An MBean server and a
 * flight recording are found even if they come after the appenders have started; few processes have
 * them, and loading what they need costs more than all else that a start does. The code that
 * appenders need only while they spill and when they end is rehearsed, once in a JVM: when it is
 * needed, the jar may have been overwritten by the next version, or the class loader closed, and a
 * class that is not loaded by then can no longer be loaded.
 */
public final class AfterStart implements Runnable {
  private static volatile Thread last; // written by the watchdog
  private static volatile Runnable rehearsal; // of the appender that started last
  private static volatile boolean rehearsed;

  private AfterStart() {}

  /** Initializes this class before memory may be short. */
  static void prepare() {}

  /**
   * Sets what an appender that starts wants to rehearse.
   *
   * @param once runs the code that is needed late, on dummy data; not called if another one was
   */
  public static void rehearse(Runnable once) {
    if (!rehearsed) {
      rehearsal = once;
    }
  }

  /**
   * Starts a thread if there is anything to do, and takes moments itself: that thread loads
   * classes, waits for the recorder, and runs a server's code. Called by the watchdog at intervals.
   */
  public static void look() {
    if ((last == null || !last.isAlive())
        && (rehearsal != null || FlightLog.isWanted() || JmxRegistration.isWanted())) {
      Thread thread = DetachedThread.of(new AfterStart(), "spillway-after-start");
      thread.start();
      last = thread;
    }
  }

  @Override
  public void run() {
    try {
      rehearseNow();
      if (FlightLog.isWanted()) {
        FlightLog.use();
      }
      if (JmxRegistration.isWanted()) {
        JmxRegistration.registerAllNow();
      }
    } catch (Throwable noMemory) {
      Thread.onSpinWait(); // the next call of look() tries again
    }
  }

  private static void rehearseNow() {
    Runnable now = rehearsal;
    if (now == null) {
      return;
    }
    try {
      Reports.rehearse();
      PendingAge.rehearse();
      now.run();
    } catch (LinkageError | RuntimeException missing) {
      Thread.onSpinWait(); // perhaps a library of another version, which its caller reports
    }
    rehearsed = true;
    rehearsal = null;
  }
}
