package io.spillway.dropwizard;

import ch.qos.logback.core.rolling.RollingPolicyBase;
import ch.qos.logback.core.rolling.TriggeringPolicy;
import java.io.File;

/** Never rolls over, so that one file grows: Dropwizard's {@code archive: false}. */
final class NoRollover<E> extends RollingPolicyBase implements TriggeringPolicy<E> {
  @Override
  public boolean isTriggeringEvent(File activeFile, E event) {
    return false;
  }

  @Override
  public void rollover() {
    // a rollover requested from the appender reopens the same file
  }

  @Override
  public String getActiveFileName() {
    return getParentsRawFileProperty();
  }
}
