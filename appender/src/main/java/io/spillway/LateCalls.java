package io.spillway;

import io.spillway.internal.metrics.Counters;
import io.spillway.internal.metrics.DetachedThread;
import io.spillway.internal.metrics.Reports;
import io.spillway.internal.ring.Batcher;
import io.spillway.internal.route.Route;
import io.spillway.internal.sink.Batch;
import io.spillway.internal.sink.Delivery;
import io.spillway.internal.sink.DropPolicy;
import io.spillway.internal.sink.Sink;
import io.spillway.internal.sink.Tally;
import io.spillway.internal.spill.Spill;
import io.spillway.metrics.LossCause;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * What log calls do after the JVM's exit hook, when the workers have ended: each delivers its own
 * event, one call after the other, or puts the event behind the backlog, which is what the exit has
 * saved in the spill for the next start.
 */
final class LateCalls<E> {
  private static final long LOOK_NANOS = 1_000_000L;

  // Constants, because there may be no memory to build them.
  private static final String LOST =
      "An event that was logged while the JVM exits is lost (NOT_SAVED): neither the sink nor the"
          + " spill has taken it. To do: see the sink, and the disk of spillDirectory.";
  private static final String LOST_WAITING =
      "For 10 seconds a log call has not returned from the sink or the spill while the JVM exits."
          + " Until it does, what other threads log is lost (NOT_SAVED). To do: take a thread dump"
          + " and see what that call waits for.";

  private final Counters counters;
  private final Reports reports;
  private final Supplier<Batcher<E>> batchers;
  private final DropPolicy policy;
  private final Sink sink;
  private final ReentrantLock lock = new ReentrantLock(); // guards sink and spill
  private volatile int turns; // how often the lock was released; written under it
  private volatile int heldUp = -1; // the turn for whose end other calls no longer wait
  private long patienceNanos = Steps.PATIENCE_NANOS; // tests set less
  // Null while a call uses it.
  private final AtomicReference<Batcher<E>> spare = new AtomicReference<>();
  private final AtomicLong accepted = new AtomicLong();
  private volatile boolean open; // written last
  private Route backlog; // null if there is no backlog
  private boolean sinkFree;

  /** Creates late calls that are not open yet. */
  LateCalls(Pipeline.Parts<E> parts) {
    counters = parts.context().counters();
    reports = parts.context().reports();
    batchers = parts.events().batchers();
    policy = parts.settings().policy();
    sink = parts.destination().sink();
  }

  /**
   * Opens for log calls, once.
   *
   * @param sinkFree whether the sink may be used for what the backlog does not take
   * @param backlog takes events that belong behind the backlog; null if there is none
   */
  void open(boolean sinkFree, Route backlog) {
    this.sinkFree = sinkFree;
    this.backlog = backlog;
    open = true;
  }

  /** Takes no more events. */
  void close() {
    open = false;
  }

  /** Waits, after {@link #close}, until no log call is in the sink any more. */
  void end() {
    lock.lock();
    lock.unlock();
    spare.set(null);
  }

  /** Returns whether the calling thread is in the sink or the spill now. */
  boolean isInCall() {
    return lock.isHeldByCurrentThread();
  }

  /** Returns how many events late calls have taken. */
  long accepted() {
    return accepted.get();
  }

  /**
   * Delivers an event; returns false if it was not taken, because these calls are closed. Code of
   * the event and of the encoder runs before the lock is taken, as in Logback's own appenders,
   * since it may wait for a thread that logs.
   */
  boolean deliver(E event) {
    Batch batch = encode(event);
    if (batch == null) {
      return true; // counted as lost
    }
    Spill.Payload payload = backlog == null ? null : encodeForBacklog(batch);
    boolean mine = awaitTurn();
    try {
      if (!open) {
        return false;
      }
      accepted.incrementAndGet();
      if (!mine) {
        lost(batch.events(), LOST_WAITING);
      } else if (!isBehindBacklog(batch, payload)) {
        deliverNow(batch);
      }
    } finally {
      if (mine) {
        turns++;
        lock.unlock();
      }
    }
    return true;
  }

  /**
   * Waits for the lock as long as earlier calls make progress, and no longer than until a stop: a
   * thread in a nested appender may need a lock that this thread has. Polls are counted, not time,
   * because the machine may stand still.
   *
   * @return false if the caller does not have the lock
   */
  private boolean awaitTurn() {
    int turn = turns;
    long stillNanos = 0;
    boolean mine = lock.tryLock();
    while (!mine && heldUp != turns && open) {
      DetachedThread.pause(this, LOOK_NANOS);
      mine = lock.tryLock();
      stillNanos = turn == turns ? stillNanos + LOOK_NANOS : 0;
      turn = turns;
      if (!mine && stillNanos >= patienceNanos) {
        heldUp = turn;
      }
    }
    return mine;
  }

  private boolean isBehindBacklog(Batch batch, Spill.Payload payload) {
    try {
      // Older events are dropped to make room only if the sink cannot take the event.
      return payload != null && backlog.placeBehindBacklog(batch, payload, !sinkFree);
    } catch (RuntimeException | Error e) {
      return isUnsaved(e);
    }
  }

  private Spill.Payload encodeForBacklog(Batch batch) {
    try {
      return backlog.encodeForBacklog(batch);
    } catch (RuntimeException | Error e) {
      isUnsaved(e);
      return null;
    }
  }

  private boolean isUnsaved(Throwable e) {
    reports.error("late", "An event could not be put behind the backlog of this exit.", e);
    return false;
  }

  /** Delivers at once: out of order if there is a backlog, but not lost. */
  private void deliverNow(Batch batch) {
    Delivery once = null;
    try {
      once = new Delivery(batch.events());
      if (sinkFree && once.begin(batch)) {
        sink.deliver(batch, false, once);
        sink.flush();
      }
    } catch (RuntimeException | Error e) {
      reports.error("late", "An event could not be delivered while the JVM exits.", e);
    } finally {
      // Null after an OutOfMemoryError.
      lost(batch.events() - (once == null ? 0 : once.done()), LOST);
      if (once != null && once.wasInterrupted()) {
        Thread.currentThread().interrupt(); // the interrupt was meant for the thread that logs
      }
    }
  }

  private void lost(long events, String message) {
    if (events > 0) {
      counters.lost(LossCause.NOT_SAVED, events, false);
      reports.loss("late.lost", message);
    }
  }

  /** Encodes an event, or counts it as lost and returns null. Concurrent calls share no batcher. */
  private Batch encode(E event) {
    try {
      Batcher<E> batcher = spare.getAndSet(null);
      if (batcher == null) {
        batcher = batchers.get();
      }
      batcher.add(event, null);
      Batch batch = batcher.take();
      spare.set(batcher);
      return batch == null || !policy.tallies() ? batch : batch.with(Tally.of(event));
    } catch (Throwable t) {
      accepted.incrementAndGet();
      counters.lost(LossCause.ENCODE_FAILED, 1, false);
      reports.error(
          "encode", "The encoder threw, the event is counted as lost (ENCODE_FAILED).", t);
      return null;
    }
  }
}
