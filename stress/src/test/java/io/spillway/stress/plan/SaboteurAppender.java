package io.spillway.stress.plan;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.rolling.RollingFileAppender;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** One that spoils the flight recording of its trial when it stops. */
public final class SaboteurAppender extends RollingFileAppender<ILoggingEvent> {
  @Override
  public void stop() {
    super.stop();
    for (Path at = Path.of(getFile()).getParent(); at != null; at = at.getParent()) {
      Path recording = at.resolve("trial.jfr");
      if (Files.exists(recording)) {
        spoil(recording);
      }
    }
  }

  private static void spoil(Path recording) {
    try {
      Files.writeString(recording, "not a recording");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
