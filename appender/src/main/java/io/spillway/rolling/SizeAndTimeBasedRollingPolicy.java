package io.spillway.rolling;

import ch.qos.logback.core.util.FileSize;

/**
 * Rolls over when the period of the date pattern ends, and when the file reaches {@code
 * maxFileSize}. Drop-in replacement for {@code
 * ch.qos.logback.core.rolling.SizeAndTimeBasedRollingPolicy}: the same names, periods and
 * retention.
 *
 * <pre>{@code
 * <rollingPolicy class="io.spillway.rolling.SizeAndTimeBasedRollingPolicy">
 *   <fileNamePattern>logs/app.%d{yyyy-MM-dd}.%i.log.gz</fileNamePattern>
 *   <maxFileSize>1GB</maxFileSize>
 *   <maxHistory>30</maxHistory>
 * </rollingPolicy>
 * }</pre>
 *
 * <p>Sizes are exact: no file exceeds {@code maxFileSize} by more than the event that reaches it
 * or, in a {@code SpillwayRollingFileAppender}, the batch (64 KB and one event at most).
 *
 * @param <E> the type of event
 */
public class SizeAndTimeBasedRollingPolicy<E> extends TimeBasedRollingPolicy<E> {
  private String maxFileSize;

  /** A policy without settings; Logback sets them, then calls {@link #start()}. */
  public SizeAndTimeBasedRollingPolicy() {}

  /**
   * Sets the size at which a file is rolled over.
   *
   * @param size a size such as {@code 1GB}; required, as it has no default
   */
  public void setMaxFileSize(String size) {
    maxFileSize = size;
  }

  /**
   * Sets {@code maxFileSize} from Java.
   *
   * @param size the size at which a file is rolled over; required, as it has no default
   * @return this policy; Logback's configurator ignores setters that return a value
   */
  public SizeAndTimeBasedRollingPolicy<E> setMaxFileSize(FileSize size) {
    setMaxFileSize(Refusals.text(size));
    return this;
  }

  @Override
  String example() {
    return "logs/app.%d{yyyy-MM-dd}.%i.log.gz";
  }

  @Override
  long bytesOfAFile(Refusals refusals) {
    if (maxFileSize == null) {
      refusals.refuse("maxFileSize", null, "a size such as 1GB", "set it");
      return 1;
    }
    return refusals.size("maxFileSize", maxFileSize, 1);
  }
}
