package io.spillway.stress.watch;

import io.spillway.stress.record.WaitEvents;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import jdk.jfr.consumer.EventStream;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordedThread;

/** Reads the target's repository along while it is written, in a thread of its own. */
final class EventReader implements AutoCloseable {

  /** The end of the flush that an event came with is told, and then the beginning of the next. */
  private static final int FLUSHES = 2;

  private static final long PATIENCE_SECONDS = 8;
  private static final Frame SLEEP = new Frame("java.lang.Thread", "sleep");

  private final EventStream events;
  private final Tally tally;
  private final Map<RecordedStackTrace, Located> stacks = new IdentityHashMap<>();
  private final Semaphore flushes = new Semaphore(0);
  private volatile long awaitedNanos = Long.MAX_VALUE;
  private boolean passed;

  EventReader(Path repository, Instant from, Tally tally) throws IOException {
    this.tally = tally;
    events = EventStream.openRepository(repository);
    events.setStartTime(from);
    events.setOrdered(false);
    WaitEvents.WAITS.forEach(name -> events.onEvent(name, this::add));
    events.onEvent(JvmRecording.TICK, this::tick);
    events.onEvent(WaitEvents.DATA_LOSS, event -> tally.dataLost());
    events.onError(failure -> tally.dataLost());
    events.onFlush(this::flushed);
    events.startAsync();
  }

  private void add(RecordedEvent event) {
    RecordedThread thread = event.getThread();
    RecordedStackTrace stack = event.getStackTrace();
    if (thread == null || stack == null) {
      return;
    }
    String kind = event.getEventType().getName();
    Located where = stacks.computeIfAbsent(stack, s -> located(s, kind));
    long start = ThreadSampler.epochNanos(event.getStartTime());
    long end = start + event.getDuration().toNanos();
    tally.waited(thread.getJavaThreadId(), where, start, end);
  }

  /** Stack traces are shared within a flush only; keeping more would keep every one ever read. */
  private void flushed() {
    stacks.clear();
    if (passed) {
      flushes.release();
    }
  }

  private void tick(RecordedEvent event) {
    passed = ThreadSampler.epochNanos(event.getStartTime()) > awaitedNanos;
  }

  private static Located located(RecordedStackTrace stack, String kind) {
    List<Frame> frames = new ArrayList<>(frames(stack));
    if (kind.equals(WaitEvents.SLEEP) && !frames.contains(SLEEP)) {
      frames.add(0, SLEEP); // newer JDKs leave it out
    }
    return Located.of(frames, kind.equals(WaitEvents.MONITOR_ENTER));
  }

  private static List<Frame> frames(RecordedStackTrace stack) {
    return stack.getFrames().stream()
        .map(
            frame -> {
              RecordedMethod method = frame.getMethod();
              return new Frame(method.getType().getName(), method.getName());
            })
        .filter(EventReader::isCode)
        .toList();
  }

  /** Thread dumps leave these out, too. */
  private static boolean isCode(Frame frame) {
    return !frame.type().startsWith("jdk.internal.vm.Continuation");
  }

  /**
   * Waits until all has been read that happened up to a moment, some seconds at most. This reader
   * may be behind by any time, so it waits for an event from after that moment.
   */
  boolean awaitRead(long untilNanos) throws InterruptedException {
    awaitedNanos = untilNanos;
    return flushes.tryAcquire(FLUSHES, PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    events.close();
  }
}
