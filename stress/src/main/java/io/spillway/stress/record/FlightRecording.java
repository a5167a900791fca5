package io.spillway.stress.record;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import javax.management.JMException;
import javax.management.ObjectName;
import jdk.jfr.Recording;

/**
 * Records every wait of every thread, however short, with its stack. Reads and writes are recorded
 * from a length on that exceeds a copy into the page cache; forces always.
 */
public final class FlightRecording implements AutoCloseable {

  /** A thread waits to enter a monitor. */
  public static final String MONITOR_ENTER = "jdk.JavaMonitorEnter";

  /** The events that count as waiting if a logging frame is on the stack. */
  public static final Set<String> WAITS =
      Set.of("jdk.ThreadPark", MONITOR_ENTER, "jdk.JavaMonitorWait", "jdk.ThreadSleep");

  /** The recorder dropped events. */
  public static final String DATA_LOSS = "jdk.DataLoss";

  private static final String FORCE = "jdk.FileForce";

  /** Input and output, for which a thread waits as for a lock. */
  static final Set<String> IO =
      Set.of(FORCE, "jdk.FileWrite", "jdk.FileRead", "jdk.SocketWrite", "jdk.SocketRead");

  /** A thread requests a collection of the whole heap. */
  static final String COLLECTION_ASKED_FOR = "jdk.SystemGC";

  static final String COLLECTION = "jdk.GarbageCollection";

  /** A periodic sample of what a thread executes. */
  static final String EXECUTION = "jdk.ExecutionSample";

  private static final Duration COPY = Duration.ofNanos(100_000);
  private static final Duration EXECUTION_PERIOD = Duration.ofMillis(20);

  private final Recording recording = new Recording();

  /** Starts a recording into a file that is complete once this is closed. */
  public FlightRecording(Path file) throws IOException {
    keepChunksIn(file.toAbsolutePath().getParent());
    WAITS.forEach(wait -> enable(wait, Duration.ZERO));
    IO.forEach(io -> enable(io, io.equals(FORCE) ? Duration.ZERO : COPY));
    enable(COLLECTION_ASKED_FOR, Duration.ZERO);
    recording.enable(EXECUTION).withPeriod(EXECUTION_PERIOD).withStackTrace();
    recording.enable(COLLECTION).withoutStackTrace();
    recording.enable(DATA_LOSS);
    recording.setToDisk(true);
    recording.setDestination(file);
    recording.start();
  }

  private void enable(String event, Duration threshold) {
    recording
        .enable(event)
        .withThreshold(threshold)
        .with("throttle", "off") // newer JDKs keep only a few hundred reads and writes a second
        .withStackTrace();
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
