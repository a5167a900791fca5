package io.spillway.internal.flow;

import io.spillway.internal.metrics.Counters.Count;
import io.spillway.internal.metrics.Registration;
import java.util.concurrent.locks.LockSupport;

/**
 * The thread that moves events from the ring to the spill while the sink stalls. It is parked in
 * fair weather: a publisher wakes it that finds the ring three quarters full, or whose caller
 * waits; else it looks once a second. When a stop has fenced the deliverer, it saves what is left.
 */
final class Spiller implements Runnable {
  private static final long LOOK_NANOS = 1_000_000L;
  private static final long SECOND_NANOS = 1_000_000_000L;
  private static final long SAVING_NANOS = 2_000_000_000L;

  private final Order order;
  private final Sleeper sleeper;
  private final Thread deliverer;
  private final Tell tell;
  private volatile boolean closing;

  Spiller(Order order, Sleeper sleeper, Thread deliverer, Tell tell) {
    this.order = order;
    this.sleeper = sleeper;
    this.deliverer = deliverer;
    this.tell = tell;
  }

  @Override
  public void run() {
    long tick = System.nanoTime();
    while (!closing) {
      try {
        if (System.nanoTime() - tick >= SECOND_NANOS) {
          tick = System.nanoTime();
          everySecond();
        }
        while (order.spill()) {
          // each time a batch
        }
        rest();
      } catch (Throwable unexpected) {
        failed(unexpected);
      }
    }
    save();
  }

  private void everySecond() {
    tell.counters().recordLosses(tell.flightEvents());
    Registration.look();
    order.open();
  }

  private void rest() {
    LockSupport.unpark(deliverer); // to what was appended, what was not, and to calls that wait
    if (order.isPressing()) {
      LockSupport.parkNanos(this, LOOK_NANOS); // no stall: the sink only lags behind
    } else {
      sleeper.sleepWhile(() -> !closing && !order.isPressing(), SECOND_NANOS);
    }
  }

  private void failed(Throwable unexpected) {
    tell.counters().add(Count.WORKER_FAILURES, 1);
    tell.reports().error("spiller", "Spilling failed unexpectedly; it is tried again.", unexpected);
    LockSupport.parkNanos(this, LOOK_NANOS);
  }

  /** Saves what is left, in the order of events; gives up what cannot be saved within 2 seconds. */
  private void save() {
    long since = System.nanoTime();
    boolean done = false;
    while (!done) {
      try {
        while (order.spill()) {
          since = System.nanoTime();
        }
        done = order.close(System.nanoTime() - since > SAVING_NANOS);
      } catch (Throwable unexpected) {
        failed(unexpected);
      }
      if (!done) {
        LockSupport.parkNanos(this, SECOND_NANOS / 1000);
      }
    }
  }

  /** Asks the thread to save what is left, once the deliverer is fenced. */
  void close() {
    closing = true;
    sleeper.wake();
  }
}
