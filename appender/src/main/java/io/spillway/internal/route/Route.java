package io.spillway.internal.route;

import io.spillway.internal.codec.CodecException;
import io.spillway.internal.codec.EventCodec;
import io.spillway.internal.metrics.Counters;
import io.spillway.internal.metrics.EpisodeReports;
import io.spillway.internal.metrics.Reports;
import io.spillway.internal.sink.Batch;
import io.spillway.internal.sink.Delivery;
import io.spillway.internal.sink.DropPolicy;
import io.spillway.internal.sink.Tally;
import io.spillway.internal.spill.Spill;
import io.spillway.internal.spill.SpillRecord;
import io.spillway.metrics.LossCause;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.function.BooleanSupplier;

/**
 * Decides whether a batch goes to memory or to the spill, and keeps events in order.
 *
 * <ol>
 *   <li>Assumption: one thread, the drainer, calls {@link #place}; one, the deliverer, calls {@link
 *       #next}, {@link #finished} and {@link #maintain}.
 *   <li>Rule: a batch goes to memory only while nothing waits in the spill. So whatever is in
 *       memory is older than whatever is in the spill.
 *   <li>Rule: the deliverer checks whether the spill has something <em>before</em> it finds memory
 *       empty. If it checked afterwards, it could miss batches that went to memory in between, and
 *       deliver later ones of the spill first.
 *   <li>Guarantee: batches are delivered in the order in which they were placed.
 * </ol>
 *
 * <p>{@code Spill.isEmpty} turns true only in {@code delivered}, called by the deliverer, and false
 * only in {@code append}, called by the drainer; so each thread sees at once the change on which it
 * relies.
 */
public final class Route {
  private static final int MOST_SHORTAGES = 100;

  private final HandOff memory;
  private final Spill spill;
  private BatchCodec codec; // used by the saver; other threads use others
  private final SpillMode mode;
  private final Counters counters;
  private final Reports reports;
  private final BooleanSupplier spillBarred;
  private final SpillEpisode episode;
  private final boolean syncs;
  private final DropPolicy policy;
  private final Evictor evictor = new Evictor();
  private final SpillPlaces places = new SpillPlaces();

  // Used by the drainer: the state of the batch that it tries to place.
  private Batch encodedBatch;
  private Spill.Payload encoded;
  private Batch appended; // that batch if it is in the spill, even if a later step threw
  private boolean written; // all of the batch that was placed last is in the spill
  private boolean bypassed; // memory has taken a batch since spill.bypassed()

  private volatile boolean writing; // the drainer is in a disk operation
  private volatile boolean saving; // saveRest() has begun; its events still count as waiting
  private boolean leftoversFirst; // used by the deliverer
  private boolean spillUnopened; // used by the deliverer
  private volatile SpillRecord record; // the record in flight, null if the batch is from memory
  private volatile Batch recordBatch;
  private boolean recordTaken; // the sink has taken it; used by the deliverer
  private boolean memoryFull; // for the batch that was placed last; used by the drainer
  private boolean full; // the spill, for the batch that found no room; used by the drainer
  private boolean atLimit; // full, by maxSpillSize
  // The spill's disk is full, while the sink needs room; used by the drainer.
  private boolean starved;
  private Batch given; // batch of memory that the sink has; used by the deliverer

  // Used by the thread that ends the appender: what memory held, while it is saved.
  private final Saver saver;
  private final ArrayList<Spill.Payload> rest = new ArrayList<>();
  private int shortages; // OutOfMemoryErrors in a row

  /**
   * What happens to events that memory does not take.
   *
   * @param spill takes them, or null if there is none
   * @param codec encodes them for the spill
   * @param mode when to spill
   * @param barred called by the drainer once the spill's disk is full; while it returns true, the
   *     spill does not grow
   * @param syncs whether a call that waits to be acknowledged also waits for an fsync
   * @param policy which events may be dropped
   */
  public record Overflow(
      Spill spill,
      BatchCodec codec,
      SpillMode mode,
      BooleanSupplier barred,
      boolean syncs,
      DropPolicy policy) {}

  /**
   * Creates a route.
   *
   * @param context counts every event, and reports failures
   * @param memory first choice
   * @param overflow second choice
   * @param episodes called at the end of each episode of spilling
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
    policy = overflow.policy();
    counters = context.counters();
    reports = context.reports();
    episode = new SpillEpisode(counters, reports, episodes);
    saver = new Saver(context, this);
  }

  /** Loads classes for the first batch in the spill, and for the watchdog on a busy machine. */
  public static void rehearse() {
    SpillEpisode.rehearse();
    BatchCodec.rehearse();
    Worker.rehearse();
  }

