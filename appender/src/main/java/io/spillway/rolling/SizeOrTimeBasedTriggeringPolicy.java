package io.spillway.rolling;

import ch.qos.logback.core.FileAppender;
import java.io.File;
import java.io.IOException;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Triggers a rollover when the active file reaches {@code maxFileSize} or a period ends, whichever
 * comes first. For fixed windows, which have no periods otherwise.
 *
 * <pre>{@code
 * <triggeringPolicy class="io.spillway.rolling.SizeOrTimeBasedTriggeringPolicy">
 *   <maxFileSize>1GB</maxFileSize>
 *   <datePattern>yyyy-MM-dd</datePattern>
 * </triggeringPolicy>
 * }</pre>
 *
 * @param <E> the type of event
 */
public class SizeOrTimeBasedTriggeringPolicy<E> extends SizeBasedTriggeringPolicy<E> {
  LongSupplier clock = System::currentTimeMillis;
  private FileAppender<?> parent;
  private String datePattern = "yyyy-MM-dd";
  private final Function<Instant, String> names = this::name;
  private Periods.Watch watch;
  private Object watchedKey; // of the file that the watch began with
  private long triggeredMillis;

  /** A policy without settings; Logback sets them, then calls {@link #start()}. */
  public SizeOrTimeBasedTriggeringPolicy() {}

  /**
   * Sets the date pattern. A file is rolled over when the text that the pattern prints changes:
   * with {@code yyyy-MM-dd} at midnight, with {@code yyyy-MM-dd_HH} at each full hour, in the time
   * zone of the system.
   *
   * @param pattern a pattern as in {@code %d} of a {@code fileNamePattern}, default {@code
   *     yyyy-MM-dd}; a wrong value is reported as an error, and the policy does not start
   */
  public void setDatePattern(String pattern) {
    datePattern = pattern;
  }

  /**
   * Sets the appender that uses this policy; Logback's configurator calls this method. From Java,
   * call it before {@link #start()} if the encoder writes a header: the header is written before
   * the first event, and makes a file of an earlier period look like one of the current period.
   *
   * @param appender the appender, whose {@code <file>} is set
   */
  public void setParent(FileAppender<?> appender) {
    parent = appender;
  }

  /** Starts, and reads the period of an earlier run's file before the appender opens that file. */
  @Override
  public synchronized void start() {
    super.start();
    String file = parent == null ? null : parent.rawFileProperty();
    if (isStarted() && file != null && new File(file).length() > 0) {
      watches(new File(file));
    }
  }

  @Override
  void check(Refusals refusals) {
    super.check(refusals);
    try {
      periods();
      formatter();
    } catch (IllegalArgumentException | NullPointerException e) {
      refusals.refuse(
          "datePattern",
          datePattern,
          "patterns that change every month or more often and never repeat, and here is "
              + e.getMessage(),
          "correct it, for example yyyy-MM-dd");
    }
    watch = null;
  }

  private Periods periods() {
    return new Periods(datePattern, null);
  }

  private DateTimeFormatter formatter() {
    return DateTimeFormatter.ofPattern(datePattern, Locale.getDefault())
        .withZone(ZoneId.systemDefault());
  }

  @Override
  boolean isDue(File activeFile) {
    return watches(activeFile) && (isOver(activeFile) || super.isDue(activeFile));
  }

  /** Begins the watch if there is none; returns false if the file's period cannot be read now. */
  private boolean watches(File activeFile) {
    if (watch == null) {
      Periods.Watch begun = new Periods.Watch(periods(), names);
      try {
        begin(begun, Attempt.attributes(activeFile));
        watch = begun;
      } catch (IOException e) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns whether the period of the file is over. If the file is not the one that the watch began
   * with, the application may have begun it in a later period, so the watch begins anew.
   */
  private boolean isOver(File activeFile) {
    if (!watch.isOver(clock.getAsLong())) {
      return false;
    }
    try {
      BasicFileAttributes now = Attempt.attributes(activeFile);
      if (!Objects.equals(Attempt.keyOf(now), watchedKey)) {
        begin(watch, now);
      }
      return watch.isOver(clock.getAsLong());
    } catch (IOException e) {
      return false; // the file could not be renamed either
    }
  }

  private void begin(Periods.Watch begun, BasicFileAttributes file) {
    long now = clock.getAsLong();
    begun.begin(file == null || file.size() == 0 ? now : file.lastModifiedTime().toMillis(), now);
    watchedKey = Attempt.keyOf(file);
  }

  private String name(Instant date) {
    return formatter().format(date);
  }

  @Override
  void triggered() {
    triggeredMillis = clock.getAsLong();
  }

  /** Assigns the new file to the period in which it was begun, which may be over already. */
  @Override
  void rolledOver(BasicFileAttributes activeFile) {
    watch.begin(watch.at(triggeredMillis));
    watchedKey = Attempt.keyOf(activeFile);
  }
}
