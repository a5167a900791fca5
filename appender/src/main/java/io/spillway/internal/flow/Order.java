package io.spillway.internal.flow;

import io.spillway.internal.flow.Pipeline.Parts;
import io.spillway.internal.metrics.Counters;
import io.spillway.internal.metrics.Counters.Count;
import io.spillway.internal.sink.Batch;
import io.spillway.internal.spill.Spill;
import io.spillway.internal.spill.Spill.Outcome;
import io.spillway.internal.spill.Spill.Payload;
import io.spillway.internal.spill.Spill.Place;
import io.spillway.metrics.LossCause;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.zip.DataFormatException;

/**
 * Every rule of the order of events, which is always: in flight, then spill, then ring.
 *
 * <p>One lock guards the batch in flight, its place in the spill, both ends of the spill and the
 * read side of the ring. Sink, decoding, encoding and reading are outside: what they find is used
 * only if nothing has moved meanwhile. Writing to the spill is inside. It is fair: neither starves.
 *
 * <ul>
 *   <li>Not lost: a slot is released only when its event is in flight or appended; a flight is
 *       cleared only when all of it is done.
 *   <li>Not reordered: events of the ring enter an empty spill only behind the record of the
 *       flight, and while the spill holds anything the deliverer leaves the ring alone.
 *   <li>Not doubled: a flight that was appended is the first record, and {@link #finish} marks it.
 * </ul>
 */
final class Order {
  private static final long STALL_NANOS = 10_000_000L;
  private static final long LONG_STALL_NANOS = 1_000_000_000L;
  private static final long BACKLOG_BYTES = 1L << 20; // read before a high ring fills

  private final ReentrantLock order = new ReentrantLock(true);
  private final EventRing ring;
  private final Spill spill;
  private final RecordCodec codec;
  private final SpillReports spillReports;
  private final Counters counters;
  private final FlowConfig config;
  private final Batch flight;
  private final Batch copy; // what the spiller has looked at
  private final Payload encoded = new Payload(); // of the spiller
  private final Payload record = new Payload(); // of the deliverer
  LongSupplier nanoClock = System::nanoTime; // replaced by tests

  // Guarded by the lock.
  private boolean inFlight;
  private long flights; // number of the flight
  private Place place; // of the flight in the spill; null if it is only in memory
  private volatile Receipt receipts; // of the flight, while its callers wait; any thread looks
  private boolean spilling; // from the high mark down to the low one
  private volatile boolean closed; // any thread looks

  private volatile long since; // when the batch in the sink was given to it; 0: none is there
  private volatile long behindSince; // when the pipeline ceased to be empty; 0: it is empty
  private volatile boolean stuck; // the spill did not take the last batch
  private volatile long exitedAt; // 0: the JVM does not exit

  Order(EventRing ring, Parts parts, FlowConfig config, Tell tell) {
    this.ring = ring;
    this.config = config;
    spill = parts.spill();
    codec = parts.codec();
    spillReports = parts.spillReports();
    counters = tell.counters();
    boolean ofBytes = codec instanceof RecordCodec.Bytes;
    flight = ofBytes ? Batch.ofBytes() : Batch.ofEvents();
    copy = ofBytes ? Batch.ofBytes() : Batch.ofEvents();
  }

  Batch flight() {
    return flight;
  }

  /** Makes the next run the batch in flight. Called by the deliverer; false if there is none. */
  boolean take() {
    Place next;
    order.lock();
    try {
      if (flight.isFenced()) {
        return false;
      }
      next = inFlight ? null : spill.first();
      if (next == null) {
        boolean taken = inFlight || takeFromRing();
        behindSince = taken || !ring.isEmpty() ? behindSince : 0;
        return taken && enter();
      }
    } finally {
      order.unlock();
    }
    Outcome outcome = spill.read(next, record);
    String malformed = outcome == Outcome.OK ? decode() : null;
    order.lock();
    try {
      if (flight.isFenced()) {
        return false;
      }
      if (outcome == Outcome.OK && malformed == null) {
        place = next;
        return enter();
      }
      if (outcome != Outcome.FAILED) { // else it is read again
        spill.pass(next, malformed);
      }
      flight.clear();
      return false;
    } finally {
      order.unlock();
    }
  }

  /** Makes the record the flight. Returns why that is not possible; null if it is. */
  private String decode() {
    try {
      codec.decode(record, flight);
      return null;
    } catch (DataFormatException malformed) {
      return malformed.getMessage();
    }
  }

