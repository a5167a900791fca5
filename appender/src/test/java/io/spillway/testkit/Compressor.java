package io.spillway.testkit;

import static org.assertj.core.api.Assertions.assertThat;

/** The JVM's compressing thread, which goes on for a moment after the last policy has stopped. */
public final class Compressor {
  private static final String NAME = "spillway-compressor";
  private static final long PATIENCE_MILLIS = 60_000;

  private Compressor() {}

  /** Waits until it has ended, so that its files may be removed. */
  public static void awaitEnd() {
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().equals(NAME)) {
        try {
          thread.join(PATIENCE_MILLIS);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
        assertThat(thread.isAlive()).as("the compressor is still at work").isFalse();
      }
    }
  }
}
