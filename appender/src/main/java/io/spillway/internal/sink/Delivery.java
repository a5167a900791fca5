package io.spillway.internal.sink;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Decides who may deliver the rest of the batch in flight. This is the deliverer, until {@code
 * stop()} fences it off after waiting for a stuck sink without success. Events that the sink has
 * not begun can then be saved to the spill without being delivered twice.
 *
 * <ol>
 *   <li>Assumption: one deliverer calls {@link #begin}, {@link #claim}, {@link #unclaim}, {@link
 *       #done} and {@link #end}; any thread may call {@link #fence}, once, and {@code end} after
 *       that.
 *   <li>Guarantee: after {@code fence()} no claim succeeds.
 *   <li>Guarantee: after {@code fence()}, {@link #takenOf} returns how many events of a batch the
 *       sink surely took; at most the events of the last claim may be taken as well, later.
 * </ol>
 *
 * <p>{@code claimed} is the commit word: only compare-and-set changes it, so a claim and the fence
 * cannot both win. {@code done} and {@code batch} are volatile, and {@code batch} is cleared before
 * {@code done} is reset: a fence that sees the new batch cannot see the old batch's {@code done},
 * which would skip, and so lose, that many events of the new one.
 */
public final class Delivery {
  private static final int FENCED = -1;

  private final AtomicInteger claimed = new AtomicInteger();
  private volatile int done;
  private volatile Batch batch;
  private long claimsLeft; // plain: touched by the deliverer only
  private boolean interrupted; // plain: touched by the deliverer only

  /** Creates a delivery with nothing in flight and claims without limit. */
  public Delivery() {
    this(Long.MAX_VALUE);
  }

  /**
   * Creates a delivery with nothing in flight.
   *
   * @param claims how many claims may succeed; bounds the retries of a sink
   */
  public Delivery(long claims) {
    claimsLeft = claims;
  }

  /**
   * Starts a batch, or continues with the batch in flight after its delivery threw.
   *
   * @param next the batch
   * @return false if fenced
   */
  public boolean begin(Batch next) {
    int last = claimed.get();
    if (last == FENCED) {
      return false; // keeps no reference to a batch that no thread would release
    }
    if (batch == next) {
      return claimed.compareAndSet(last, done);
    }
    batch = null;
    done = 0;
    batch = next;
    return claimed.compareAndSet(last, 0);
  }

  /**
   * Claims the events up to {@code to}, after those already {@link #done}, before the sink gets
   * them.
   *
   * @param to how many events of the batch are taken when the sink returns
   * @return false if fenced or out of claims; the sink must not be called then
   */
  public boolean claim(int to) {
    return claimsLeft-- > 0 && claimed.compareAndSet(done, to);
  }

  /**
   * Returns whether no further claim can succeed, so that nothing is tried again.
   *
   * @return true once all claims are used
   */
  public boolean isSpent() {
    return claimsLeft <= 0;
  }

  /**
   * Takes back the last claim, after the sink took none of its events.
   *
   * @param to the value that was claimed
   */
  public void unclaim(int to) {
    claimed.compareAndSet(to, done);
  }

  /**
   * Records that the sink took what was claimed.
   *
   * @param to how many events of the batch are taken so far
   */
  public void done(int to) {
    done = to;
  }

  /**
   * Clears an interrupt of the calling thread, which would end the thread's I/O and pauses. It is
   * not meant for the delivery, unless a log call delivers its own event; {@link #wasInterrupted}
   * keeps it.
   */
  public void clearInterrupt() {
    interrupted |= Thread.interrupted();
  }

  /**
   * Returns whether {@link #clearInterrupt} has cleared an interrupt.
   *
   * @return true if the thread that delivers was interrupted
   */
  public boolean wasInterrupted() {
    return interrupted;
  }

  /** Ends the batch in flight, so that even a large batch is not held until the next one begins. */
  public void end() {
    batch = null;
  }

  /**
   * Returns how many events of the batch in flight the sink took.
   *
   * @return the number of events
   */
  public int done() {
    return done;
  }

  /**
   * Returns whether the deliverer has been fenced off.
   *
   * @return true once {@link #fence} was called
   */
  public boolean fenced() {
    return claimed.get() == FENCED;
  }

  /** Fences the deliverer off, so that no further claim succeeds. */
  public void fence() {
    claimed.set(FENCED);
  }

  /**
   * Returns how many events of a batch the sink surely took.
   *
   * @param asked a batch, perhaps the one in flight
   * @return zero if the batch is not in flight
   */
  public int takenOf(Batch asked) {
    return batch == asked ? done : 0;
  }
}
