package io.spillway.ring;

import io.spillway.metrics.Counters;
import io.spillway.metrics.Pulse;
import io.spillway.metrics.Reports;
import io.spillway.route.Route;
import io.spillway.route.Worker;
import io.spillway.sink.Batch;

/**
 * The ring's only consumer: turns events into batches and places them, never waiting for the sink.
 * When a batch finds no room it is kept and tried again, while the ring fills up behind it.
 *
 * @param <E> the type of event
 */
public final class Drainer<E> extends Worker {
  // Shorter pauses make small batches, and each batch costs two wake-ups and a write.
  private static final long MIN_IDLE_NANOS = 1_000_000;
  // Reached after two tenths of a second without events. From then on the drainer sleeps, and the
  // next publisher wakes it: polling on would cost half a percent of a core for ever, and waking it
  // any sooner would cost publishers within traffic.
  private static final long MAX_IDLE_NANOS = 4_000_000;
  private static final long SLEEP_NANOS = 50_000_000;

  private final EventRing<E> ring;
  private final Batcher<E> batcher;
  private final Route route;
  private final Worker deliverer;
  private final Pulse pulse;
  private Batch unplaced;
  private boolean noRoom;
  private volatile boolean finishing;
  private volatile boolean givenUp;
  private volatile boolean sealed;

  /**
   * A drainer, not started.
   *
   * @param owner whose log calls on this thread are re-entrant
   * @param name of the appender
   * @param ring polled
   * @param batcher makes batches
   * @param route takes them
   * @param deliverer woken for each
   * @param pulse beats at every step
   * @param counters told of failures
   * @param reports told of failures
   */
  public Drainer(
      Object owner,
      String name,
      EventRing<E> ring,
      Batcher<E> batcher,
      Route route,
      Worker deliverer,
      Pulse pulse,
      Counters counters,
      Reports reports) {
    super(owner, "spillway-drainer-" + name, MIN_IDLE_NANOS, MAX_IDLE_NANOS, counters, reports);
    this.ring = ring;
    this.batcher = batcher;
    this.route = route;
    this.deliverer = deliverer;
    this.pulse = pulse;
    setDaemon(true);
  }

  @Override
  protected boolean step() {
    pulse.beat(ring.accepted());
    if (unplaced == null) {
      boolean polled = ring.poll(batcher::add);
      unplaced = batcher.take();
      if (unplaced == null) {
        sealed = finishing && !polled && ring.seal();
        return sealed || polled;
      }
    }
    noRoom = !route.place(unplaced);
    if (noRoom) {
      return false;
    }
    unplaced = null;
    deliverer.signal();
    return true;
  }

  @Override
  protected boolean hasWork() {
    return finishing || (unplaced == null && !ring.isEmpty());
  }

  @Override
  protected void pause(long nanos) {
    if (nanos < MAX_IDLE_NANOS || unplaced != null) { // room for a batch is not signalled
      super.pause(nanos);
    } else {
      ring.awaitEvent(SLEEP_NANOS);
    }
  }

  @Override
  protected boolean ended() {
    return sealed || (givenUp && noRoom);
  }

  /**
   * Events that had left the ring and found no room when the drainer gave up.
   *
   * @return read it after this thread has ended
   */
  public int unplacedEvents() {
    return unplaced == null ? 0 : unplaced.events();
  }

  /** Asks for the end, once everything published is placed and the ring is sealed. */
  public void finish() {
    finishing = true;
    signal();
  }

  /**
   * Gives up at the first batch that finds no room: it and what is in the ring behind it is lost.
   */
  public void giveUp() {
    givenUp = true;
    signal();
  }
}
