package io.spillway.stress.record;

import io.spillway.stress.report.Frame;
import io.spillway.stress.report.LoadFigures;
import io.spillway.stress.report.Waits;
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
  private final Map<String, Sum> byKind = new TreeMap<>();
  private final Map<String, Sum> byFrame = new TreeMap<>();
  private final Map<String, Sum> collections = new TreeMap<>();
  private final Map<String, Sum> executed = new TreeMap<>();
  private long maxNanos;
  private long pauseNanos;
  private boolean complete = true;

  /** A number of events and the sum of their lengths. */
  private static final class Sum {
    private long events;
    private long nanos;
  }

  private RecordingAnalysis(String threadPrefix, LoadFigures load) {
    this.threadPrefix = threadPrefix;
    fromNanos = load.startEpochNanos() + (long) (load.warmUpSeconds() * NANOS);
    toNanos = load.startEpochNanos() + (long) (load.loadSeconds() * NANOS);
  }

  /**
   * Reads a whole recording.
   *
   * @param file the recording
   * @param threadPrefix beginning of the names of application threads
   * @param load the load of the trial, whose warm-up does not count
   * @throws IOException if it cannot be read
   */
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
    byKind.forEach(
        (kind, sum) -> {
          events.put(kind, sum.events);
          seconds.put(kind, sum.nanos / NANOS);
        });
    long samples = executed.values().stream().mapToLong(sum -> sum.events).sum();
    executed.values().forEach(s -> s.nanos = (long) (s.events * cpuSeconds * NANOS / samples));
    return new Waits(
        events.values().stream().mapToLong(n -> n).sum(),
        seconds.values().stream().mapToDouble(s -> s).sum(),
        maxNanos / NANOS,
        events,
        seconds,
        frames(byFrame),
        frames(executed),
        frames(collections),
        pauseNanos / NANOS,
        complete);
  }

  private static List<Frame> frames(Map<String, Sum> sums) {
    return sums.entrySet().stream()
        .map(e -> new Frame(e.getKey(), e.getValue().events, e.getValue().nanos / NANOS))
        .sorted(Comparator.comparingDouble(Frame::threadSeconds).reversed())
        .limit(FRAMES_SHOWN)
        .toList();
  }

  private void add(RecordedEvent event) {
    String kind = event.getEventType().getName();
    if (kind.equals(WaitEvents.DATA_LOSS)) {
      complete = false;
    } else if (!isMeasured(event)) {
      return;
    } else if (WaitEvents.WAITS.contains(kind) || WaitEvents.IO.contains(kind)) {
      addWait(kind, event);
    } else if (kind.equals(WaitEvents.COLLECTION)) {
      pauseNanos += event.getDuration("sumOfPauses").toNanos();
    } else if (kind.equals(WaitEvents.COLLECTION_ASKED_FOR) && event.getStackTrace() != null) {
      add(collections, LoggingFrames.culprit(event.getStackTrace()), event.getDuration().toNanos());
    } else if (kind.equals(WaitEvents.EXECUTION)) {
      addExecution(event);
    }
  }

  private boolean isMeasured(RecordedEvent event) {
    Instant end = event.getEndTime();
    long nanos = end.getEpochSecond() * 1_000_000_000L + end.getNano();
    return nanos >= fromNanos && event.getStartTime().toEpochMilli() * 1_000_000 <= toNanos;
  }

  private void addWait(String kind, RecordedEvent event) {
    RecordedThread thread = event.getThread();
    if (!isApplication(thread) || isThreadsEnd(kind, event)) {
      return;
    }
    String frame = LoggingFrames.nearest(event.getStackTrace());
    if (frame != null) {
      long nanos = event.getDuration().toNanos();
      add(byKind, kind, nanos);
      add(byFrame, owner(kind, frame, event), nanos);
      maxNanos = Math.max(maxNanos, nanos);
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
    if (!kind.equals(WaitEvents.MONITOR_ENTER) || !frame.endsWith(DO_APPEND)) {
      return frame;
    }
    RecordedClass monitor = event.getClass("monitorClass");
    return monitor == null ? frame : monitor.getName() + DO_APPEND;
  }

  private void addExecution(RecordedEvent event) {
    RecordedStackTrace stack = event.getStackTrace();
    RecordedThread thread = event.getThread("sampledThread");
    if (stack != null && thread != null) {
      boolean application = isApplication(thread);
      add(executed, application ? LoggingFrames.nearest(stack) : LoggingFrames.culprit(stack), 0);
    }
  }

  private static void add(Map<String, Sum> sums, String name, long nanos) {
    Sum sum = sums.computeIfAbsent(name == null ? ELSEWHERE : name, f -> new Sum());
    sum.events++;
    sum.nanos += nanos;
  }

  /**
   * Returns whether an ending thread waited for its own monitor, which it enters to notify joining
   * threads. It has no Java frames then: before JDK 25 its stack is empty, since then it is null.
   */
  private static boolean isThreadsEnd(String kind, RecordedEvent event) {
    return event.getStackTrace() == null
        && kind.equals(WaitEvents.MONITOR_ENTER)
        && event.getClass("monitorClass").getName().equals(Thread.class.getName());
  }
}
