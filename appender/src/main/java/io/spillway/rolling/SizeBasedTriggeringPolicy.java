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
 * Triggers a rollover when the active file reaches {@code maxFileSize}. Drop-in replacement for
 * {@code ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy}, but exact: Logback checks the file
 * once a minute by default, so that the file exceeds its size by what is written in a minute. Here
 * no file exceeds the size by more than the event that reaches it or, in a {@code
 * SpillwayRollingFileAppender}, the batch (64 KB and one event at most). Bytes that a stock
 * appender without {@code immediateFlush} still buffers do not count. Works with any rolling
 * policy.
 *
 * @param <E> the type of event
 */
public class SizeBasedTriggeringPolicy<E> extends TriggeringPolicyBase<E> {
  private static final long RETRY_NANOS = 1_000_000_000L;

  private final Reports reports = new Reports(this);
  private final SizeWatch size = new SizeWatch();
  private String maxFileSize = "10MB"; // as Logback's
  private long maxBytes;
  private Attempt attempt; // guarded by this, null if none is open
  private long retryAtNanos = System.nanoTime(); // guarded by this; set after a failed rollover

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
   * Sets the size at which a file is rolled over.
   *
   * @param size a size such as {@code 1GB}, default {@code 10MB}; a wrong value is reported as an
   *     error, and the policy does not start
   */
  public void setMaxFileSize(String size) {
    maxFileSize = size;
  }

  /**
   * Has no effect, because the size is known at each event; for configurations that set it.
   *
   * @param duration how often Logback checks the file; ignored
   */
  public void setCheckIncrement(String duration) {
    addInfo("Setting [checkIncrement] has no effect, sizes are exact.");
  }

  /**
   * Sets {@code maxFileSize} from Java.
   *
   * @param size the size at which a file is rolled over
   * @return this policy; Logback's configurator ignores setters that return a value
   */
  public SizeBasedTriggeringPolicy<E> setMaxFileSize(FileSize size) {
    setMaxFileSize(Refusals.text(size));
    return this;
  }

  /**
   * Returns the size at which a file is rolled over.
   *
   * @return the size as set, or the default if the value set is no size
   */
  public FileSize getMaxFileSize() {
    return Refusals.readSize(maxFileSize, FileSize.valueOf("10MB"));
  }

  /**
   * Has no effect, like {@link #setCheckIncrement(String)}.
   *
   * @param duration how often Logback checks the file; ignored
   * @return this policy; Logback's configurator ignores setters that return a value
   */
  public SizeBasedTriggeringPolicy<E> setCheckIncrement(Duration duration) {
    setCheckIncrement(String.valueOf(duration));
    return this;
  }

  /**
   * Returns how often Logback checks the file; has no meaning here.
   *
   * @return null, because sizes are exact
   */
  public Duration getCheckIncrement() {
    return null;
  }

  /** Checks the settings; starts unless one is refused. */
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

  /** Returns whether the file is to be rolled over; false for a second after a failed rollover. */
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

  /** Checks whether the last rollover has worked; a failed one is due again a second later. */
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

  /** Called when a rollover is triggered. */
  void triggered() {}

  /** Called at the next event if a rollover has worked; {@code activeFile} is the file after it. */
  void rolledOver(BasicFileAttributes activeFile) {}

  /**
   * Tells when a file reaches a size, without a check of the file at each event: no program writes
   * faster than memory (taken as 16 bytes a nanosecond), so that after each check the file stays
   * shorter for a time that is known. The length is read from the file, because Logback has a
   * length counter only since 1.5.8. Used by one thread at a time.
   */
  static final class SizeWatch {
    private static final long MOST_BYTES_PER_NANO = 16;

    private File watched; // null: the next call checks the file
    private long nextLookNanos;

    SizeWatch() {}

    /** Returns whether the file has that many bytes. */
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

    /** Makes the next call check the file at once, because another file may have its name. */
    void reset() {
      watched = null;
    }
  }

  /**
   * A rollover that a triggering policy has triggered. Logback does not report to that policy
   * whether a rollover worked, so the file is checked: if the same file is there and is not
   * shorter, the rollover failed. A new file may have the file key of the rolled one, if that one
   * is archived and deleted already; a new file of the same length has another modification time.
   * Not thread-safe.
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

    /** Records the active file before a rollover. */
    static Attempt on(File active) {
      try {
        return new Attempt(attributes(active));
      } catch (IOException e) {
        return new Attempt(null); // failed if a file that is not empty is there afterwards
      }
    }

    /** Returns whether the rollover failed, by the attributes of the active file after it. */
    boolean hasFailed(BasicFileAttributes now) {
      return now != null
          && (now.size() > bytes || now.size() == bytes && now.lastModifiedTime().equals(modified))
          && (fileKey == null || fileKey.equals(now.fileKey()));
    }

    /** Returns the file key, which tells files of one name apart; null if there is none. */
    static Object keyOf(BasicFileAttributes file) {
      return file == null ? null : file.fileKey();
    }

    /** Returns the file's attributes, null if it does not exist; throws if the disk fails. */
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
