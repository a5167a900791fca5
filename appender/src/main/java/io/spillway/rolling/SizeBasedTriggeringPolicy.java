package io.spillway.rolling;

import ch.qos.logback.core.rolling.TriggeringPolicyBase;
import ch.qos.logback.core.status.Status;
import ch.qos.logback.core.util.Duration;
import ch.qos.logback.core.util.FileSize;
import io.spillway.internal.disk.FilePaths;
import io.spillway.internal.disk.StorageFailures;
import io.spillway.internal.metrics.Environment;
import io.spillway.internal.metrics.Reports;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;

/**
 * Triggers a rollover when the active file has its size. Drop-in for {@code
 * ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy}, but exact: Logback looks at the file once
 * a minute by default, so that it grows by what a minute writes. No file grows by more than the
 * event that reaches the size, or the batch (64 KB and one event at most) in a {@code
 * SpillwayRollingFileAppender}; what a stock appender without {@code immediateFlush} still buffers
 * is no part of the file yet. Works with any rolling policy.
 *
 * @param <E> the type of event
 */
public class SizeBasedTriggeringPolicy<E> extends TriggeringPolicyBase<E> {
  private static final long RETRY_NANOS = 1_000_000_000L;

  private final Reports reports = new Reports(this);
  private final SizeWatch size = new SizeWatch();
  private String maxFileSize = "10MB"; // as Logback's
  private long maxBytes;
  private Attempt attempt; // guarded by this, as the next
  private long retryAtNanos = System.nanoTime(); // after a rollover that failed

  /** A policy without settings; Logback sets them, then calls {@link #start()}. */
  public SizeBasedTriggeringPolicy() {}

  @Override
  public void addStatus(Status status) {
    try {
      super.addStatus(status);
    } catch (Throwable ofListener) {
      Reports.leftOut(this);
    }
  }

  /**
   * The size that ends a file.
   *
   * @param size such as {@code 1GB}, default {@code 10MB}
   */
  public void setMaxFileSize(String size) {
    maxFileSize = size;
  }

  /**
   * Has no effect: the size is known at each event. Here for configurations that set it.
   *
   * @param duration how seldom Logback looks at the file
   */
  public void setCheckIncrement(String duration) {
    addInfo("Setting [checkIncrement] has no effect, sizes are exact.");
  }

  /**
   * The same in Java.
   *
   * @param size that ends a file
   * @return this, since Logback's configurator takes only setters that return nothing
   */
  public SizeBasedTriggeringPolicy<E> setMaxFileSize(FileSize size) {
    setMaxFileSize(Refusals.text(size));
    return this;
  }

  /**
   * The size that ends a file.
   *
   * @return as set, or the default if that is no size
   */
  public FileSize getMaxFileSize() {
    return Refusals.readSize(maxFileSize, FileSize.valueOf("10MB"));
  }

  /**
   * Has no effect either.
   *
   * @param duration how seldom Logback looks at the file
   * @return this, since Logback's configurator takes only setters that return nothing
   */
  public SizeBasedTriggeringPolicy<E> setCheckIncrement(Duration duration) {
    setCheckIncrement(String.valueOf(duration));
    return this;
  }

  /**
   * How seldom Logback looks at the file.
   *
   * @return null, sizes are exact
   */
  public Duration getCheckIncrement() {
    return null;
  }

  /** Checks the settings. */
  @Override
  public synchronized void start() {
    if (!Environment.hasLogbackCore(this)) {
      return;
    }
    Refusals refusals = new Refusals(this);
    check(refusals);
    if (!refusals.any()) {
      size.reset();
      attempt = null;
      super.start();
    }
  }

  void check(Refusals refusals) {
    maxBytes = refusals.size("maxFileSize", maxFileSize, 1);
  }

  /** Whether the file has its size. */
  @Override
  public synchronized boolean isTriggeringEvent(File activeFile, E event) {
    if (!isStarted()) {
      return false;
    }
    if (attempt != null) {
      settle(activeFile);
    }
    if (!isDue(activeFile) || System.nanoTime() - retryAtNanos < 0) {
      return false;
    }
    attempt = Attempt.on(activeFile);
    size.reset();
    triggered();
    return true;
  }

  boolean isDue(File activeFile) {
    return size.hasReached(maxBytes, activeFile);
  }

  /** A failed rollover is due again, a second later. */
  private void settle(File activeFile) {
    retryAtNanos = System.nanoTime() + RETRY_NANOS;
    try {
      BasicFileAttributes now = Attempt.attributes(activeFile);
      if (!attempt.hasFailed(now)) {
        retryAtNanos = System.nanoTime();
        rolledOver(now);
      }
    } catch (IOException e) {
      reports.info("look", "Cannot look whether [" + activeFile + "] was rolled over: " + e);
    }
    attempt = null;
  }

  /** A rollover is asked for. */
  void triggered() {}

  /** It has worked, which shows with the next event only; the file is the one after it. */
  void rolledOver(BasicFileAttributes activeFile) {}

  /**
   * Tells when a file has its size, without a look at it for each event: nobody writes faster than
   * memory, so that the file is shorter for some time after each look. It asks the file instead of
   * Logback's length counter, which Logback has since 1.5.8 only. One thread at a time.
   */
  static final class SizeWatch {
    private static final long MOST_BYTES_PER_NANO = 16;

    private File watched; // null for a look at once
    private long nextLookNanos;

    SizeWatch() {}

    /** Whether the file has that many bytes. */
    boolean hasReached(long bytes, File file) {
      long now = System.nanoTime();
      if (file == watched && now - nextLookNanos < 0) {
        return false;
      }
      long missing = bytes - file.length();
      watched = file;
      nextLookNanos = now + missing / MOST_BYTES_PER_NANO;
      return missing <= 0;
    }

    /** Looks at once when asked next: another file may have the name. */
    void reset() {
      watched = null;
    }
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
      try {
        return new Attempt(attributes(active));
      } catch (IOException e) {
        return new Attempt(null); // so that it has failed if there is a file afterwards
      }
    }

    /** After it. */
    boolean hasFailed(BasicFileAttributes now) {
      return now != null
          && (now.size() > bytes || now.size() == bytes && now.lastModifiedTime().equals(modified))
          && (fileKey == null || fileKey.equals(now.fileKey()));
    }

    /** What tells files of one name apart; null if there is none. */
    static Object keyOf(BasicFileAttributes file) {
      return file == null ? null : file.fileKey();
    }

    /** Null if there is no file; that cannot be told if the disk does not answer. */
    static BasicFileAttributes attributes(File file) throws IOException {
      try {
        return Files.readAttributes(FilePaths.path(file.getPath()), BasicFileAttributes.class);
      } catch (IOException e) {
        if (StorageFailures.isGone(e)) {
          return null;
        }
        throw e;
      }
    }
  }
}
