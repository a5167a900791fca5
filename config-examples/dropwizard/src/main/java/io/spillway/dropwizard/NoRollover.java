package io.spillway.dropwizard;

import ch.qos.logback.core.rolling.RollingPolicyBase;
import ch.qos.logback.core.rolling.TriggeringPolicy;
import java.io.File;

/** Lets one file grow: Dropwizard's {@code archive: false}. */
final class NoRollover<E> extends RollingPolicyBase implements TriggeringPolicy<E> {
  @Override
  public boolean isTriggeringEvent(File activeFile, E event) {
    return false;
  }

  @Override
  public void rollover() {
    // whoever asks the appender for a rollover gets the same file, opened anew
  }

  @Override
  public String getActiveFileName() {
    return getParentsRawFileProperty();
  }
}
