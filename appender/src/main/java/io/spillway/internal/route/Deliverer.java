package io.spillway.internal.route;

import io.spillway.internal.metrics.FlightLog;
import io.spillway.internal.sink.Batch;
import io.spillway.internal.sink.Delivery;
import io.spillway.internal.sink.Sink;
import io.spillway.metrics.LossCause;
import java.util.concurrent.atomic.AtomicReference;

/** The worker that delivers batches to the sink. The sink may hold it up for any time. */
public final class Deliverer extends Worker {
  // The drainer wakes it; these pauses are for work that becomes due by time, such as writing the
  // cursor.
  private static final long MIN_IDLE_NANOS = 10_000_000;
  private static final long MAX_IDLE_NANOS = 200_000_000;
  // How long the sink may throw without taking an event; a nested appender may be unstarted as
  // long.
  private static final long PATIENCE_NANOS = 10_000_000_000L;

  private final Sink sink;
  private final Delivery delivery = new Delivery();
  private final AtomicReference<Where> where = new AtomicReference<>(Where.ROUTE);
  private Route route;
  private Predecessors predecessors; // null once delivery may begin
  private volatile boolean finishing;
  private final AtomicReference<End> end = new AtomicReference<>(End.FLUSH);
  private boolean ended;
  private boolean resting; // no work becomes due by time alone
  private boolean throwing; // the last delivery threw, and took nothing
  private long throwingSinceNanos;

  /**
   * Which owner the route has. Only compare-and-set leaves SINK: either the deliverer returns from
   * the sink, or the route gets another owner and the deliverer never touches it again.
   */
  private enum Where {
    ROUTE,
    SINK,
    GONE
  }

  /** What the deliverer does with the sink at its end. Only compare-and-set changes it. */
  private enum End {
    FLUSH,
    CLOSE,
    CLOSED,
    /**
     * The deliverer has flushed and left the sink; the caller of requestSinkClose() may close it.
     */
    LEFT
  }

