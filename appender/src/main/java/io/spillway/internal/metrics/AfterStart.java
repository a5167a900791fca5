package io.spillway.internal.metrics;

/**
 * What a start leaves for later, so that no first line waits for it. Those who come to look after
 * appenders have started are found: an MBean server, a flight recording. Few processes have them,
 * and to load what they need costs more than all else that a start does. And what appenders need
 * only while they spill and when they end is rehearsed, once in a JVM: it may come when the jar has
 * been overwritten by the next version, or the class loader is closed, and a class that is not
 * loaded by then cannot be had.
 */
public final class AfterStart implements Runnable {
  private static volatile Thread last; // the watchdog writes it
  private static volatile Runnable rehearsal; // of the appender that started last
  private static volatile boolean rehearsed;

  private AfterStart() {}

  /** Initializes it, before memory may be short. */
  static void prepare() {}

  /**
   * An appender starts.
   *
   * @param once uses what is needed late, on nothing that counts; not called if another one was
   */
  public static void rehearse(Runnable once) {
    if (!rehearsed) {
      rehearsal = once;
    }
  }

  /**
   * Takes moments: what there is to do for them is done by a thread of its own, since it loads
   * classes, waits for the recorder, and runs a server's code. By a thread that looks now and then.
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
      Thread.onSpinWait(); // the next look tries again
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
      Thread.onSpinWait(); // a library of another version perhaps: who needs it tells
    }
    rehearsed = true;
    rehearsal = null;
  }
}
