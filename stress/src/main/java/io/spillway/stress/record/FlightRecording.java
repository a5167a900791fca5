package io.spillway.stress.record;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import javax.management.JMException;
import javax.management.ObjectName;
import jdk.jfr.Recording;

/**
 * Records every wait of every thread, however short, with its stack. Reads and writes are recorded
 * from a length on that exceeds a copy into the page cache; forces always.
 */
public final class FlightRecording implements AutoCloseable {

  private static final Duration COPY = Duration.ofNanos(100_000);
  private static final Duration EXECUTION_PERIOD = Duration.ofMillis(20);

  private final Recording recording = new Recording();

  /** Starts a recording into a file that is complete once this is closed. */
  public FlightRecording(Path file) throws IOException {
    keepChunksIn(file.toAbsolutePath().getParent());
    for (String wait : WaitEvents.WAITS) {
      recording.enable(wait).withThreshold(Duration.ZERO).withStackTrace();
    }
    for (String io : WaitEvents.IO) {
      recording
          .enable(io)
          .withThreshold(io.equals(WaitEvents.FORCE) ? Duration.ZERO : COPY)
          .with("throttle", "off") // newer JDKs keep only a few hundred a second by default
          .withStackTrace();
    }
    recording.enable(WaitEvents.COLLECTION_ASKED_FOR).withThreshold(Duration.ZERO).withStackTrace();
    recording.enable(WaitEvents.EXECUTION).withPeriod(EXECUTION_PERIOD).withStackTrace();
    recording.enable(WaitEvents.COLLECTION).withoutStackTrace();
    recording.enable(WaitEvents.DATA_LOSS);
    recording.setToDisk(true);
    recording.setDestination(file);
    recording.start();
  }

  /** Keeps chunks out of the system's temporary directory, where a killed JVM leaves them. */
  private static void keepChunksIn(Path directory) throws IOException {
    String[] arguments = {"repositorypath=\"" + directory + "\""};
    try {
      ManagementFactory.getPlatformMBeanServer()
          .invoke(
              new ObjectName("com.sun.management:type=DiagnosticCommand"),
              "jfrConfigure",
              new Object[] {arguments},
              new String[] {String[].class.getName()});
    } catch (JMException e) {
      throw new IOException("the flight recorder cannot write to " + directory, e);
    }
  }

  @Override
  public void close() {
    recording.stop();
    recording.close();
  }
}