  private boolean takeFromRing() {
    if (config.always() && spill.isOpen() && !stuck) {
      return false; // everything goes through the spill while that can be written
    }
    long last = fill(flight);
    if (flight.count() == 0) {
      return false;
    }
    place = null;
    receipts = ring.release(last);
    return true;
  }

  private boolean enter() {
    flights += inFlight ? 0 : 1;
    inFlight = true;
    since = now();
    behindSince = behindSince == 0 ? since : behindSince;
    return true;
  }

  private long now() {
    long nanos = nanoClock.getAsLong();
    return nanos == 0 ? 1 : nanos;
  }

  /** Adds published events of the ring to an empty batch. Returns the sequence of the last one. */
  private long fill(Batch batch) {
    long last = ring.released();
    for (Object event = ring.event(last + 1); event != null; event = ring.event(last + 1)) {
      if (last - ring.released() == ring.capacity() || !batch.add(event, codec.weight(event))) {
        break;
      }
      last++;
    }
    return last;
  }

  /** Ends the time of the flight in the sink. Called by the deliverer. */
  void finish() {
    order.lock();
    try {
      counters.add(Count.SINK_NANOS, nanoClock.getAsLong() - since);
      since = 0;
      if (place != null && !closed) {
        spill.mark(place, doneOf(place));
        if (spill.first() == null) {
          spillReports.over(true);
        }
      }
      if (flight.done() == flight.count()) {
        inFlight = false;
        // Without a usable spill no caller is acknowledged whose event was to go through it.
        settle((place != null || !config.always()) && !flight.isLossy(), null);
        place = null;
        flight.clear();
      }
    } finally {
      order.unlock();
    }
  }

  /** Returns how many events of the record are done; it lacks those that could not be encoded. */
  private int doneOf(Place record) {
    return Math.max(0, record.events() - (flight.count() - flight.done()));
  }

  /** Answers the callers of the flight. */
  private void settle(boolean written, Place appended) {
    Receipt first = receipts;
    receipts = null;
    settle(first, written, appended);
  }

  private void settle(Receipt first, boolean written, Place appended) {
    if (first != null && written && config.acknowledge() == FlowConfig.Acknowledge.SYNCED) {
      spill.sync(first, appended);
    } else {
      Receipt.settle(first, written);
    }
  }

  /**
   * Appends one batch to the spill, if the sink stalls. Called by the spiller, until it returns
   * false: nothing was to be appended, or could be. What is encoded is encoded outside the lock.
   */
  boolean spill() {
    long number;
    long last;
    boolean ofFlight;
    order.lock();
    try {
      if (!maySpill()) {
        return false;
      }
      number = flights;
      ofFlight = isFlightFirst();
      last = look(ofFlight);
      if (copy.count() == 0) {
        return false;
      }
    } finally {
      order.unlock();
    }
    codec.encode(copy, encoded);
    order.lock();
    try {
      boolean moved =
          ofFlight
              ? number != flights || !isFlightFirst()
              : last - copy.count() != ring.released() || isFlightFirst();
      return moved || maySpill() && (ofFlight ? appendFlight() : appendRun(last));
    } finally {
      copy.clear();
      encoded.bytes = null; // one large event must not stay in the heap
      order.unlock();
    }
  }

  /** Returns whether the flight has to be appended before anything of the ring. */
  private boolean isFlightFirst() {
    return inFlight && place == null && flight.done() < flight.count() && spill.first() == null;
  }

  private long look(boolean ofFlight) {
    copy.clear();
    if (ofFlight) {
      copy.fill(flight.bytes(), flight.length(), flight.events(), flight.count(), 0, false);
    }
    return ofFlight ? 0 : fill(copy);
  }

  private boolean appendFlight() {
    Place appended = append(); // also a record of no event: the ring may follow it
    if (appended == null) {
      return false;
    }
    place = appended;
    spill.mark(place, doneOf(place));
    if (encoded.events == copy.count()) {
      settle(true, place);
    }
    return true;
  }

  private boolean appendRun(long last) {
    Place appended = append();
    if (appended == null) {
      return false;
    }
    counters.lost(LossCause.ENCODE_FAILED, copy.count() - encoded.events, false);
    settle(ring.release(last), encoded.events == copy.count(), appended);
    return true;
  }

  private Place append() {
    Place appended = spill.append(encoded.bytes, encoded.length, encoded.events);
    if (appended == null
        && spill.isFull()
        && config.whenFull() == FlowConfig.WhenFull.DROP_OLDEST
        && spill.dropOldest() > 0) {
      appended = spill.append(encoded.bytes, encoded.length, encoded.events);
    }
    stuck = appended == null;
    if (appended != null) {
      spillReports.appended(encoded.events, encoded.length);
    }
    return appended;
  }

