package io.spillway.internal.route;

import io.spillway.internal.codec.CodecException;
import io.spillway.internal.codec.EventCodec;
import io.spillway.internal.metrics.Counters;
import io.spillway.internal.metrics.EpisodeReports;
import io.spillway.internal.metrics.Reports;
import io.spillway.internal.sink.Batch;
import io.spillway.internal.sink.Delivery;
import io.spillway.internal.spill.Spill;
import io.spillway.internal.spill.SpillRecord;
import io.spillway.metrics.LossCause;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Memory or spill: the decision that keeps events in order.
 *
 * <ol>
 *   <li>Assumption: one thread, the drainer, calls {@link #place}; one, the deliverer, calls {@link
 *       #next}, {@link #finished} and {@link #maintain}.
 *   <li>Rule: a batch goes to memory only while nothing waits in the spill. So whatever is in
 *       memory is older than whatever is in the spill.
 *   <li>Rule: the deliverer looks whether the spill has something <em>before</em> it finds memory
 *       empty. Looking afterwards it could miss batches that went to memory in between, and deliver
 *       the later ones of the spill first.
 *   <li>Guarantee: batches are delivered in the order in which they were placed.
 * </ol>
 *
 * <p>{@code Spill.isEmpty} turns true only in {@code delivered}, called by the deliverer, and false
 * only in {@code append}, called by the drainer; both sides of the first rule are therefore seen by
 * the thread that needs them.
 */
public final class Route {
  private final HandOff memory;
  private final Spill spill;
  private BatchCodec codec; // null after the end
  private final SpillMode mode;
  private final Counters counters;
  private final Reports reports;
  private final BooleanSupplier spillBarred;
  private final SpillEpisode episode;
  private final boolean syncs;

  // The drainer's: what became of the batch that it tries to place now.
  private Batch encodedBatch;
  private Spill.Payload encoded;
  private Batch appended; // whatever was thrown after that
  private boolean written; // all of the batch that was placed last is in the spill

  private volatile boolean writing; // by the drainer
  private boolean leftoversFirst; // the deliverer's
  private boolean spillUnopened; // the deliverer's
  private volatile SpillRecord record; // the record in flight, null if the batch is from memory
  private volatile Batch recordBatch;
  private boolean recordTaken; // by the sink; deliverer only

  /**
   * What becomes of events that memory does not take.
   *
   * @param spill takes them, or null if there is none
   * @param codec for it
   * @param mode when to spill
   * @param barred asked by the drainer; while true the spill does not grow
   * @param syncs whether who wants to be acknowledged waits for an fsync, too
   */
  public record Overflow(
      Spill spill, BatchCodec codec, SpillMode mode, BooleanSupplier barred, boolean syncs) {}

  /**
   * A route.
   *
   * @param context told of every event, and of failures
   * @param memory first choice
   * @param overflow second choice
   * @param episodes told of each episode of spilling that has ended
   */
  public Route(
      PipelineContext context, HandOff memory, Overflow overflow, EpisodeReports episodes) {
    this.memory = memory;
    spill = overflow.spill();
    spillUnopened = spill != null && !spill.isOpen();
    codec = overflow.codec();
    mode = overflow.mode();
    spillBarred = overflow.barred();
    syncs = overflow.syncs();
    counters = context.counters();
    reports = context.reports();
    episode = new SpillEpisode(counters, reports, episodes);
  }

  /**
   * A codec for a thread that places batches.
   *
   * @return a new one, unless codecs of its kind keep nothing
   */
  public BatchCodec anotherCodec() {
    return codec.another();
  }

  /**
   * Places a batch, by a thread that nobody watches.
   *
   * @param batch newer than all placed before
   * @return false if there is no room now, neither in memory nor in the spill; call again
   */
  public boolean place(Batch batch) {
    return place(batch, codec, EventCodec.Foreign.UNWATCHED, null, false);
  }

  /**
   * Places a batch.
   *
   * @param batch newer than all placed before
   * @param encoder the calling thread's own
   * @param how what to do about foreign code
   * @param shift the calling thread, or null if nobody watches it
   * @param spillFirst as in mode ALWAYS, because somebody waits for the write
   * @return false if there is no room now, neither in memory nor in the spill; call again
   */
  public boolean place(
      Batch batch,
      BatchCodec encoder,
      EventCodec.Foreign how,
      Worker.Shift shift,
      boolean spillFirst) {
    boolean first = spillFirst || mode == SpillMode.ALWAYS;
    boolean placed = batch == appended || (!first && toMemory(batch));
    if (!placed) {
      // In mode ALWAYS memory is the way out while the spill fails: better accepted than stuck.
      placed = toSpill(batch, encoder, how, shift, spillFirst) || (first && toMemory(batch));
    }
    written = placed && batch == appended && encoded.events() == batch.events();
    if (placed) {
      encodedBatch = null;
      encoded = null;
      appended = null;
    }
    return placed;
  }

  /**
   * Whether all of the batch that was placed last is in the spill. The drainer's.
   *
   * @return false if it went to memory, or something of it was lost
   */
  public boolean isWritten() {
    return written;
  }

  /**
   * Settles the receipts of callers, now or after the next fsync. The drainer's.
   *
   * @param first of a chain
   * @param all whether their events are in the spill
   */
  public void acknowledge(Receipt first, boolean all) {
    if (all && syncs) {
      spill.whenSynced(first);
    } else {
      Receipt.settle(first, all);
    }
  }

  private boolean toMemory(Batch batch) {
    return spillIsEmpty() && memory.offer(batch);
  }

  private boolean toSpill(
      Batch batch, BatchCodec encoder, EventCodec.Foreign how, Worker.Shift shift, boolean asked) {
    if (spill == null || spillBarred.getAsBoolean()) {
      return false;
    }
    Spill.Payload payload = encode(batch, encoder, how, shift);
    int events = payload.events();
    if (events > 0) {
      Spill.Append done = append(payload);
      if (done == Spill.Append.FULL) {
        reports.error(
            "spill.full",
            "The spill has reached maxSpillSize and the memory buffer is full: the ring fills up"
                + " and whenFull decides. To do: find what holds up the sink, or raise"
                + " maxSpillSize.",
            null);
      }
      if (done != Spill.Append.APPENDED) {
        return false; // FAILED has been counted and reported by the spill
      }
      appended = batch;
      counters.spilled(events);
      if (mode == SpillMode.OVERFLOW && !asked) {
        episode.spilled(events, payload.length());
      }
    }
    if (events < batch.events()) {
      counters.lost(LossCause.ENCODE_FAILED, batch.events() - (long) events, false);
    }
    return true;
  }

  /** Once a batch, however often it is tried: foreign code runs in there. */
  private Spill.Payload encode(
      Batch batch, BatchCodec encoder, EventCodec.Foreign how, Worker.Shift shift) {
    if (encodedBatch != batch) {
      Spill.Payload payload;
      if (shift == null) {
        payload = encoder.encode(batch, 0, how);
      } else {
        shift.enter(0);
        try {
          payload = encoder.encode(batch, 0, how);
        } finally {
          shift.leave();
        }
      }
      encoded = payload;
      encodedBatch = batch;
    }
    return encoded;
  }

  private Spill.Append append(Spill.Payload payload) {
    writing = true;
    try {
      return spill.append(payload.bytes(), payload.offset(), payload.length(), payload.events());
    } finally {
      writing = false;
    }
  }

  /** The drainer's, when it has placed nothing. */
  public void keep() {
    if (spill != null) {
      writing = true;
      try {
        spill.keep();
      } finally {
        writing = false;
      }
    }
  }

  /**
   * Whether the drainer is in an operation on the disk now.
   *
   * @return true if so
   */
  public boolean isWriting() {
    return writing;
  }

  private boolean spillIsEmpty() {
    return spill == null || spill.isEmpty();
  }

  /**
   * The batch to deliver now. It stays where it is until {@link #finished}.
   *
   * @return null if there is none
   */
  public Batch next() {
    if (record != null && recordTaken) {
      finished(); // it threw, after the sink had taken the record
    }
    if (record != null) {
      return recordBatch; // its delivery threw: the sink gets the rest of it
    }
    if (spillUnopened && spill.isOpen()) {
      spillUnopened = false;
      leftoversFirst = spill.hasLeftovers(); // nothing that memory holds is older
    }
    while (true) {
      boolean spilled = !spillIsEmpty(); // before peek: rule 3
      SpillRecord next = leftoversFirst ? spill.readLeftover() : null;
      if (next == null) {
        leftoversFirst = leftoversFirst && spill.hasLeftovers(); // not while one cannot be read now
        if (leftoversFirst) {
          return null;
        }
        Batch batch = memory.peek();
        if (batch != null) {
          return batch;
        }
        next = spilled ? spill.read() : spill == null ? null : spill.readSetAside();
      }
      if (next == null) {
        return null;
      }
      Batch batch;
      try {
        batch = codec.decode(next.payload(), next.events(), next.skip());
      } catch (CodecException e) {
        counters.lost(LossCause.SPILL_DAMAGED, next.events() - (long) next.skip(), next.leftover());
        spill.malformed(next);
        record = next;
        recordTaken = true;
        finished();
        reports.error("spill.codec", "A record in the spill cannot be decoded, it is lost.", e);
        continue;
      } catch (RuntimeException | Error e) {
        spill.undelivered(next, next.skip()); // for want of memory perhaps, which may come back
        throw e;
      }
      recordBatch = batch;
      recordTaken = false;
      record = next;
      return batch;
    }
  }

  /**
   * Whether an earlier run had accepted the batch in flight.
   *
   * @return true for a leftover
   */
  public boolean leftover() {
    SpillRecord current = record;
    return current != null && current.leftover();
  }

  /** The spill may save its cursor now, so that a crash repeats at most 1,024 events. */
  public void beforeDelivery() {
    if (record != null) {
      spill.beforeDelivery(record);
    }
  }

  /** The batch in flight is delivered. */
  public void finished() {
    SpillRecord current = record;
    if (current == null) {
      memory.remove();
      return;
    }
    recordTaken = true;
    spill.delivered(current);
    record = null;
    recordBatch = null;
    if (spill.isEmpty()) {
      episode.end();
    }
  }

  /**
   * Takes over what an appender that stopped only now has left in its spill: it comes before
   * everything that memory or spill hold already. Before the first batch.
   */
  void adoptLeftovers() {
    leftoversFirst = spill != null && spill.adoptLeftovers();
  }

  /** Housekeeping when there is nothing to deliver. */
  public void maintain() {
    if (spill != null) {
      spill.maintain();
      if (spill.isEmpty()) {
        episode.end();
      }
    }
  }

  /**
   * Looks for work.
   *
   * @return false if nothing waits
   */
  public boolean isEmpty() {
    return memory.peek() == null && spillIsEmpty();
  }

  /**
   * Saves what memory holds to the spill, for the next start. Only after the deliverer has ended or
   * has been fenced off, and the drainer has ended.
   *
   * @param delivery knows how much of the batch in flight was delivered
   * @return how many events could not be saved
   */
  public long saveRest(Delivery delivery) {
    SpillRecord current = record;
    if (current != null) {
      saveRecord(current, delivery.takenOf(recordBatch));
    }
    List<Spill.Payload> rest = new ArrayList<>();
    long events = 0;
    for (Batch batch : memory.contents()) {
      int taken = delivery.takenOf(batch);
      if (taken < batch.events()) {
        Spill.Payload payload = codec.another().encode(batch, taken, EventCodec.Foreign.UNWATCHED);
        int unencoded = batch.events() - taken - payload.events();
        counters.lost(LossCause.ENCODE_FAILED, unencoded, false);
        rest.add(payload);
        events += payload.events();
      }
    }
    int saved = spill == null ? 0 : spill.prepend(rest);
    List<Spill.Payload> written = rest.subList(0, saved);
    long savedEvents = 0;
    long savedBytes = 0;
    for (Spill.Payload payload : written) {
      savedEvents += payload.events();
      savedBytes += payload.length();
    }
    counters.spilled(savedEvents);
    episode.cutShort(savedEvents, savedBytes);
    counters.lost(LossCause.NOT_SAVED, events - savedEvents, false);
    return events - savedEvents;
  }

  /**
   * Whether the next start will have something to deliver, once {@link #saveRest} has returned.
   *
   * @return true if so
   */
  public boolean hasBacklog() {
    return !spillIsEmpty();
  }

  /**
   * Places a batch behind a backlog that was saved, for the next start. By one thread at a time.
   *
   * @param batch newer than the backlog
   * @return false if the spill does not take it
   */
  public boolean placeBehindBacklog(Batch batch) {
    return toSpill(batch, codec, EventCodec.Foreign.UNWATCHED, null, false);
  }

  /** Forgets its buffers and what memory holds, after it was saved. */
  public void letGo() {
    encodedBatch = null;
    encoded = null;
    appended = null;
    codec = null;
    memory.clear();
  }

  private void saveRecord(SpillRecord current, int taken) {
    if (recordTaken || taken == recordBatch.events()) {
      spill.delivered(current); // all of it, between the sink's return and the fence
    } else {
      spill.deliveredPart(current, current.skip() + taken);
    }
  }
}
