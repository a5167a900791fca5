package io.spillway.internal.metrics;

/**
 * Finds those who come to look after appenders have started: an MBean server, a flight recording.
 * Few processes have them, and to load what they need costs more than all else that a start does.
 */
public final class Onlookers implements Runnable {
  private static volatile Thread last; // the watchdog writes it

  private Onlookers() {}

  /** Initializes it, before memory may be short. */
  static void prepare() {}

  /**
   * Takes moments: what there is to do for them is done by a thread of its own, since it loads
   * classes, waits for the recorder, and runs a server's code. By a thread that looks now and then.
   */
  public static void look() {
    if ((last == null || !last.isAlive()) && (FlightLog.isWanted() || JmxRegistration.isWanted())) {
      Thread thread = new Thread(null, new Onlookers(), "spillway-onlookers", 0, false);
      thread.setDaemon(true);
      thread.setContextClassLoader(null); // it must not keep an application's classes alive
      thread.start();
      last = thread;
    }
  }

  @Override
  public void run() {
    try {
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
}
