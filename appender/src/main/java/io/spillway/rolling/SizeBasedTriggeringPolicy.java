package io.spillway.rolling;

import ch.qos.logback.core.rolling.TriggeringPolicyBase;
import ch.qos.logback.core.status.Status;
import ch.qos.logback.core.util.Duration;
import ch.qos.logback.core.util.FileSize;
import io.spillway.internal.metrics.Environment;
import io.spillway.internal.metrics.Reports;
import java.io.File;

/**
 * Triggers a rollover when the active file has its size. Drop-in for {@code
 * ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy}, but exact: Logback looks at the file once
 * a minute by default, so that it grows by what a minute writes. No file grows by more than the
 * event that reaches the size, or the batch (64 KB at most) in a {@code
 * SpillwayRollingFileAppender}; what a stock appender without {@code immediateFlush} still buffers
 * is no part of the file yet. Works with any rolling policy.
 *
 * @param <E> the type of event
 */
public class SizeBasedTriggeringPolicy<E> extends TriggeringPolicyBase<E> {
  private final SizeWatch size = new SizeWatch();
  private final RetryPause pause = new RetryPause();
  private String maxFileSize = "10MB"; // as Logback's
  private long maxBytes;
  private RetryPause.Attempt attempt; // guarded by this

  /** A policy without settings; Logback sets them, then calls {@link #start()}. */
  public SizeBasedTriggeringPolicy() {}

  @Override
  public void addStatus(Status status) {
    Reports.atOnce(this, () -> super.addStatus(status));
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
    if (!isDue(activeFile) || pause.isOn()) {
      return false;
    }
    attempt = RetryPause.Attempt.on(activeFile);
    size.reset();
    triggered();
    return true;
  }

  boolean isDue(File activeFile) {
    return size.hasReached(maxBytes, activeFile);
  }

  /** A failed rollover is due again, a second later. */
  private void settle(File activeFile) {
    if (attempt.hasFailed(activeFile)) {
      pause.failed();
    } else {
      pause.succeeded();
      rolledOver();
    }
    attempt = null;
  }

  /** A rollover is asked for. */
  void triggered() {}

  /** It has worked, which shows with the next event only. */
  void rolledOver() {}
}
