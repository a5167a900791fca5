package io.spillway.internal.route;

import io.spillway.internal.codec.EventCodec;
import io.spillway.internal.sink.Batch;
import io.spillway.internal.sink.EventBatch;
import io.spillway.internal.spill.Spill;
import java.util.concurrent.locks.LockSupport;

/**
 * Encodes what is saved at an end, in a thread that can be replaced, because foreign code runs
 * there, and nobody else would save what waits behind it. If that does not return, its event is
 * encoded once more without foreign objects, and so are all from there on, since they may hold the
 * same one. If that does not return either, the event is left out.
 *
 * <p>{@code batch} is the commit word: whoever ends the appender stores it behind what belongs to
 * it, and this worker clears it behind the outcome.
 */
final class Saver extends Worker {
  private static final long IDLE_NANOS = 10_000_000L;
  private static final long LOOK_NANOS = 1_000_000L;

  private final Route route; // whose codec the thread of the moment uses
  private boolean begun; // of whoever ends it
  private volatile Batch batch; // in hand, or null
  private int skip;
  private boolean patient;
  private Spill.Payload encoded;
  private Throwable failure;
  private volatile boolean careful;
  private boolean codecLost; // to a thread that was fenced
  private volatile boolean ended;

  /** Without a thread until there is something to be encoded. */
  Saver(PipelineContext context, Route route) {
    super(context, "stop", IDLE_NANOS, IDLE_NANOS);
    this.route = route;
  }

  /**
   * Encodes a batch; without foreign objects where nobody could replace the thread. By whoever ends
   * the appender.
   *
   * @param given the batch
   * @param taken leave out this many events at its beginning
   * @param patience whether to throw for want of memory
   * @param alone whether no other thread is to be used
   * @return valid for ever
   */
  Spill.Payload encode(Batch given, int taken, boolean patience, boolean alone) {
    if (alone || !(given instanceof EventBatch) || !hasWatchedThread()) {
      EventCodec.Foreign none = EventCodec.Foreign.NONE;
      return route.encodeToKeep(
          given, taken, patience ? new EventCodec.Foreign(true, true, none.at()) : none);
    }
    skip = taken;
    patient = patience;
    batch = given;
    signal();
    while (batch != null) {
      Watchdog.ensure();
      LockSupport.parkNanos(this, LOOK_NANOS);
    }
    Throwable thrown = failure;
    Spill.Payload made = encoded;
    failure = null;
    encoded = null; // as large as the batch, and this lives as long as its appender
    if (thrown instanceof Error error) {
      throw error;
    } else if (thrown instanceof RuntimeException exception) {
      throw exception;
    }
    return made;
  }

  /** Foreign code finds the class loader of whoever ends the appender. */
  private boolean hasWatchedThread() {
    if (!begun) {
      thread().setContextClassLoader(Thread.currentThread().getContextClassLoader());
      start();
      begun = true;
    }
    return hasThread() && Watchdog.ensure();
  }

  @Override
  protected boolean step(Shift shift) {
    Batch now = batch;
    if (now == null) {
      return false;
    }
    Spill.Payload made = null;
    Throwable thrown = null;
    shift.enter(0);
    try {
      if (codecLost) {
        route.renewCodec();
        codecLost = false;
      }
      made = route.encodeToKeep(now, skip, new EventCodec.Foreign(careful, patient, shift));
    } catch (RuntimeException | Error e) {
      thrown = e;
    }
    shift.leave();
    encoded = made;
    failure = thrown;
    batch = null;
    return true;
  }

  @Override
  protected boolean hasWork() {
    return ended || batch != null;
  }

  @Override
  protected boolean ended() {
    return ended;
  }

  @Override
  protected boolean isAwaited() {
    return true;
  }

  @Override
  protected boolean isStuckAgain() {
    return careful;
  }

  @Override
  protected void onFenced(long position) {
    boolean again = careful;
    codecLost = true;
    careful = true;
    if (again) {
      batch = ((EventBatch) batch).without((int) position); // counted as what is not encoded
    }
  }

  /** Whether it has a batch in hand. */
  boolean isEncoding() {
    return batch != null;
  }

  /** A number that grows with each event in hand. */
  long handled() {
    return moves();
  }

  /** There is nothing more to be encoded. */
  void end() {
    ended = true;
    signal();
  }
}