  /**
   * Returns a codec for a thread that places batches.
   *
   * @return a new codec, or a shared one if its kind keeps no state
   */
  public BatchCodec anotherCodec() {
    return codec.another();
  }

  /**
   * Places a batch in memory or in the spill. Called by the drainer.
   *
   * @param batch newer than all placed before
   * @param encoder codec of the calling thread
   * @param how how to handle foreign objects
   * @param shift the calling thread, or null if the watchdog does not watch it
   * @param spillFirst whether to spill as in mode ALWAYS, because a caller waits for the write
   * @return false if there is no room now, neither in memory nor in the spill; call again
   */
  public boolean place(
      Batch batch,
      BatchCodec encoder,
      EventCodec.Foreign how,
      Worker.Shift shift,
      boolean spillFirst) {
    full = false;
    atLimit = false;
    boolean first = spillFirst || spillsFirst();
    boolean placed = batch == appended || (!first && toMemory(batch));
    if (!placed) {
      // In mode ALWAYS memory takes a batch that the spill cannot, so that it is accepted.
      placed =
          (isSpillFree() && toSpill(batch, encode(batch, encoder, how, shift), spillFirst))
              || (first && toMemory(batch));
      if (!placed && atLimit) {
        reports.error(
            "spill.full",
            "The spill has reached maxSpillSize, and memory takes nothing more: the ring fills up"
                + " and whenFull decides. To do: find what holds up the sink, or raise"
                + " maxSpillSize.",
            null);
      }
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
   * Returns whether batches go to the spill although memory has room.
   *
   * @return true in mode ALWAYS
   */
  public boolean spillsFirst() {
    return mode == SpillMode.ALWAYS;
  }

  /**
   * Returns whether all of the batch that was placed last is in the spill. Called by the drainer.
   *
   * @return false if it went to memory, or some of its events were lost
   */
  public boolean isWritten() {
    return written;
  }

  /**
   * Settles the receipts of callers, now or after the next fsync. Called by the drainer.
   *
   * @param first first of a chain
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
    boolean mayTake = spillIsEmpty();
    boolean taken = mayTake && memory.offer(batch);
    memoryFull = mayTake && !taken;
    bypassed |= taken;
    starved = starved && (!taken || spillBarred.getAsBoolean());
    return taken;
  }

  /**
   * Returns whether the spill may grow. A quota may limit the sink alone, so only a spill whose
   * disk was full is barred, until the sink needs no room, whatever memory or the spill take in
   * between.
   */
  private boolean isSpillFree() {
    starved = starved && spillBarred.getAsBoolean();
    return spill != null && !starved;
  }

  private boolean toSpill(Batch batch, Spill.Payload payload, boolean asked) {
    int events = payload.events();
    boolean behind = mode == SpillMode.OVERFLOW && !asked && isSinkBehind(batch);
    if (events > 0) {
      if (bypassed
          && !asked) { // a caller that waits for a sync would also wait for that of a new file
        spill.bypassed();
        bypassed = false;
      }
      Spill.Append done = append(payload);
      full = done == Spill.Append.FULL || done == Spill.Append.DISK_FULL;
      atLimit = done == Spill.Append.FULL;
      starved |= done == Spill.Append.DISK_FULL;
      if (done != Spill.Append.APPENDED) {
        return false; // the spill has counted and reported a failure
      }
      appended = batch;
      places.spilled(batch.place(), events, spill.settledEvents());
      counters.spilled(events);
    }
    counters.lost(LossCause.ENCODE_FAILED, batch.events() - (long) events, false);
    if (events > 0 && behind) {
      episode.spilled(events, payload.length()); // last: if it throws, the batch counts as placed
    }
    return true;
  }

  /**
   * Returns whether a batch is spilled because the sink is behind, and not only because it must
   * stay behind events whose log calls wait for a write; then memory would have room for it and for
   * all that waits in the spill. To be called before the batch is in the spill.
   */
  private boolean isSinkBehind(Batch batch) {
    return memoryFull || episode.runs() || !memory.hasRoom(batch, spill.waitingBytes());
  }

  /**
   * Returns whether events go to the spill because the sink is behind. Any thread.
   *
   * @return false in mode ALWAYS
   */
  public boolean isSpilling() {
    return episode.runs();
  }

  /** Encodes a batch, once however often it is placed, because foreign code runs. */
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
      return spill.append(payload);
    } finally {
      writing = false;
    }
  }

