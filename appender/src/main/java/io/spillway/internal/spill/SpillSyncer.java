package io.spillway.internal.spill;

import io.spillway.internal.disk.SpillFiles;
import io.spillway.internal.metrics.DetachedThread;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Makes spilled events survive a power cut, by one thread. A turn
 *
 * <ol>
 *   <li>notes what is delivered and who waits,
 *   <li>forces the segments; one whose force failed is doubtful: nothing more is appended to it or
 *       counted as synced, because another force would succeed without its lost pages,
 *   <li>forces the destination, and only then deletes the segments and writes the mark that it
 *       noted at first. A destination that has failed once has lost something: from then on nothing
 *       is deleted or marked until the next start.
 * </ol>
 *
 * <p>Concurrency: the queues and volatile fields are filled with {@code order} held, but for {@code
 * waiting}, by any thread. A position is noted before the destination is forced: in the other order
 * a mark could cover events that the force did not.
 */
final class SpillSyncer implements Runnable {
  private static final long CLOSE_NANOS = 5_000_000_000L;
  private static final long POLL_NANOS = 1_000_000L;
  private static final String SYNC = "sync";

  private final SpillDirectory directory;
  private final SpillFiles files;
  private final SpillListener listener;
  private final BooleanSupplier destination;
  private final long intervalNanos;
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(SegmentFormat.MARK_BYTES);
  private final Queue<Segment> unforced = new ConcurrentLinkedQueue<>();
  private final Queue<Segment> retired = new ConcurrentLinkedQueue<>();
  private final Queue<Waiting> waiting = new ConcurrentLinkedQueue<>();
  private volatile Thread thread; // null until it is started
  private volatile Segment.Mark reached;
  private Segment.Mark written; // syncer only
  private volatile boolean work;
  private volatile boolean hurried;
  private volatile boolean stopping;
  private volatile boolean abandoned;
  private volatile boolean destinationFailed;
  private volatile long syncedEvents;

  /** A caller, and the segment that has its event; null if none has. */
  private record Waiting(Spill.Waiter caller, Segment segment) {}

  SpillSyncer(SpillDirectory directory, BooleanSupplier destination) {
    this.directory = directory;
    this.destination = destination;
    files = directory.files;
    listener = directory.listener;
    intervalNanos = directory.config.syncNanos();
  }

  synchronized void start() {
    if (thread == null && !stopping) {
      thread = DetachedThread.of(this, "spillway-spill-sync");
      thread.start();
    }
  }

  void began(Segment segment) {
    unforced.add(segment);
  }

  /** There is something new to force. */
  void wake() {
    if (!work) {
      work = true;
      LockSupport.unpark(thread);
    }
  }

  void reached(Segment.Mark mark) {
    reached = mark;
    wake();
  }

  /** A segment is delivered; it goes when the destination is forced. */
  void retire(Segment segment) {
    retired.add(segment);
    wake();
  }

  /** Makes room: delivered segments that wait for a force fill the spill. */
  void makeRoom() {
    if (!retired.isEmpty()) {
      hurry();
    }
  }

  private void hurry() {
    hurried = true;
    LockSupport.unpark(thread);
  }

  /** Calls back after the next turn. Forgets callers that have given up: a force may hang. */
  void await(Spill.Waiter caller, Segment segment) {
    waiting.removeIf(each -> each.caller.isOver());
    waiting.add(new Waiting(caller, segment));
    start();
    hurry();
    if (abandoned) {
      tell(drainWaiting(), false);
    }
  }

  long syncedEvents() {
    return syncedEvents;
  }

  @Override
  public void run() {
    boolean last = false;
    for (long since = System.nanoTime(); !last; ) {
      awaitTurn(since);
      since = System.nanoTime();
      last = stopping; // first: what is retired before the stop is in the last turn
      hurried = false;
      work = false;
      List<Waiting> callers = drainWaiting();
      boolean all = false;
      try {
        all = turn(!callers.isEmpty());
      } catch (RuntimeException | Error e) {
        listener.failed(SYNC, directory.path, new IOException(e.toString(), e));
      } finally {
        tell(callers, all);
      }
    }
  }

  private void awaitTurn(long since) {
    while (!stopping && !hurried) {
      long left = work ? intervalNanos - (System.nanoTime() - since) : Long.MAX_VALUE;
      if (left <= 0) {
        return;
      }
      Thread.interrupted(); // an interrupt means nothing here, and no park would wait
      LockSupport.parkNanos(this, left);
    }
  }

  private List<Waiting> drainWaiting() {
    List<Waiting> drained = new ArrayList<>();
    for (Waiting each = waiting.poll(); each != null; each = waiting.poll()) {
      drained.add(each);
    }
    return drained;
  }

  /** An event that was appended while a force of its segment failed is in a doubtful segment. */
  private static void tell(List<Waiting> callers, boolean all) {
    for (Waiting each : callers) {
      each.caller.synced(all && !(each.segment != null && each.segment.doubtful));
    }
  }

  private boolean turn(boolean asked) {
    List<Segment> done = new ArrayList<>(retired);
    Segment.Mark mark = reached;
    boolean forced = true;
    for (Segment each : unforced) {
      forced &= force(each);
    }
    if (!destinationFailed && (asked || !done.isEmpty() || mark != written)) {
      destinationFailed = true; // also if it throws
      destinationFailed = !destination.getAsBoolean();
      if (!destinationFailed && !abandoned) {
        release(done, mark);
      }
    }
    return forced && !destinationFailed;
  }

  private void release(List<Segment> done, Segment.Mark mark) {
    for (Segment each : done) {
      retired.remove(each);
      directory.remove(each);
    }
    if (mark != null && mark != written && !mark.segment().isClosed()) {
      try {
        mark.segment().write(mark, buffer);
      } catch (IOException e) {
        listener.failed("mark", mark.segment().path, e);
        return;
      }
    }
    written = mark;
  }

  private boolean force(Segment segment) {
    boolean sealed = segment.sealed; // before the events: what is sealed has no more
    long events = segment.events;
    boolean fine = true;
    try {
      if (events > segment.forced) {
        segment.acquire(Segment.User.SYNCER).force();
        if (segment.forced == 0) {
          files.forceDirectory(directory.path);
        }
        syncedEvents += events - segment.forced; // by this thread alone
        segment.forced = events;
        listener.succeeded(SYNC);
      }
    } catch (IOException e) {
      fine = false;
      segment.doubtful = true;
      if (!segment.isClosed()) { // else it was dropped to make room
        listener.failed(SYNC, segment.path, e);
      }
    }
    if (sealed || !fine) {
      unforced.remove(segment);
      try {
        segment.release(Segment.User.SYNCER);
      } catch (IOException e) {
        listener.failed("close", segment.path, e);
      }
    }
    return fine;
  }

  /** Ends the thread after a last turn; a disk that hangs costs a stop five seconds. */
  void close() {
    stopping = true;
    Thread ending = thread;
    if (ending != null) {
      LockSupport.unpark(ending);
      long until = System.nanoTime() + CLOSE_NANOS;
      while (ending.isAlive() && System.nanoTime() - until < 0) {
        DetachedThread.pause(this, POLL_NANOS);
      }
      if (ending.isAlive()) {
        listener.failed(SYNC, directory.path, new IOException("the force does not return"));
      }
    }
    abandoned = true;
    retired.forEach(directory::close); // not forced: the next start delivers it again
    tell(drainWaiting(), false);
  }
}
