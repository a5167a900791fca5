package io.spillway.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;

/** Flight recording of all that makes a thread wait or do I/O, without thresholds. */
public final class Waits implements AutoCloseable {
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

  public Waits() {
    EVENTS.forEach(name -> recording.enable(name).withThreshold(Duration.ZERO).withStackTrace());
    recording.start();
  }

  /** Ends it; what log calls waited for under a frame of Spillway's main classes. */
  public List<String> underSpillway() {
    return under(
        type ->
            type.startsWith("io.spillway.")
                && !type.startsWith("io.spillway.promises.")
                && !type.startsWith("io.spillway.testkit."));
  }

  /** Ends it; what log calls waited for under a frame of such a class. */
  public List<String> under(Predicate<String> type) {
    recording.stop();
    List<String> waits = new ArrayList<>();
    try {
      Path dump = Files.createTempFile("waits", ".jfr");
      recording.dump(dump);
      try (RecordingFile events = new RecordingFile(dump)) {
        while (events.hasMoreEvents()) {
          RecordedEvent event = events.readEvent();
          if (isInLogCall(event)
              && frames(event).anyMatch(it -> type.test(it.getMethod().getType().getName()))) {
            waits.add(event.toString());
          }
        }
      }
      Files.delete(dump);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return waits;
  }

  /** Threads of Spillway call a nested appender in the same way. */
  private static boolean isInLogCall(RecordedEvent event) {
    RecordedThread thread = event.getThread();
    boolean isOurs =
        thread != null
            && thread.getJavaName() != null
            && thread.getJavaName().startsWith("spillway-");
    return !isOurs && frames(event).anyMatch(it -> it.getMethod().getName().equals("doAppend"));
  }

  private static Stream<RecordedFrame> frames(RecordedEvent event) {
    return event.getStackTrace() == null
        ? Stream.empty()
        : event.getStackTrace().getFrames().stream();
  }

  @Override
  public void close() {
    recording.close();
  }
}