  /** Returns whether the spiller has to append a batch now. */
  private boolean maySpill() {
    if (closed || !spill.isOpen()) {
      return false;
    }
    long stalled = stallNanos();
    boolean all =
        flight.isFenced()
            || exitedAt != 0
            || config.always()
            || stalled > LONG_STALL_NANOS
            || ring.hasCallers()
            || inFlight && place == null && receipts != null;
    spilling =
        (spilling ? ring.isHalfFull() : ring.isHigh())
            && (stalled > STALL_NANOS || spill.bytes() > BACKLOG_BYTES);
    return all || spilling;
  }

  /** Returns whether a look at the ring is worth the spiller's while. Any thread. */
  boolean isPressing() {
    return ring.isHigh()
        || ring.hasCallers()
        || receipts != null
        || (config.always() || exitedAt != 0) && !ring.isEmpty();
  }

  /** Returns whether what comes next may wait for milliseconds. Any thread. */
  boolean isFair() {
    return spill.events() == 0 && !isPressing();
  }

  /** Returns whether events came while the sink had the last ones, and may wait. Any thread. */
  boolean isFlowing() {
    return !ring.isEmpty() && isFair();
  }

  /** Returns how long the batch in the sink has been there; 0 if none is. Any thread. */
  long stallNanos() {
    long entered = since;
    return entered == 0 ? 0 : Math.max(1, nanoClock.getAsLong() - entered);
  }

  /** Tries to open a spill that is not open. */
  void open() {
    order.lock();
    try {
      if (!closed && !spill.isOpen()) {
        spill.open();
      }
    } finally {
      order.unlock();
    }
  }

  /** Sends everything through the spill at once that the sink does not take: the JVM exits. */
  void exit() {
    exitedAt = now();
    try {
      if (order.tryLock(1, TimeUnit.SECONDS)) { // a disk that hangs must not hold the exit up
        spill.exiting();
        order.unlock();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns how long the JVM has been exiting; 0 if it does not. Any thread. */
  long exitNanos() {
    long exited = exitedAt;
    return exited == 0 ? 0 : Math.max(1, nanoClock.getAsLong() - exited);
  }

  /** Returns whether the spill has not taken the last batch, because it is full or has failed. */
  boolean isStuck() {
    return stuck;
  }

  /** Returns whether nothing waits. False while the lock is held, perhaps on a disk that hangs. */
  boolean isDrained() {
    if (!order.tryLock()) {
      return false;
    }
    try {
      return ring.isEmpty() && !inFlight && spill.first() == null;
    } finally {
      order.unlock();
    }
  }

  /** Returns whether a killed process would lose nothing of what was accepted. */
  boolean isSaved() {
    if (!order.tryLock()) {
      return false;
    }
    try {
      return ring.isEmpty() && !(inFlight && place == null);
    } finally {
      order.unlock();
    }
  }

  /** Returns how long ago nothing waited; 0 if nothing waits. Any thread. */
  long behindNanos() {
    long behind = behindSince;
    return behind == 0 ? 0 : Math.max(1, nanoClock.getAsLong() - behind);
  }

  /** Gives up what is left of the flight, after it has failed for long. */
  void giveUp() {
    counters.lost(LossCause.SINK_FAILED, flight.count() - flight.done(), flight.leftover());
    flight.lossy();
    flight.done(flight.count());
  }

  /**
   * Ends the order, once the deliverer is fenced: what is left is counted as lost if it could not
   * be appended. Called by the spiller until it returns true.
   */
  boolean close(boolean last) {
    order.lock();
    try {
      while (last && fill(copy) > ring.released()) {
        counters.lost(LossCause.NOT_SAVED, copy.count(), false);
        Receipt.settle(ring.release(ring.released() + copy.count()), false);
        copy.clear();
      }
      copy.clear();
      boolean unsaved = isFlightFirst() && spill.isOpen(); // the spill may take it in a moment
      if (!last && unsaved || !ring.seal()) {
        return false;
      }
      int left = flight.count() - flight.done();
      if (inFlight && place != null) {
        spill.mark(place, doneOf(place));
        counters.lost(LossCause.NOT_SAVED, left - Math.min(left, place.events()), false);
      } else if (inFlight && left > 0) {
        counters.lost(LossCause.NOT_SAVED, left, flight.leftover());
      }
      settle(false, null);
      closed = true;
      spillReports.over(false);
      spill.close();
      return true;
    } finally {
      order.unlock();
    }
  }

  boolean isClosed() {
    return closed;
  }
}
