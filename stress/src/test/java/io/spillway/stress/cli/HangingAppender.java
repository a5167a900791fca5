package io.spillway.stress.cli;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.FileAppender;
import java.util.concurrent.locks.LockSupport;

/** One whose start never ends, as if it connected to a host that does not answer. */
public final class HangingAppender extends FileAppender<ILoggingEvent> {
  @Override
  public void start() {
    super.start();
    while (true) {
      LockSupport.park(this);
    }
  }
}
