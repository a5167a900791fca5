package io.spillway.rolling;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * The pause after a failed rollover: one attempt a second, else each event would make one. Written
 * under the lock of whoever rolls over, read by whoever asks; a stale read costs one attempt.
 */
final class RetryPause {
  private static final long PAUSE_NANOS = 1_000_000_000L;

  private volatile boolean pausing;
  private volatile long sinceNanos;

  RetryPause() {}

  /** The pause begins. */
  void failed() {
    sinceNanos = System.nanoTime();
    pausing = true;
  }

  /** No pause is needed. */
  void succeeded() {
    pausing = false;
  }

  /** Whether it is too early for the next attempt. */
  boolean isOn() {
    return pausing && System.nanoTime() - sinceNanos < PAUSE_NANOS;
  }

  /**
   * A rollover that a triggering policy has asked for. Nobody tells it how that ended, so it looks:
   * if the same file is there and no shorter, it failed. Not thread-safe.
   */
  static final class Attempt {
    private final Object fileKey;
    private final long bytes;

    private Attempt(BasicFileAttributes before) {
      fileKey = before == null ? null : before.fileKey();
      bytes = before == null ? 0 : before.size();
    }

    /** Before the rollover. */
    static Attempt on(File active) {
      return new Attempt(attributes(active));
    }

    /** After it. */
    boolean hasFailed(File active) {
      BasicFileAttributes now = attributes(active);
      return now != null
          && now.size() >= bytes
          && (fileKey == null || fileKey.equals(now.fileKey()));
    }

    private static BasicFileAttributes attributes(File file) {
      try {
        return Files.readAttributes(file.toPath(), BasicFileAttributes.class);
      } catch (IOException e) {
        return null; // there is none
      }
    }
  }
}
