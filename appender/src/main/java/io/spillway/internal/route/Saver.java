package io.spillway.internal.route;

import io.spillway.internal.codec.EventCodec;
import io.spillway.internal.sink.Batch;
import io.spillway.internal.sink.EventBatch;
import io.spillway.internal.spill.Spill;
import java.util.concurrent.locks.LockSupport;

/**
 * Encodes the events that an end saves, in a thread that can be replaced, because foreign code runs
 * there, and no other thread would save the events behind it. If the code does not return, its
 * event is encoded once more without foreign objects, and so are all later events, since they may
 * hold the same object. If that does not return either, the event is left out.
 *
 * <p>{@code batch} is the commit word: the thread that ends the appender stores it after the
 * batch's parameters, and this worker clears it after the outcome is stored.
 */
final class Saver extends Worker {
  private static final long IDLE_NANOS = 10_000_000L;
  private static final long LOOK_NANOS = 1_000_000L;

  private final Route route; // its codec is used by the current thread
  private boolean begun; // used only by the thread that ends the appender
  private volatile Batch batch; // the batch to be encoded, or null
  private int skip;
  private boolean patient;
  private Spill.Payload encoded;
  private Throwable failure;
  private volatile boolean careful;
  private boolean codecLost; // a fenced thread still has the codec
  private volatile boolean ended;

  /** Creates a saver without a thread; the first batch starts one. */
  Saver(PipelineContext context, Route route) {
    super(context, "stop", IDLE_NANOS, IDLE_NANOS);
    this.route = route;
  }

  /**
   * Encodes a batch, without foreign objects if the thread could not be replaced. Called by the
   * thread that ends the appender.
   *
   * @param given the batch
   * @param taken how many events at its beginning to leave out
   * @param patience whether to throw an OutOfMemoryError, so that the caller can try again
   * @param alone whether no other thread may be used
   * @return a payload that stays valid
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
    encoded = null; // freed, since this object lives as long as its appender
    if (thrown instanceof Error error) {
      throw error;
    } else if (thrown instanceof RuntimeException exception) {
      throw exception;
    }
    return made;
  }

  /** Starts the thread. Foreign code gets the class loader of the thread that ends the appender. */
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
      // Counted as an event that could not be encoded.
      batch = ((EventBatch) batch).without((int) position);
    }
  }

  /** Returns whether a batch is being encoded. */
  boolean isEncoding() {
    return batch != null;
  }

  /** Returns a number that grows with each event that is encoded. */
  long handled() {
    return moves();
  }

  /** Ends this worker, when nothing more has to be encoded. */
  void end() {
    ended = true;
    signal();
  }
}
