package io.spillway.internal.flow;

import io.spillway.internal.metrics.Counters.Count;
import io.spillway.internal.metrics.FlightEvents;
import io.spillway.internal.sink.Sink;
import java.util.concurrent.locks.LockSupport;

/**
 * The one thread that works in fair weather: it takes the next run of events and gives it to the
 * sink, which may keep it for minutes. It ends when it is fenced, and then closes the sink.
 *
 * <p>Without events it sleeps until a publisher wakes it. While events come often, it first looks
 * twice, milliseconds later each, so that few publishers pay for a wake-up; the spiller ends that
 * if the ring fills or a call waits to be acknowledged. Behind a small batch it lets events gather,
 * since small writes cost most of its time.
 */
final class Deliverer implements Runnable {
  private static final long LOOK_NANOS = 1_000_000L;
  private static final long PAUSE_NANOS = 10_000_000L;
  private static final int LOOKS = 2;
  private static final int FEW_BYTES = 8 << 10; // of a batch
  private static final long GATHER_NANOS = 50_000L; // a full batch, from threads that only log
  private static final long SLEEP_NANOS = 1_000_000_000L;
  private static final long PATIENCE_NANOS = 10_000_000_000L;

  private final Order order;
  private final Sleeper sleeper;
  private final Sink sink;
  private final Tell tell;
  private int looks;
  private boolean brisk; // the last sleep was short, and no call waited: it may look
  private boolean few; // the last batch was small
  private long failingSince; // 0: nothing failed since the last batch
  private volatile boolean flushed;
  private volatile boolean closing;

  Deliverer(Order order, Sleeper sleeper, Sink sink, Tell tell) {
    this.order = order;
    this.sleeper = sleeper;
    this.sink = sink;
    this.tell = tell;
  }

  @Override
  public void run() {
    while (!order.flight().isFenced()) {
      try {
        deliver();
      } catch (Throwable unexpected) {
        failed(unexpected);
      }
    }
    while (!order.isClosed()) { // the nested encoder makes the lines of what is saved
      LockSupport.parkNanos(this, LOOK_NANOS);
    }
    closing = true;
    try {
      sink.close();
    } catch (Throwable ofSink) {
      tell.counters().add(Count.SINK_FAILURES, 1);
      tell.reports().error("sink.close", "The sink failed when it was closed.", ofSink);
    }
  }

  private void deliver() {
    if (!order.take()) {
      idle();
      return;
    }
    looks = 0;
    flushed = false;
    few = order.flight().length() < FEW_BYTES;
    brisk &= order.isFair();
    FlightEvents.Span stall = tell.flightEvents().stall();
    try {
      Thread.interrupted(); // an interrupt must not fail the sink's I/O
      sink.deliver(order.flight());
      failingSince = 0;
    } finally {
      stall.stalled(order.flight().count());
      order.finish();
    }
    if (few && order.isFlowing()) {
      LockSupport.parkNanos(this, GATHER_NANOS);
    }
  }

  private void idle() {
    if (order.exitNanos() > 0 && !flushed) {
      sink.flush(); // it is not closed
      flushed = true;
    }
    if (!hasNothing()) { // not published yet, left to the spiller, or not readable now
      looks++;
      LockSupport.parkNanos(this, looks > LOOKS ? PAUSE_NANOS : LOOK_NANOS);
    } else if (brisk && looks++ < LOOKS) {
      LockSupport.parkNanos(this, few ? PAUSE_NANOS : LOOK_NANOS);
    } else {
      long began = System.nanoTime();
      sleeper.sleepWhile(this::hasNothing, SLEEP_NANOS);
      brisk = System.nanoTime() - began < PAUSE_NANOS;
      looks = 0; // else a slot that is claimed, not yet published, costs 10 ms at once
    }
  }

  private boolean hasNothing() {
    return order.isDrained() && !order.flight().isFenced() && flushed == (order.exitNanos() > 0);
  }

  private void failed(Throwable unexpected) {
    tell.counters().add(Count.WORKER_FAILURES, 1);
    tell.reports()
        .error(
            "deliverer", "Delivering a batch failed unexpectedly; it is tried again.", unexpected);
    long now = System.nanoTime();
    failingSince = failingSince == 0 ? now : failingSince;
    if (now - failingSince > PATIENCE_NANOS) {
      order.giveUp();
      failingSince = 0;
    }
    LockSupport.parkNanos(this, LOOK_NANOS);
  }

  /** Returns whether nothing was given to the sink since it was flushed at the JVM's exit. */
  boolean isFlushed() {
    return flushed;
  }

  /** Returns whether the sink is being closed, or is closed. */
  boolean isClosing() {
    return closing;
  }
}
