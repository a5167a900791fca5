package io.spillway.stress.record;

import io.spillway.stress.report.LoadFigures;
import io.spillway.stress.report.TrialResult;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import jdk.jfr.consumer.RecordedClass;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedObject;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;

/**
 * Reads the waits of application threads inside logging from a flight recording. Threads are
 * recognized by the beginning of their names; a wait without a logging frame is the load's pacing.
 */
public final class RecordingAnalysis {

  /** Name of the harness's thread that stops the JVM to read stacks. */
  public static final String OWN_STOPS = "hold-ups";

  private static final String ASKED_FOR = "System.gc()";
  private static final String AFTER = "After GC";
  private static final String DO_APPEND = ".doAppend";
  private static final String ELSEWHERE = "(outside logging)";

  private static final int FEWEST_EXECUTIONS = 20;
  private static final int FRAMES_SHOWN = 10;
  private static final double NANOS = 1e9;

  private final String threadPrefix;
  private final Span span;
  private final Waits waits;
  private final Map<RecordedStackTrace, Optional<String>> frames = new IdentityHashMap<>();
  private boolean complete = true;
  private long collections;
  private Duration pauses = Duration.ZERO;
  private Duration longestPause = Duration.ZERO;
  private Duration slowestSafepoint = Duration.ZERO;
  private final Map<Long, Instant> openSafepoints = new HashMap<>();
  private final Map<Long, RecordedEvent> operations = new HashMap<>();
  private final Map<String, long[]> stops = new TreeMap<>();
  private long stoppedNanos;
  private long longestStopNanos;
  private final Map<String, long[]> askedFor = new TreeMap<>();
  private final Map<String, long[]> executing = new TreeMap<>();
  private long executions;
  private RecordedEvent lastAskedFor;
  private TrialResult.Heap heap;

  /**
   * When the load ran, in nanoseconds since 1970.
   *
   * @param start the start of the load
   * @param measured the end of its warm-up
   * @param end the end of the load
   */
  public record Span(long start, long measured, long end) {
    /** Returns the span of a load. */
    public static Span of(LoadFigures load) {
      long start = load.loadStartEpochNanos();
      return new Span(
          start,
          start + (long) (load.warmUpSeconds() * NANOS),
          start + (long) (load.loadSeconds() * NANOS));
    }

    private boolean contains(Instant time) {
      long nanos = epochNanos(time);
      return nanos >= measured && nanos <= end;
    }
  }

  private RecordingAnalysis(String threadPrefix, Span span) {
    this.threadPrefix = threadPrefix;
    this.span = span;
    waits = new Waits(span.start(), span.measured());
  }

  /** Reads a whole recording. */
  public static RecordingAnalysis of(Path file, String threadPrefix, Span span) throws IOException {
    RecordingAnalysis analysis = new RecordingAnalysis(threadPrefix, span);
    try (RecordingFile recording = new RecordingFile(file)) {
      while (recording.hasMoreEvents()) {
        analysis.add(recording.readEvent());
      }
    }
    return analysis;
  }

  /** Returns the waits of application threads inside logging. */
  public TrialResult.Parks parks() {
    return waits.figures(complete);
  }

  /** Returns the collections and the stops of the whole JVM. */
  public TrialResult.Pauses pauses() {
    return new TrialResult.Pauses(
        collections,
        millis(pauses),
        millis(longestPause),
        millis(slowestSafepoint),
        stoppedNanos / 1e6,
        longestStopNanos / 1e6,
        frames(stops, 1 / NANOS),
        frames(askedFor, 1 / NANOS));
  }

  /**
   * Returns what the processors executed, by the innermost frame that is not the JDK's. Fewer
   * samples than {@value #FEWEST_EXECUTIONS} give no result: a stopped JVM yields hardly any.
   *
   * @param cpuSeconds the processor time of the process, shared among the samples
   */
  public List<TrialResult.Parks.Frame> executed(double cpuSeconds) {
    return executions < FEWEST_EXECUTIONS ? List.of() : frames(executing, cpuSeconds / executions);
  }

  private static List<TrialResult.Parks.Frame> frames(Map<String, long[]> sums, double unit) {
    return sums.entrySet().stream()
        .map(e -> new TrialResult.Parks.Frame(e.getKey(), e.getValue()[0], e.getValue()[1] * unit))
        .sorted(Comparator.comparingDouble(TrialResult.Parks.Frame::threadSeconds).reversed())
        .limit(FRAMES_SHOWN)
        .toList();
  }

  /** Returns how much of the heap was in use, or null if no collection reported it. */
  public TrialResult.Heap heap() {
    return heap;
  }

