package io.spillway.stress.record;

import io.spillway.stress.report.LoadFigures;
import io.spillway.stress.report.Waits;
import io.spillway.stress.report.Waits.Frame;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import jdk.jfr.consumer.RecordedClass;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;

/**
 * Reads from a flight recording what may hold an application up: the waits of its threads inside
 * logging, collections, and what runs. Application threads are recognized by the beginning of their
 * names; a wait without a logging frame is the load's pacing.
 */
public final class RecordingAnalysis {

  private static final String DO_APPEND = ".doAppend";
  private static final String ELSEWHERE = "(outside logging)";
  private static final int FRAMES_SHOWN = 10;
  private static final double NANOS = 1e9;

  private final String threadPrefix;
  private final long fromNanos;
  private final long toNanos;
  private final Map<String, Frame> byKind = new TreeMap<>();
  private final Map<String, Frame> byFrame = new TreeMap<>();
  private final Map<String, Frame> collections = new TreeMap<>();
  private final Map<String, Frame> executed = new TreeMap<>();
  private double pauseSeconds;
  private boolean complete = true;

  private RecordingAnalysis(String threadPrefix, LoadFigures load) {
    this.threadPrefix = threadPrefix;
    fromNanos = load.startEpochNanos() + (long) (load.warmUpSeconds() * NANOS);
    toNanos = load.startEpochNanos() + (long) (load.loadSeconds() * NANOS);
  }

  /** Reads a whole recording of a load, whose warm-up does not count. */
  public static Waits of(Path file, String threadPrefix, LoadFigures load) throws IOException {
    RecordingAnalysis analysis = new RecordingAnalysis(threadPrefix, load);
    try (RecordingFile recording = new RecordingFile(file)) {
      while (recording.hasMoreEvents()) {
        analysis.add(recording.readEvent());
      }
    }
    return analysis.figures(load.cpuBySecond().stream().mapToDouble(d -> d).sum());
  }

  private Waits figures(double cpuSeconds) {
    Map<String, Long> events = new TreeMap<>();
    Map<String, Double> seconds = new TreeMap<>();
    for (Frame kind : byKind.values()) {
      events.put(kind.frame(), kind.events());
      seconds.put(kind.frame(), kind.threadSeconds());
    }
    long samples = executed.values().stream().mapToLong(Frame::events).sum();
    executed.replaceAll((at, f) -> new Frame(at, f.events(), f.events() * cpuSeconds / samples));
    return new Waits(
        events,
        seconds,
        costliest(byFrame),
        costliest(executed),
        costliest(collections),
        pauseSeconds,
        complete);
  }

  private static List<Frame> costliest(Map<String, Frame> sums) {
    return sums.values().stream()
        .sorted(Comparator.comparingDouble(Frame::threadSeconds).reversed())
        .limit(FRAMES_SHOWN)
        .toList();
  }

  private void add(RecordedEvent event) {
    String kind = event.getEventType().getName();
    if (kind.equals(FlightRecording.DATA_LOSS)) {
      complete = false;
    } else if (!isMeasured(event)) {
      return;
    } else if (FlightRecording.WAITS.contains(kind) || FlightRecording.IO.contains(kind)) {
      addWait(kind, event);
    } else if (kind.equals(FlightRecording.COLLECTION)) {
      pauseSeconds += event.getDuration("sumOfPauses").toNanos() / NANOS;
    } else if (kind.equals(FlightRecording.COLLECTION_ASKED_FOR) && event.getStackTrace() != null) {
      add(collections, LoggingFrames.culprit(event.getStackTrace()), seconds(event));
    } else if (kind.equals(FlightRecording.EXECUTION)) {
      addExecution(event);
    }
  }

  private boolean isMeasured(RecordedEvent event) {
    Instant end = event.getEndTime();
    long nanos = end.getEpochSecond() * 1_000_000_000L + end.getNano();
    return nanos >= fromNanos && event.getStartTime().toEpochMilli() * 1_000_000 <= toNanos;
  }

  private void addWait(String kind, RecordedEvent event) {
    boolean counts = isApplication(event.getThread()) && !isThreadsEnd(kind, event);
    String frame = counts ? LoggingFrames.nearest(event.getStackTrace()) : null;
    if (frame != null) {
      double seconds = seconds(event);
      add(byKind, kind, seconds);
      add(byFrame, owner(kind, frame, event), seconds);
    }
  }

  private boolean isApplication(RecordedThread thread) {
    return thread != null
        && thread.getJavaName() != null
        && thread.getJavaName().startsWith(threadPrefix);
  }

  /**
   * Returns the method that a wait is attributed to. A thread that waits to enter {@code
   * AppenderBase.doAppend}, which is synchronized, waits for the subclass, which is named instead.
   */
  private static String owner(String kind, String frame, RecordedEvent event) {
    if (!kind.equals(FlightRecording.MONITOR_ENTER) || !frame.endsWith(DO_APPEND)) {
      return frame;
    }
    RecordedClass monitor = event.getClass("monitorClass");
    return monitor == null ? frame : monitor.getName() + DO_APPEND;
  }

  private void addExecution(RecordedEvent event) {
    RecordedStackTrace stack = event.getStackTrace();
    RecordedThread thread = event.getThread("sampledThread");
    if (stack != null && thread != null) {
      boolean calls = isApplication(thread);
      add(executed, calls ? LoggingFrames.nearest(stack) : LoggingFrames.culprit(stack), 0);
    }
  }

  private static double seconds(RecordedEvent event) {
    return event.getDuration().toNanos() / NANOS;
  }

  private static void add(Map<String, Frame> sums, String name, double seconds) {
    String frame = name == null ? ELSEWHERE : name;
    sums.merge(frame, new Frame(frame, 1, seconds), Frame::plus);
  }

  /**
   * Returns whether an ending thread waited for its own monitor, which it enters to notify joining
   * threads. It has no Java frames then: before JDK 25 its stack is empty, since then it is null.
   */
  private static boolean isThreadsEnd(String kind, RecordedEvent event) {
    return event.getStackTrace() == null
        && kind.equals(FlightRecording.MONITOR_ENTER)
        && event.getClass("monitorClass").getName().equals(Thread.class.getName());
  }
}
