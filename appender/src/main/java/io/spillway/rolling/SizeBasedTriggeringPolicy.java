package io.spillway.rolling;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * Triggers a rollover when the active file reaches {@code maxFileSize}. Drop-in replacement for
 * {@code ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy}, whose settings it has. Logback's
 * looks at the file once a minute; this one looks each time it is asked, which a {@code
 * SpillwayRollingFileAppender} does once a batch, so that no file exceeds the size by more than a
 * batch (64 KB and one event at most). {@code checkIncrement} has no effect.
 *
 * @param <E> the type of event
 */
public class SizeBasedTriggeringPolicy<E>
    extends ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy<E> {
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private Object triggeredKey; // the file that was last found too long, and its length
  private long triggeredBytes;
  private long triggeredNanos;

  /** A policy without settings; Logback sets them, then calls {@link #start()}. */
  public SizeBasedTriggeringPolicy() {}

  /** Returns whether the file is to be rolled over; false for a second after that has failed. */
  @Override
  public boolean isTriggeringEvent(File activeFile, E event) {
    return activeFile.length() >= getMaxFileSize().getSize() && !hasJustFailed(activeFile);
  }

  private boolean hasJustFailed(File activeFile) {
    try {
      BasicFileAttributes file =
          Files.readAttributes(Path.of(activeFile.getPath()), BasicFileAttributes.class);
      long now = System.nanoTime();
      if (file.fileKey() != null
          && Objects.equals(file.fileKey(), triggeredKey)
          && file.size() >= triggeredBytes
          && now - triggeredNanos < RETRY_NANOS) {
        return true;
      }
      triggeredKey = file.fileKey();
      triggeredBytes = file.size();
      triggeredNanos = now;
      return false;
    } catch (IOException gone) {
      return true;
    }
  }
}
