package io.spillway.rolling;

import io.spillway.internal.disk.FilePaths;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;

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
   * if the same file is there and no shorter, it failed. A new file may have the identity of the
   * one that was rolled over, if that is archived and deleted already; if it is as long, too, it
   * was written since. Not thread-safe.
   */
  static final class Attempt {
    private final Object fileKey;
    private final long bytes;
    private final FileTime modified;

    private Attempt(BasicFileAttributes before) {
      fileKey = before == null ? null : before.fileKey();
      bytes = before == null ? 0 : before.size();
      modified = before == null ? null : before.lastModifiedTime();
    }

    /** Before the rollover. */
    static Attempt on(File active) {
      return new Attempt(attributes(active));
    }

    /** After it. */
    boolean hasFailed(File active) {
      BasicFileAttributes now = attributes(active);
      return now != null
          && (now.size() > bytes || now.size() == bytes && now.lastModifiedTime().equals(modified))
          && (fileKey == null || fileKey.equals(now.fileKey()));
    }

    private static BasicFileAttributes attributes(File file) {
      try {
        return Files.readAttributes(FilePaths.path(file.getPath()), BasicFileAttributes.class);
      } catch (IOException e) {
        return null; // there is none
      }
    }
  }
}
