package io.spillway.stress.load;

import java.io.IOException;

/**
 * Ends a forked JVM by {@link Runtime#halt} if its parent goes away: the parent holds the other end
 * of its standard input.
 */
public final class ParentWatch {
  private static final int ORPHANED = 11;

  private ParentWatch() {}

  /** Watches from now on. */
  public static void start() {
    Thread watcher = new Thread(ParentWatch::watch, "parent-watch");
    watcher.setDaemon(true);
    watcher.start();
  }

  private static void watch() {
    try {
      while (System.in.read() >= 0) {
        continue;
      }
    } catch (IOException e) {
      System.err.println("standard input failed: " + e);
    }
    Runtime.getRuntime().halt(ORPHANED);
  }
}
