package io.spillway.route;

import io.spillway.metrics.Counters;
import io.spillway.metrics.FlightLog;
import io.spillway.metrics.Reports;
import io.spillway.sink.Batch;
import io.spillway.sink.Delivery;
import io.spillway.sink.Sink;
import java.util.List;

/** The thread that gives batches to the sink. The sink may hold it up for as long as it likes. */
public final class Deliverer extends Worker {
  private static final long MIN_IDLE_NANOS = 1_000_000;
  // The drainer wakes it; this is for what becomes due by itself, as the cursor's next write.
  private static final long MAX_IDLE_NANOS = 200_000_000;

  private final Route route;
  private final Sink sink;
  private final List<Thread> predecessors;
  private final Delivery delivery = new Delivery();
  private volatile boolean finishing;
  private volatile boolean closeSink;
  private boolean ended;

  /**
   * A deliverer, not started.
   *
   * @param owner whose log calls on this thread are re-entrant
   * @param name of the appender
   * @param route where batches come from
   * @param sink where they go
   * @param predecessors may roll the sink's file over before the first batch
   * @param counters told of time spent
   * @param reports told of failures
   */
  public Deliverer(
      Object owner,
      String name,
      Route route,
      Sink sink,
      List<Thread> predecessors,
      Counters counters,
      Reports reports) {
    super(owner, "spillway-deliverer-" + name, MIN_IDLE_NANOS, MAX_IDLE_NANOS, counters, reports);
    this.route = route;
    this.sink = sink;
    this.predecessors = predecessors;
  }

  @Override
  protected boolean step(Shift shift) {
    if (waitsForPredecessors()) {
      return false;
    }
    Batch batch = route.next();
    if (batch == null) {
      route.maintain();
      ended = finishing && route.isEmpty();
      return ended;
    }
    if (!delivery.begin(batch)) {
      ended = true;
      return true;
    }
    route.beforeDelivery();
    deliver(batch);
    if (delivery.fenced()) {
      ended = true; // stop() saves the rest; the route is no longer ours
    } else {
      route.finished();
    }
    return true;
  }

  private boolean waitsForPredecessors() {
    if (predecessors.isEmpty()) {
      return false;
    }
    predecessors.removeIf(thread -> !Predecessors.isRollingOver(thread));
    if (predecessors.isEmpty()) {
      sink.reopen();
      return false;
    }
    reports.info(
        "predecessor",
        "An earlier appender still rolls the file over; events wait in memory and spill until it has"
            + " finished.");
    return true;
  }

  private void deliver(Batch batch) {
    FlightLog.Span stall = counters.flightLog().beginStall();
    long start = System.nanoTime();
    counters.sinkEntered(start);
    try {
      sink.deliver(batch, route.leftover(), delivery);
    } finally {
      counters.sinkTime(System.nanoTime() - start);
      counters.flightLog().endStall(stall, batch.events());
    }
  }

  @Override
  protected boolean hasWork() {
    return predecessors.isEmpty() && (finishing || !route.isEmpty());
  }

  @Override
  protected boolean ended() {
    return ended || delivery.fenced();
  }

  @Override
  protected void onEnd() {
    if (closeSink) {
      sink.close();
    } else {
      sink.flush();
    }
  }

  /**
   * Asks for the end, once everything is delivered. The drainer must have ended.
   *
   * @param close whether to close the sink as well, or only to flush it
   */
  public void finish(boolean close) {
    closeSink = close;
    finishing = true;
    signal();
  }

  /** Gives up: the batch in flight is the last. */
  public void fence() {
    delivery.fence();
  }

  /**
   * How far the batch in flight is.
   *
   * @return read it after {@link #fence}
   */
  public Delivery delivery() {
    return delivery;
  }
}