  private void add(RecordedEvent event) {
    String kind = event.getEventType().getName();
    if (WaitEvents.WAITS.contains(kind) || WaitEvents.IO.contains(kind)) {
      addWait(kind, event);
    } else if (kind.equals(VirtualWaits.VirtualWait.NAME)) {
      add(event.getString("kind"), event.getString("frame"), event);
    } else if (kind.equals(WaitEvents.COLLECTION)) {
      addCollection(event);
    } else if (kind.equals(WaitEvents.HEAP)) {
      addHeap(event);
    } else if (kind.equals(WaitEvents.SAFEPOINT)) {
      slowestSafepoint = longer(slowestSafepoint, event.getDuration());
      openSafepoints.put(event.getLong("safepointId"), event.getStartTime());
    } else if (kind.equals(WaitEvents.SAFEPOINT_END)) {
      addStop(
          openSafepoints.remove(event.getLong("safepointId")),
          operations.remove(event.getLong("safepointId")),
          event.getEndTime());
    } else if (kind.equals(WaitEvents.OPERATION)) {
      addOperation(event);
    } else if (kind.equals(WaitEvents.COLLECTION_ASKED_FOR)) {
      addAskedFor(event);
    } else if (kind.equals(WaitEvents.EXECUTION)) {
      addExecution(event);
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
    if (name.startsWith(VirtualWaits.VIRTUAL_THREAD)
        && WaitEvents.WAITS.contains(kind)
        && !WaitEvents.PINNED.contains(kind)) {
      return; // its scheduler records this wait
    }
    Optional<String> frame =
        frames.computeIfAbsent(
            event.getStackTrace(), stack -> Optional.ofNullable(LoggingFrames.nearest(stack)));
    frame.ifPresent(nearest -> add(kind, owner(kind, nearest, event), event));
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

  /** Adds the time from the start of a safepoint to its end, in which all threads are stopped. */
  private void addStop(Instant begin, RecordedEvent operation, Instant end) {
    boolean own = operation != null && isOwn(operation);
    if (begin != null && span.contains(begin) && !own) {
      long nanos = Duration.between(begin, end).toNanos();
      stoppedNanos += nanos;
      longestStopNanos = Math.max(longestStopNanos, nanos);
    }
  }

  private static boolean isOwn(RecordedEvent operation) {
    RecordedThread caller = operation.getThread("caller");
    return caller != null && OWN_STOPS.equals(caller.getJavaName());
  }

  private void addOperation(RecordedEvent event) {
    if (event.getBoolean("safepoint")) {
      operations.put(event.getLong("safepointId"), event);
      if (span.contains(event.getStartTime()) && !isOwn(event)) {
        add(stops, event.getString("operation"), event.getDuration().toNanos());
      }
    }
  }

  private void addAskedFor(RecordedEvent event) {
    if (span.contains(event.getStartTime()) && event.getStackTrace() != null) {
      String frame = LoggingFrames.culprit(event.getStackTrace());
      add(askedFor, frame, event.getDuration().toNanos());
    }
  }

  private void addExecution(RecordedEvent event) {
    if (!span.contains(event.getStartTime())) {
      return;
    }
    executions++;
    RecordedThread thread = event.getThread("sampledThread");
    String name = thread == null ? null : thread.getJavaName();
    RecordedStackTrace stack = event.getStackTrace();
    if (name != null && stack != null) {
      boolean application = name.startsWith(threadPrefix);
      String frame = application ? LoggingFrames.nearest(stack) : LoggingFrames.culprit(stack);
      add(executing, frame, 1);
    }
  }

  private static void add(Map<String, long[]> sums, String frame, long amount) {
    long[] sum = sums.computeIfAbsent(frame == null ? ELSEWHERE : frame, f -> new long[2]);
    sum[0]++;
    sum[1] += amount;
  }

  private static long epochNanos(Instant time) {
    return time.getEpochSecond() * 1_000_000_000L + time.getNano();
  }

  private void add(String kind, String frame, RecordedEvent event) {
    waits.add(kind, frame, epochNanos(event.getStartTime()), event.getDuration().toNanos());
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

  /**
   * Adds a collection. The harness requests one at the end of the load, which is the last of its
   * kind and is not counted. A collection that the appender requested before delays the load, and
   * is counted.
   */
  private void addCollection(RecordedEvent event) {
    RecordedEvent counted = event;
    if (ASKED_FOR.equals(event.getString("cause"))) {
      boolean later =
          lastAskedFor == null || event.getStartTime().isAfter(lastAskedFor.getStartTime());
      counted = later ? lastAskedFor : event;
      lastAskedFor = later ? event : lastAskedFor;
    }
    if (counted != null) {
      collections++;
      pauses = pauses.plus(counted.getDuration("sumOfPauses"));
      longestPause = longer(longestPause, counted.getDuration("longestPause"));
    }
  }

  private void addHeap(RecordedEvent event) {
    RecordedObject space = event.getValue("heapSpace");
    long used = event.getLong("heapUsed");
    long alive = AFTER.equals(event.getString("when")) ? used : 0;
    heap =
        new TrialResult.Heap(
            space.getLong("reservedSize"),
            Math.max(used, heap == null ? 0 : heap.peakBytes()),
            Math.max(alive, heap == null ? 0 : heap.afterCollectionBytes()));
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) >= 0 ? one : other;
  }

  private static double millis(Duration duration) {
    return duration.toNanos() / 1e6;
  }
}
