package io.spillway.stress.record;

import io.spillway.stress.report.ParkFigures;
import io.spillway.stress.report.PauseFigures;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Optional;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;

/**
 * Reads a flight recording for the waits of application threads inside logging. Threads are known
 * by the beginning of their names; a wait without a logging frame is the load's own pacing.
 */
public final class RecordingAnalysis {

  private final String threadPrefix;
  private final Waits waits;
  private final Map<RecordedStackTrace, Optional<String>> frames = new IdentityHashMap<>();
  private boolean complete = true;
  private long collections;
  private Duration pauses = Duration.ZERO;
  private Duration longestPause = Duration.ZERO;
  private Duration slowestSafepoint = Duration.ZERO;

  private RecordingAnalysis(String threadPrefix, long loadStartEpochNanos) {
    this.threadPrefix = threadPrefix;
    waits = new Waits(loadStartEpochNanos);
  }

  /** Reads the whole recording once. */
  public static RecordingAnalysis of(Path file, String threadPrefix, long loadStartEpochNanos)
      throws IOException {
    RecordingAnalysis analysis = new RecordingAnalysis(threadPrefix, loadStartEpochNanos);
    try (RecordingFile recording = new RecordingFile(file)) {
      while (recording.hasMoreEvents()) {
        analysis.add(recording.readEvent());
      }
    }
    return analysis;
  }

  /** Waits of application threads inside logging. */
  public ParkFigures parks() {
    return waits.figures(complete);
  }

  /** What the JVM itself stopped. */
  public PauseFigures pauses() {
    return new PauseFigures(
        collections, millis(pauses), millis(longestPause), millis(slowestSafepoint));
  }

  private void add(RecordedEvent event) {
    String kind = event.getEventType().getName();
    if (WaitEvents.WAITS.contains(kind)) {
      addWait(kind, event);
    } else if (kind.equals(WaitEvents.COLLECTION)) {
      collections++;
      pauses = pauses.plus(event.getDuration("sumOfPauses"));
      longestPause = longer(longestPause, event.getDuration("longestPause"));
    } else if (kind.equals(WaitEvents.SAFEPOINT)) {
      slowestSafepoint = longer(slowestSafepoint, event.getDuration());
    } else if (kind.equals(WaitEvents.DATA_LOSS)) {
      complete = false;
    }
  }

  private void addWait(String kind, RecordedEvent event) {
    RecordedThread thread = event.getThread();
    String name = thread == null ? null : thread.getJavaName();
    if (name == null || !name.startsWith(threadPrefix) || isThreadsEnd(kind, event)) {
      return;
    }
    Optional<String> frame =
        frames.computeIfAbsent(
            event.getStackTrace(), stack -> Optional.ofNullable(LoggingFrames.nearest(stack)));
    if (frame.isPresent()) {
      Instant start = event.getStartTime();
      long startNanos = start.getEpochSecond() * 1_000_000_000L + start.getNano();
      waits.add(kind, frame.get(), startNanos, event.getDuration().toNanos());
    }
  }

  /**
   * A thread that ends takes its own monitor to tell those who join it, and may find it taken. It
   * has no Java frames then: before JDK 25 the stack is empty, from then on there is none.
   */
  private static boolean isThreadsEnd(String kind, RecordedEvent event) {
    return event.getStackTrace() == null
        && kind.equals(WaitEvents.MONITOR_ENTER)
        && event.getClass("monitorClass").getName().equals(Thread.class.getName());
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) >= 0 ? one : other;
  }

  private static double millis(Duration duration) {
    return duration.toNanos() / 1e6;
  }
}