  /**
   * Drops the oldest waiting events that may be dropped, to make room. Called by the drainer when
   * {@link #place} has found none. Nothing is dropped where that would make no room: in memory
   * while the spill is not empty, or in a spill that cannot be written.
   *
   * @param batch the batch to be placed
   * @param inMemory whether events in memory may be dropped, too
   * @return false if nothing can be dropped
   */
  public boolean makeRoom(Batch batch, boolean inMemory) {
    int[] evicted = inMemory && spillIsEmpty() ? memory.evict(policy, batch.heapBytes()) : null;
    if (evicted != null) {
      evicted(evicted, false);
      return true;
    }
    return full && evictSpilled();
  }

  private boolean evictSpilled() {
    writing = true;
    try {
      return spill.evict(evictor);
    } finally {
      writing = false;
    }
  }

  /**
   * Counts and reports events that were dropped to make room.
   *
   * @param events how many of each level
   * @param leftover whether an earlier run had accepted them
   */
  public void evicted(int[] events, boolean leftover) {
    counters.lost(LossCause.EVICTED, events, leftover);
    reports.warn("evicted", policy.oldest() ? OLDEST_EVICTED : EVICTED_FOR_KEPT);
  }

  private static final String TO_DO =
      " (EVICTED). To do: find what holds up the sink, or raise maxSpillSize.";
  private static final String OLDEST_EVICTED =
      "whenFull=DROP_OLDEST: memory and spill are full, the oldest events make room" + TO_DO;
  private static final String EVICTED_FOR_KEPT =
      "whenFullKeepLevel: events below this level make room for those that are kept" + TO_DO;

  /** Decides for the spill which records may be dropped, and counts their events. */
  private final class Evictor implements Spill.Evictor {
    private final int[] dropped = new int[Tally.LEVELS];

    @Override
    public void begin() {
      Arrays.fill(dropped, 0);
    }

    @Override
    public boolean drop(SpillRecord record) {
      Tally tally = BatchCodec.tally(record.tag(), record.payload(), record.events());
      boolean droppable = policy.isDroppable(tally);
      if (droppable) {
        tally.addTo(dropped);
      }
      return droppable;
    }

    @Override
    public void end(boolean leftover) {
      evicted(dropped, leftover);
    }
  }

