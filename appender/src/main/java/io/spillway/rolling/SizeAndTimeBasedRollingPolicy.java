package io.spillway.rolling;

import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.rolling.RolloverFailure;
import io.spillway.archive.ArchiveListener;
import java.io.File;

/**
 * Rolls over when the period of the date pattern ends, and when the file reaches {@code
 * maxFileSize}. Drop-in replacement for {@code
 * ch.qos.logback.core.rolling.SizeAndTimeBasedRollingPolicy}, whose settings, names, periods and
 * retention it has; see {@link ArchivingPolicy} for what it adds.
 *
 * @param <E> the type of event
 */
public class SizeAndTimeBasedRollingPolicy<E>
    extends ch.qos.logback.core.rolling.SizeAndTimeBasedRollingPolicy<E>
    implements ArchivingPolicy {
  private final TimedRollover rollover = new TimedRollover(this);

  /** A policy without settings; Logback sets them, then calls {@link #start()}. */
  public SizeAndTimeBasedRollingPolicy() {}

  @Override
  public Archiving archiving() {
    return rollover.archiving;
  }

  /**
   * Sets who is given each archive once it is complete.
   *
   * @param listener default none
   */
  public void setArchiveListener(ArchiveListener listener) {
    rollover.listener = listener;
  }

  @Override
  public void setParent(FileAppender<?> appender) {
    super.setParent(appender);
    rollover.archiving.parent = appender;
  }

  /** Checks the settings as Logback does, and takes over what earlier runs left. */
  @Override
  public void start() {
    rollover.start(super::start, totalSizeCap);
  }

  @Override
  public void stop() {
    rollover.stop();
    super.stop();
  }

  @Override
  public String getActiveFileName() {
    return rollover.activeFileName(super.getActiveFileName());
  }

  /** Returns whether a rollover is due; for a second after it has failed, it is not. */
  @Override
  public boolean isTriggeringEvent(File activeFile, E event) {
    return rollover.isDue()
        ? !rollover.archiving.isPausing()
        : super.isTriggeringEvent(activeFile, event) && rollover.triggered();
  }

  @Override
  public void rollover() throws RolloverFailure {
    rollover.rollover();
  }
}