  /**
   * Creates a deliverer that is not started.
   *
   * @param context counts the time spent in the sink, and reports failures
   * @param route where batches come from
   * @param sink where they go
   * @param predecessors threads of earlier appenders, for which it may have to wait
   */
  public Deliverer(PipelineContext context, Route route, Sink sink, Predecessors predecessors) {
    super(context, "deliverer", MIN_IDLE_NANOS, MAX_IDLE_NANOS);
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
      resting = route.maintain();
      ended = finishing && route.isEmpty();
      return ended;
    }
    if (!delivery.begin(batch)) {
      ended = true;
      return true;
    }
    route.beforeDelivery();
    boolean leftover = route.leftover();
    where.set(Where.SINK);
    boolean back;
    int before = delivery.done();
    try {
      deliver(batch, leftover);
      throwing = false;
    } catch (Throwable t) {
      if (!isHopeless(before, t) || !giveUp(batch, leftover, t)) {
        throw t; // the same batch again, after the events already taken
      }
    } finally {
      back = where.compareAndSet(Where.SINK, Where.ROUTE);
    }
    if (back && !delivery.fenced()) {
      route.finished();
      delivery.end(); // a stop that fences from here on waits until hasLeftRoute()
    } else {
      ended = true; // a stop saves the rest, and the route may have another owner
    }
    return true;
  }

  private boolean waitsForPredecessors() {
    if (predecessors == null) {
      return false;
    }
    String reason = predecessors.reasonToWait();
    if (reason != null) {
      reports.info("predecessor", reason);
      return true;
    }
    if (predecessors.hasGivenUp()) {
      reports.warn(
          "predecessor.given.up", // another topic: the limit of the first may be used up
          "An earlier appender has not let go of the spill directory, and delivery begins without its"
              + " events; they come with the next start after that. To do: see whether the disk of"
              + " the spill directory answers.");
    }
    if (predecessors.any()) {
      sink.reopen();
    }
    Predecessors gone = predecessors;
    predecessors = null;
    try {
      route.adoptLeftovers();
    } catch (OutOfMemoryError e) {
      predecessors = gone; // try again: leftovers that were adopted must be read
      throw e;
    }
    return false;
  }

  /**
   * Returns whether the sink has thrown for {@code PATIENCE_NANOS} without taking an event. An
   * OutOfMemoryError does not count, since it is not the sink's fault, and passes. Allocates
   * nothing.
   */
  private boolean isHopeless(int before, Throwable t) {
    long now = System.nanoTime();
    if (!throwing || delivery.done() > before || t instanceof OutOfMemoryError) {
      throwing = true;
      throwingSinceNanos = now;
    }
    return now - throwingSinceNanos >= PATIENCE_NANOS;
  }

  /**
   * Counts the rest of the batch as lost, because the events behind it would fill the spill and
   * then hold up log calls. Later batches are given up at their first throw, until one succeeds.
   *
   * @return false if the deliverer is fenced off: a stop saves the rest
   */
  private boolean giveUp(Batch batch, boolean leftover, Throwable t) {
    int rest = batch.events() - delivery.done();
    if (!delivery.begin(batch) || !delivery.claim(batch.events())) {
      return false;
    }
    counters.lost(LossCause.SINK_FAILED, rest, leftover);
    delivery.done(batch.events());
    counters.sinkFailure();
    reports.error(
        "sink.throws",
        "The sink has thrown for 10 seconds without taking an event: events are lost (SINK_FAILED)"
            + " until it takes one. To do: see what it throws; it is code that runs before an"
            + " event is appended, such as isStarted() of the nested appender.",
        t);
    return true;
  }

  private void deliver(Batch batch, boolean leftover) {
    FlightLog.Span stall = counters.flightLog().beginStall();
    long start = System.nanoTime();
    counters.sinkEntered(start);
    try {
      sink.deliver(batch, leftover, delivery);
    } finally {
      counters.sinkTime(System.nanoTime() - start);
      counters.flightLog().endStall(stall, batch.events());
    }
  }

  @Override
  protected void pause(long nanos) {
    super.pause(resting ? MAX_IDLE_NANOS : nanos);
  }

  @Override
  protected boolean hasWork() {
    return predecessors == null && (finishing || !route.isEmpty());
  }

  @Override
  protected boolean ended() {
    return ended || delivery.fenced();
  }

  @Override
  protected void onEnd() {
    where.set(Where.GONE);
    try {
      if (end.get() == End.FLUSH) {
        sink.flush();
      }
      if (!end.compareAndSet(End.FLUSH, End.LEFT) && end.get() == End.CLOSE) {
        sink.close();
        // Recorded here, since onEnd() is called again after an OutOfMemoryError.
        end.set(End.CLOSED);
      }
    } finally {
      Predecessors.gone(this);
    }
  }

  /**
   * Makes the deliverer close the sink at its end, instead of only flushing it.
   *
   * @return false if the deliverer has ended before, so that the caller has to close the sink
   */
  public boolean requestSinkClose() {
    return end.compareAndSet(End.FLUSH, End.CLOSE) || end.get() != End.LEFT;
  }

  /** Requests the end once everything is delivered. The drainer must have ended. */
  public void finish() {
    finishing = true;
    signal();
  }

  /** Fences the deliverer off: the batch in flight is its last. */
  public void fence() {
    delivery.fence();
  }

  /**
   * Returns, after {@link #fence}, whether the deliverer will never touch the route again, so that
   * the caller may. A deliverer that is in the sink then finds the route taken.
   *
   * @return false while the deliverer is in the route, as long as a disk does not answer
   */
  public boolean hasLeftRoute() {
    return where.compareAndSet(Where.SINK, Where.GONE) || where.get() == Where.GONE;
  }

  /** Frees the route, after the deliverer has left it, and the batch that is in the sink. */
  public void releaseBuffers() {
    route = null;
    delivery.end();
  }

  /**
   * Returns how much of the batch in flight is delivered.
   *
   * @return the delivery; to be read after {@link #fence}
   */
  public Delivery delivery() {
    return delivery;
  }
}
