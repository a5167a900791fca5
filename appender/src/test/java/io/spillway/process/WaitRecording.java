package io.spillway.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;

/** Flight recording of everything that makes a thread wait or do I/O, without thresholds. */
final class WaitRecording implements AutoCloseable {
  private static final List<String> EVENTS =
      List.of(
          "jdk.ThreadPark",
          "jdk.JavaMonitorEnter",
          "jdk.JavaMonitorWait",
          "jdk.ThreadSleep",
          "jdk.FileRead",
          "jdk.FileWrite",
          "jdk.FileForce",
          "jdk.VirtualThreadPinned");

  private final Recording recording = new Recording();

  WaitRecording() {
    List<String> known =
        FlightRecorder.getFlightRecorder().getEventTypes().stream()
            .map(EventType::getName)
            .toList();
    EVENTS.stream()
        .filter(known::contains)
        .forEach(name -> recording.enable(name).withThreshold(Duration.ZERO).withStackTrace());
    recording.start();
  }

  /** Ends it; what application threads waited for under a frame of this library. */
  List<String> waitsUnderOurFrames(Path directory) {
    recording.stop();
    Path file = directory.resolve("waits.jfr");
    List<String> waits = new ArrayList<>();
    try {
      recording.dump(file);
      try (RecordingFile events = new RecordingFile(file)) {
        while (events.hasMoreEvents()) {
          RecordedEvent event = events.readEvent();
          if (isApplicationThread(event) && frames(event).anyMatch(WaitRecording::isOurs)) {
            waits.add(event.toString());
          }
        }
      }
      Files.delete(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return waits;
  }

  private static boolean isApplicationThread(RecordedEvent event) {
    RecordedThread thread = event.getThread();
    String name = thread == null ? null : thread.getJavaName();
    return name == null || !name.startsWith("spillway-");
  }

  private static Stream<RecordedFrame> frames(RecordedEvent event) {
    return event.getStackTrace() == null
        ? Stream.empty()
        : event.getStackTrace().getFrames().stream();
  }

  /**
   * Everything of ours but the test, which has to pace its threads, and this class, which stops.
   */
  private static boolean isOurs(RecordedFrame frame) {
    String type = frame.getMethod().getType().getName();
    return type.startsWith("io.spillway.")
        && !type.startsWith(PublishPathTest.class.getName())
        && !type.equals(WaitRecording.class.getName());
  }

  @Override
  public void close() {
    recording.close();
  }
}
