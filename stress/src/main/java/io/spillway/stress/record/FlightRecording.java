package io.spillway.stress.record;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import jdk.jfr.Recording;

/** Records every wait of every thread, however short, with its stack. */
public final class FlightRecording implements AutoCloseable {

  private final Recording recording = new Recording();

  /** Starts recording into a file that is complete once this is closed. */
  public FlightRecording(Path file) throws IOException {
    for (String wait : WaitEvents.WAITS) {
      recording.enable(wait).withThreshold(Duration.ZERO).withStackTrace();
    }
    recording.enable(WaitEvents.COLLECTION).withoutStackTrace();
    recording.enable(WaitEvents.SAFEPOINT).withThreshold(Duration.ZERO).withoutStackTrace();
    recording.enable(WaitEvents.DATA_LOSS);
    recording.setToDisk(true);
    recording.setDestination(file);
    recording.start();
  }

  @Override
  public void close() {
    recording.stop();
    recording.close();
  }
}