  /** Lets the spill check that its files are still there; called by the drainer when it is idle. */
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
   * Returns whether the drainer is in a disk operation now.
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
   * Returns the batch to deliver now. It stays where it is until {@link #finished}.
   *
   * @return null if there is none
   */
  public Batch next() {
    if (record != null && recordTaken) {
      finished(); // finished() threw after the sink had taken the record
    }
    if (record != null) {
      return recordBatch; // its delivery threw: the sink gets the rest of it
    }
    if (given != null) {
      return given; // its delivery threw; it stays next, even if the spill has opened since
    }
    if (spillUnopened && spill.isOpen()) {
      spillUnopened = false;
      leftoversFirst = spill.hasLeftovers(); // they are older than what memory holds
    }
    while (true) {
      boolean spilled = !spillIsEmpty(); // before memory is read: rule 3
      SpillRecord next = leftoversFirst ? spill.readLeftover() : null;
      if (next == null) {
        leftoversFirst = leftoversFirst && spill.hasLeftovers(); // none readable now; wait for them
        if (leftoversFirst) {
          return null;
        }
        Batch batch = nextOfMemory();
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
        batch = codec.decode(next);
      } catch (CodecException e) {
        counters.lost(LossCause.SPILL_DAMAGED, next.events() - (long) next.skip(), next.leftover());
        spill.malformed(next);
        record = next;
        recordTaken = true;
        finished();
        reports.damage(
            "spill.codec",
            "A record in the spill cannot be decoded, it is lost (SPILL_DAMAGED). To do: "
                + LossCause.SPILL_DAMAGED.remedy()
                + ".",
            e,
            next.leftover());
        continue;
      } catch (RuntimeException | Error e) {
        // To be read again: the cause may be an OutOfMemoryError.
        spill.undelivered(next, next.skip());
        throw e;
      }
      boolean tooOld = policy.isTooOld(batch.tally());
      recordBatch = batch;
      recordTaken = tooOld;
      record = next;
      if (!tooOld) {
        return batch;
      }
      expired(batch.tally(), next.leftover()); // counts before it may throw
      finished();
    }
  }

  private Batch nextOfMemory() {
    Batch batch = memory.take();
    while (batch != null && policy.isTooOld(batch.tally())) {
      memory.remove();
      expired(batch.tally(), false);
      batch = memory.take();
    }
    given = batch;
    return batch;
  }

  private void expired(Tally tally, boolean leftover) {
    counters.lost(LossCause.EXPIRED, tally.levels(), leftover);
    reports.warn(
        "expired",
        "whenFullMaxAge: events have waited longer than that and are dropped (EXPIRED). To do: find"
            + " what holds up the sink, or raise whenFullMaxAge.");
  }

  /**
   * Returns whether an earlier run had accepted the batch in flight.
   *
   * @return true for a leftover
   */
  public boolean leftover() {
    SpillRecord current = record;
    return current != null && current.leftover();
  }

  /** Lets the spill save its cursor, so that a crash repeats at most 1,024 events. */
  public void beforeDelivery() {
    if (record != null) {
      spill.beforeDelivery(record);
    }
  }

  /** Removes the batch in flight, which is delivered. */
  public void finished() {
    SpillRecord current = record;
    if (current == null) {
      given = null;
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
   * Adopts what an earlier appender, which stopped only now, has left in its spill; it comes before
   * all that memory and spill hold. Called before the first batch.
   */
  void adoptLeftovers() {
    leftoversFirst = spill != null && spill.adoptLeftovers();
  }

  /**
   * Lets the spill do work that is due; called by the deliverer when there is nothing to deliver.
   *
   * @return true if no work becomes due by time alone until a batch is placed
   */
  public boolean maintain() {
    if (spill == null) {
      return true;
    }
    boolean rests = spill.maintain();
    if (spill.isEmpty()) {
      episode.end();
    }
    return rests;
  }

  /**
   * Returns whether no batch waits in memory or spill.
   *
   * @return false if one waits
   */
  public boolean isEmpty() {
    return memory.peek() == null && spillIsEmpty();
  }

  /**
   * Returns a number n such that the first n accepted events are all delivered, lost, or set aside:
   * events are lost out of turn, so that their number alone is not enough. Any thread.
   *
   * @param placed how many of the first accepted events are all placed or lost, read before the
   *     call
   * @return the number; 0 from when {@link #saveRest} saves the first batch of memory
   */
  public long settled(long placed) {
    Batch oldest = memory.peek(); // read before the spill, whose events are newer
    if (saving) { // read after memory, which held the events until then
      return 0;
    }
    if (oldest != null) {
      return oldest.place();
    }
    return spillIsEmpty() ? placed : Math.min(placed, places.oldest(spill.settledEvents()));
  }

  /**
   * Returns {@link #settled} minus the events that are set aside, which are still pending.
   *
   * @param placed as in {@link #settled}
   * @return the number of events
   */
  public long settledButSetAside(long placed) {
    return settled(placed) - (spill == null ? 0 : spill.setAsideEvents());
  }

  /**
   * Saves what memory holds to the spill, for the next start. Only after the deliverer has ended or
   * has been fenced off, and the drainer has ended.
   *
   * @param delivery how much of the batch in flight was delivered
   * @param careful whether to run no foreign code
   * @return how many events could not be saved
   */
  public long saveRest(Delivery delivery, boolean careful) {
    SpillRecord current = record;
    if (current != null) {
      saveRecord(current, delivery.takenOf(recordBatch));
      record = null;
      recordBatch = null;
    }
    given = null;
    for (Batch batch = memory.peek(); batch != null; batch = memory.peek()) {
      int taken = delivery.takenOf(batch);
      if (taken < batch.events()) {
        saving = true;
        encodeRest(batch, taken, careful);
      }
      memory.remove();
    }
    while (policy.evicts() && spill != null && !spill.hasRoomFor(rest)) {
      if (!evictOldest() && !evictSpilled()) {
        break;
      }
    }
    int saved = spill == null ? 0 : spill.prepend(rest);
    long savedEvents = 0;
    long savedBytes = 0;
    long lost = 0;
    for (int i = 0; i < rest.size(); i++) {
      // From here on nothing needs memory, so nothing is repeated.
      Spill.Payload payload = rest.get(i);
      savedEvents += i < saved ? payload.events() : 0;
      savedBytes += i < saved ? payload.length() : 0;
      lost += i < saved ? 0 : payload.events();
    }
    rest.clear();
    counters.spilled(savedEvents);
    counters.lost(LossCause.NOT_SAVED, lost, false);
    episode.cutShort(savedEvents, savedBytes);
    return lost;
  }

  /**
   * Encodes a batch; the caller repeats an OutOfMemoryError, but not for ever: one event may need
   * more memory than there is.
   */
  private void encodeRest(Batch batch, int taken, boolean careful) {
    boolean patient = shortages++ < MOST_SHORTAGES;
    Spill.Payload payload = saver.encode(batch, taken, patient, careful);
    int unencoded = batch.events() - taken - payload.events();
    rest.add(payload);
    counters.lost(LossCause.ENCODE_FAILED, unencoded, false);
    shortages = 0;
  }

  /** Drops the oldest droppable payload of what memory held, which is older than the spill's. */
  private boolean evictOldest() {
    for (int i = 0; i < rest.size(); i++) {
      Spill.Payload payload = rest.get(i);
      Tally tally = BatchCodec.tally(payload.tag(), payload.bytes(), payload.events());
      if (policy.isDroppable(tally)) {
        rest.remove(i);
        evicted(tally.levels(), false);
        return true;
      }
    }
    return false;
  }

  /**
   * Returns whether the next start will have something to deliver, once {@link #saveRest} has
   * returned.
   *
   * @return true if so
   */
  public boolean hasBacklog() {
    return !spillIsEmpty();
  }

  /**
   * Encodes a batch for {@link #placeBehindBacklog}. It runs foreign code that the watchdog does
   * not watch. Any thread, without a lock that other threads wait for.
   *
   * @param batch logged while the JVM exits
   * @return a payload that stays valid
   */
  public Spill.Payload encodeForBacklog(Batch batch) {
    return codec.another().encodeToKeep(batch, 0, EventCodec.Foreign.UNWATCHED);
  }

  /**
   * Places a batch behind what {@link #saveRest} has saved, for the next start. Called by one
   * thread at a time.
   *
   * @param batch newer than all that was saved
   * @param payload the encoded batch
   * @param last whether the batch is lost if the spill does not take it, so that older ones may be
   *     dropped for it
   * @return false if there is no room, and none can be made
   */
  public boolean placeBehindBacklog(Batch batch, Spill.Payload payload, boolean last) {
    boolean mayDrop =
        last && policy.evicts() && (policy.oldest() || !policy.isDroppable(batch.tally()));
    full = false;
    boolean placed = isSpillFree() && toSpill(batch, payload, true);
    while (!placed && full && mayDrop && evictSpilled()) {
      placed = isSpillFree() && toSpill(batch, payload, true);
    }
    return placed;
  }

  /**
   * Saves a batch that found no room, behind what {@link #saveRest} has saved; the saver encodes
   * it. Called by the thread that ends the appender.
   *
   * @param batch newer than all that was saved
   * @param careful whether to run no foreign code
   * @return false if there is no room, and none can be made
   */
  public boolean saveBehind(Batch batch, boolean careful) {
    if (spill != null && encodedBatch != batch) {
      encoded = saver.encode(batch, 0, false, careful);
      encodedBatch = batch;
    }
    boolean placed = false;
    full = false;
    for (int i = 0; spill != null && !placed && !full && Spill.triesAgain(i); i++) {
      placed = placeBehindBacklog(batch, encoded, true);
    }
    return placed;
  }

  /** Encodes a batch with the route's codec; called by the saver. */
  Spill.Payload encodeToKeep(Batch batch, int skip, EventCodec.Foreign how) {
    return codec.encodeToKeep(batch, skip, how);
  }

  /** Replaces the codec; called by the saver when a stuck thread still uses the last one. */
  void renewCodec() {
    codec = codec.another();
  }

  /**
   * Returns whether a batch to be saved is being encoded now, so that foreign code may run.
   *
   * @return false while it is written
   */
  public boolean isEncodingRest() {
    return saver.isEncoding();
  }

  /**
   * Returns a number that grows with each event that is encoded to be saved, and with each record
   * that the disk of the spill takes.
   *
   * @return a number; the same number twice means no progress in between
   */
  public long handledOfRest() {
    return saver.handled() + (spill == null ? 0 : spill.writtenRecords());
  }

  /** Ends the saver, when everything that can be saved is saved. */
  public void endSaving() {
    saver.end();
  }

  /** Frees the buffers and what memory holds, after it was saved. */
  public void releaseBuffers() {
    encodedBatch = null;
    encoded = null;
    appended = null;
    codec = null;
    memory.clear();
  }

  private void saveRecord(SpillRecord current, int taken) {
    if (recordTaken || taken == recordBatch.events()) {
      spill.delivered(current); // the fence came after the sink had taken all of it
    } else {
      spill.deliveredPart(current, current.skip() + taken);
    }
  }
}
