package io.spillway.stress.record;

import io.spillway.stress.report.TrialResult;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Optional;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedObject;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;

/**
 * Reads a flight recording for the waits of application threads inside logging. Threads are known
 * by the beginning of their names; a wait without a logging frame is the load's own pacing.
 */
public final class RecordingAnalysis {

  private static final String ASKED_FOR = "System.gc()";
  private static final String AFTER = "After GC";

  private final String threadPrefix;
  private final Waits waits;
  private final Map<RecordedStackTrace, Optional<String>> frames = new IdentityHashMap<>();
  private boolean complete = true;
  private long collections;
  private Duration pauses = Duration.ZERO;
  private Duration longestPause = Duration.ZERO;
  private Duration slowestSafepoint = Duration.ZERO;
  private RecordedEvent lastAskedFor;
  private TrialResult.Heap heap;

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
  public TrialResult.Parks parks() {
    return waits.figures(complete);
  }

  /** What the JVM itself stopped. */
  public TrialResult.Pauses pauses() {
    return new TrialResult.Pauses(
        collections, millis(pauses), millis(longestPause), millis(slowestSafepoint));
  }

  /** How much of the heap was in use; null if there was no collection that tells. */
  public TrialResult.Heap heap() {
    return heap;
  }

  private void add(RecordedEvent event) {
    String kind = event.getEventType().getName();
    if (WaitEvents.WAITS.contains(kind)) {
      addWait(kind, event);
    } else if (kind.equals(VirtualWaits.VirtualWait.NAME)) {
      add(event.getString("kind"), event.getString("frame"), event);
    } else if (kind.equals(WaitEvents.COLLECTION)) {
      addCollection(event);
    } else if (kind.equals(WaitEvents.HEAP)) {
      addHeap(event);
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
    if (name.startsWith(VirtualWaits.VIRTUAL_THREAD) && !WaitEvents.PINNED.contains(kind)) {
      return; // it left its carrier for that, which was recorded apart
    }
    Optional<String> frame =
        frames.computeIfAbsent(
            event.getStackTrace(), stack -> Optional.ofNullable(LoggingFrames.nearest(stack)));
    frame.ifPresent(nearest -> add(kind, nearest, event));
  }

  private void add(String kind, String frame, RecordedEvent event) {
    Instant start = event.getStartTime();
    long startNanos = start.getEpochSecond() * 1_000_000_000L + start.getNano();
    waits.add(kind, frame, startNanos, event.getDuration().toNanos());
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

  /**
   * The one that the harness asks for at the end of the load, the last of its kind, is none of the
   * appender's. Who asks for one before holds the load up, and is seen.
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
