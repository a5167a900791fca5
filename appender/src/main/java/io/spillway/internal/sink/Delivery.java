package io.spillway.internal.sink;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Who may deliver the rest of the batch in flight: the deliverer, until {@code stop()} gives up on
 * a stuck sink and fences it off, so that what the sink has not begun can be saved to the spill
 * without being delivered twice.
 *
 * <ol>
 *   <li>Assumption: one deliverer calls {@link #begin}, {@link #claim}, {@link #unclaim}, {@link
 *       #done} and {@link #end}; any thread may call {@link #fence}, once, and {@code end} after
 *       that.
 *   <li>Guarantee: after {@code fence()} no claim succeeds.
 *   <li>Guarantee: after {@code fence()}, {@link #takenOf} tells how many events of a batch the
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
  private boolean interrupted; // likewise

  /** Nothing in flight, claims without limit. */
  public Delivery() {
    this(Long.MAX_VALUE);
  }

  /**
   * Nothing in flight.
   *
   * @param claims how many claims may succeed; bounds the retries of a sink
   */
  public Delivery(long claims) {
    claimsLeft = claims;
  }

  /**
   * Starts a batch, or goes on with the one in flight, whose delivery threw.
   *
   * @param next the batch
   * @return false if fenced
   */
  public boolean begin(Batch next) {
    int last = claimed.get();
    if (last == FENCED) {
      return false; // and nothing is held that nobody would let go
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
   * Asks to give the sink the events up to {@code to}, after those already {@link #done}.
   *
   * @param to events of the batch that will be taken when the sink returns
   * @return false if fenced or out of claims: leave the sink alone
   */
  public boolean claim(int to) {
    return claimsLeft-- > 0 && claimed.compareAndSet(done, to);
  }

  /**
   * Whether nothing is tried again: no further claim will succeed.
   *
   * @return true once as many have succeeded as may
   */
  public boolean isSpent() {
    return claimsLeft <= 0;
  }

  /**
   * Takes back the last claim: the sink took nothing of it.
   *
   * @param to what was claimed
   */
  public void unclaim(int to) {
    claimed.compareAndSet(to, done);
  }

  /**
   * The sink took what was claimed.
   *
   * @param to events of the batch taken so far
   */
  public void done(int to) {
    done = to;
  }

  /**
   * Takes an interrupt off the calling thread, whose I/O and pauses it would end. It is meant for
   * somebody else, unless that thread delivers what it has logged.
   */
  public void clearInterrupt() {
    interrupted |= Thread.interrupted();
  }

  /**
   * Whether {@link #clearInterrupt} has taken one.
   *
   * @return true if the thread that delivers was interrupted
   */
  public boolean wasInterrupted() {
    return interrupted;
  }

  /** Nothing is in flight any more; what was, however large, is not held until the next. */
  public void end() {
    batch = null;
  }

  /**
   * How many events of the batch in flight the sink took.
   *
   * @return events
   */
  public int done() {
    return done;
  }

  /**
   * Whether the deliverer has been fenced off.
   *
   * @return true once {@link #fence} was called
   */
  public boolean fenced() {
    return claimed.get() == FENCED;
  }

  /** Fences the deliverer off. */
  public void fence() {
    claimed.set(FENCED);
  }

  /**
   * How many events of a batch the sink surely took.
   *
   * @param asked a batch, perhaps the one in flight
   * @return zero if it is not in flight
   */
  public int takenOf(Batch asked) {
    return batch == asked ? done : 0;
  }
}
