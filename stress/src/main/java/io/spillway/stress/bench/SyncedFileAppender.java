package io.spillway.stress.bench;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.recovery.ResilientFileOutputStream;
import java.io.IOException;

/**
 * Writes an event and forces it to the disk within the log call. It does so either while it holds
 * the appender's lock, as an appender does whose stream forces each write, or without the lock, so
 * that the file system may combine the forces of several callers in one journal commit.
 */
public final class SyncedFileAppender extends FileAppender<ILoggingEvent> {
  /** Created by Logback. */
  public SyncedFileAppender() {}

  private boolean locked;

  /** Sets whether the file is forced while the lock is held. Default: {@code false}. */
  public void setLocked(boolean locked) {
    this.locked = locked;
  }

  @Override
  protected void append(ILoggingEvent event) {
    if (locked) {
      streamWriteLock.lock();
      try {
        write(event);
      } finally {
        streamWriteLock.unlock();
      }
    } else {
      write(event);
    }
  }

  private void write(ILoggingEvent event) {
    super.append(event);
    try {
      ((ResilientFileOutputStream) getOutputStream()).getChannel().force(false);
    } catch (IOException e) {
      addError("Cannot force the file to the disk.", e);
    }
  }
}
