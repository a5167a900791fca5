package io.spillway.rolling;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.rolling.TriggeringPolicyBase;
import java.io.File;

/** Triggers once when told to. */
final class OnDemand extends TriggeringPolicyBase<ILoggingEvent> {
  private volatile boolean due;

  /** The next event rolls over. */
  void roll() {
    due = true;
  }

  @Override
  public boolean isTriggeringEvent(File activeFile, ILoggingEvent event) {
    boolean roll = due;
    due = false;
    return roll;
  }
}
