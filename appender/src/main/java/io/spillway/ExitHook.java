package io.spillway;

/**
 * Delivers what is pending when the JVM exits without stopping Logback: {@code System.exit}, the
 * end of {@code main}, SIGTERM. Removed when a stop is over.
 */
final class ExitHook {
  private final Thread thread;

  ExitHook(String appenderName, Runnable atExit) {
    thread = new Thread(atExit, "spillway-exit-" + appenderName);
  }

  /** Returns false if the JVM exits already. */
  boolean register() {
    try {
      Runtime.getRuntime().addShutdownHook(thread);
      return true;
    } catch (IllegalStateException exiting) {
      return false;
    }
  }

  /** Returns false if the JVM exits already: the hook runs and finds the appender stopped. */
  boolean unregister() {
    try {
      return Runtime.getRuntime().removeShutdownHook(thread);
    } catch (IllegalStateException exiting) {
      return false;
    }
  }
}
