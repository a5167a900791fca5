package io.spillway.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

/** The JVM's compressing thread, which goes on for a moment after the last policy has stopped. */
public final class Compressor {
  private static final String NAME = "spillway-compressor";
  private static final long PATIENCE_MILLIS = 60_000;

  private Compressor() {}

  private static List<Thread> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals(NAME))
        .toList();
  }

  /** Whether there is something to archive, or somebody who may have. */
  public static boolean isAlive() {
    return !threads().isEmpty();
  }

  /** Waits until it has ended, so that its files may be removed. */
  public static void awaitEnd() {
    for (Thread thread : threads()) {
      try {
        thread.join(PATIENCE_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      assertThat(thread.isAlive()).as("the compressor is still at work").isFalse();
    }
  }
}
