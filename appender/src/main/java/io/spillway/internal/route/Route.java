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
  private static final int MOST_SHORTAGES = 100;

  private final HandOff memory;
  private final Spill spill;
  private BatchCodec codec; // whoever ends it encodes with it; late calls ask it for others
  private final SpillMode mode;
  private final Counters counters;
  private final Reports reports;
  private final BooleanSupplier spillBarred;
  private final SpillEpisode episode;
  private final boolean syncs;
  private final DropPolicy policy;
  private final Evictor evictor = new Evictor();
  private final SpillPlaces places = new SpillPlaces();

  // The drainer's: what became of the batch that it tries to place now.
  private Batch encodedBatch;
  private Spill.Payload encoded;
  private Batch appended; // whatever was thrown after that
  private boolean written; // all of the batch that was placed last is in the spill
  private boolean bypassed; // the spill was, since it was told so: memory has taken something

  private volatile boolean writing; // by the drainer
  private volatile boolean saving; // what memory held: it waits, wherever it is
  private boolean leftoversFirst; // the deliverer's
  private boolean spillUnopened; // the deliverer's
  private volatile SpillRecord record; // the record in flight, null if the batch is from memory
  private volatile Batch recordBatch;
  private boolean recordTaken; // by the sink; deliverer only
  private boolean memoryFull; // it was, for the batch that was placed last; the drainer's
  private boolean full; // the spill was, for the batch that found no room; the drainer's
  private boolean atLimit; // and that by its own limit
  private boolean starved; // its disk had no room either since the sink has none; likewise
  private Batch given; // of memory, to the sink; the deliverer's

  // Of whoever ends it: what memory held, while it is being saved.
  private final Saver saver;
  private final ArrayList<Spill.Payload> rest = new ArrayList<>();
  private int shortages; // of memory, in a row

  /**
   * What becomes of events that memory does not take.
   *
   * @param spill takes them, or null if there is none
   * @param codec for it
   * @param mode when to spill
   * @param barred asked by the drainer once the spill's disk is full; while true the spill does not
   *     grow
   * @param syncs whether who wants to be acknowledged waits for an fsync, too
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
    policy = overflow.policy();
    counters = context.counters();
    reports = context.reports();
    episode = new SpillEpisode(counters, reports, episodes);
    saver = new Saver(context, this);
  }

  /** Loads what the first batch in the spill needs, and the watchdog on a busy machine. */
  public static void rehearse() {
    SpillEpisode.rehearse();
    BatchCodec.rehearse();
    Worker.rehearse();
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
    full = false;
    atLimit = false;
    boolean first = spillFirst || spillsFirst();
    boolean placed = batch == appended || (!first && toMemory(batch));
    if (!placed) {
      // In mode ALWAYS memory is the way out while the spill fails: better accepted than stuck.
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
   * Whether batches go to the spill although memory has room.
   *
   * @return true in mode ALWAYS
   */
  public boolean spillsFirst() {
    return mode == SpillMode.ALWAYS;
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
    boolean mayTake = spillIsEmpty();
    boolean taken = mayTake && memory.offer(batch);
    memoryFull = mayTake && !taken;
    bypassed |= taken;
    starved = starved && (!taken || spillBarred.getAsBoolean());
    return taken;
  }

  /**
   * A quota may concern the sink alone, so only a spill that has had no room itself is barred. It
   * stays so until the sink needs none, whatever memory or the spill take in between.
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
          && !asked) { // those who wait for a sync would wait for that of a new file as well
        spill.bypassed();
        bypassed = false;
      }
      Spill.Append done = append(payload);
      full = done == Spill.Append.FULL || done == Spill.Append.DISK_FULL;
      atLimit = done == Spill.Append.FULL;
      starved |= done == Spill.Append.DISK_FULL;
      if (done != Spill.Append.APPENDED) {
        return false; // a failure has been counted and reported by the spill
      }
      appended = batch;
      places.spilled(batch.place(), events, spill.settledEvents());
      counters.spilled(events);
    }
    counters.lost(LossCause.ENCODE_FAILED, batch.events() - (long) events, false);
    if (events > 0 && behind) {
      episode.spilled(events, payload.length()); // last: if it throws, it counts as placed
    }
    return true;
  }

  /**
   * Or memory would take it, had it all that waits in the spill: log calls that wait for a write
   * have put the first of that there. To be asked before the batch itself is there.
   */
  private boolean isSinkBehind(Batch batch) {
    return memoryFull || episode.runs() || !memory.hasRoom(batch, spill.waitingBytes());
  }

  /**
   * Whether what is logged goes to the spill because the sink is behind. Any thread.
   *
   * @return false in mode ALWAYS
   */
  public boolean isSpilling() {
    return episode.runs();
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
      return spill.append(payload);
    } finally {
      writing = false;
    }
  }

  /**
   * Drops the oldest events that wait and may be dropped, so that there is room. The drainer's,
   * when {@link #place} has found none. Nothing is dropped where that would make no room: in memory
   * while the spill is not empty, or in a spill that cannot be written.
   *
   * @param batch that is to be placed
   * @param inMemory whether in memory, too
   * @return false if there is nothing to be dropped
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
   * Counts and tells what has made room.
   *
   * @param events of each level
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

  /** Tells the spill what may be dropped, and counts it. */
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
    if (given != null) {
      return given; // likewise; nothing may come between, though the spill has opened since
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
        spill.undelivered(next, next.skip()); // for want of memory perhaps, which may come back
        throw e;
      }
      boolean tooOld = policy.isTooOld(batch.tally());
      recordBatch = batch;
      recordTaken = tooOld;
      record = next;
      if (!tooOld) {
        return batch;
      }
      expired(batch.tally(), next.leftover()); // if it throws, it has been counted
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
   * Takes over what an appender that stopped only now has left in its spill: it comes before
   * everything that memory or spill hold already. Before the first batch.
   */
  void adoptLeftovers() {
    leftoversFirst = spill != null && spill.adoptLeftovers();
  }

  /**
   * Housekeeping when there is nothing to deliver.
   *
   * @return whether nothing becomes due by the time alone, until something is placed
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
   * Looks for work.
   *
   * @return false if nothing waits
   */
  public boolean isEmpty() {
    return memory.peek() == null && spillIsEmpty();
  }

  /**
   * How many of the first accepted events are all delivered, lost, or set aside: events are lost
   * out of turn, so that their number alone does not tell. Any thread.
   *
   * @param placed of how many of the first each was placed or lost, as was known before the call
   * @return none while {@link #saveRest} saves events, or once it has
   */
  public long settled(long placed) {
    Batch oldest = memory.peek(); // before the spill is looked at, as its events are newer
    if (saving) { // looked at after memory, which had them until then
      return 0;
    }
    if (oldest != null) {
      return oldest.place();
    }
    return spillIsEmpty() ? placed : Math.min(placed, places.oldest(spill.settledEvents()));
  }

  /**
   * As {@link #settled}, but without as many events as are set aside, which are still pending.
   *
   * @param placed likewise
   * @return their number
   */
  public long settledButSetAside(long placed) {
    return settled(placed) - (spill == null ? 0 : spill.setAsideEvents());
  }

  /**
   * Saves what memory holds to the spill, for the next start. Only after the deliverer has ended or
   * has been fenced off, and the drainer has ended.
   *
   * @param delivery knows how much of the batch in flight was delivered
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
    for (int i = 0; i < rest.size(); i++) { // nothing from here on needs memory, or is done twice
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

  /** Tried again while memory is short, but not for ever: one event may need more than there is. */
  private void encodeRest(Batch batch, int taken, boolean careful) {
    boolean patient = shortages++ < MOST_SHORTAGES;
    Spill.Payload payload = saver.encode(batch, taken, patient, careful);
    int unencoded = batch.events() - taken - payload.events();
    rest.add(payload);
    counters.lost(LossCause.ENCODE_FAILED, unencoded, false);
    shortages = 0;
  }

  /** What memory holds is the oldest. */
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
   * Whether the next start will have something to deliver, once {@link #saveRest} has returned.
   *
   * @return true if so
   */
  public boolean hasBacklog() {
    return !spillIsEmpty();
  }

  /**
   * Encodes a batch for {@link #placeBehindBacklog}. Foreign code runs, and nobody watches. Any
   * thread, without a lock that others wait for.
   *
   * @param batch logged while the JVM exits
   * @return valid for ever
   */
  public Spill.Payload encodeForBacklog(Batch batch) {
    return codec.another().encodeToKeep(batch, 0, EventCodec.Foreign.UNWATCHED);
  }

  /**
   * Places a batch behind what {@link #saveRest} has saved, for the next start. By one thread at a
   * time.
   *
   * @param batch newer than that
   * @param payload of it
   * @param last whether it is lost if the spill does not take it: older ones may make room for it
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
   * The same for a batch that found no room, with foreign code watched. By whoever ends it.
   *
   * @param batch newer than what {@link #saveRest} has saved
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

  /** The saver's; what its thread of the moment runs. */
  Spill.Payload encodeToKeep(Batch batch, int skip, EventCodec.Foreign how) {
    return codec.encodeToKeep(batch, skip, how);
  }

  /** The saver's; a thread that does not come back has the one before. */
  void renewCodec() {
    codec = codec.another();
  }

  /**
   * Whether what is to be saved is being encoded now, so that foreign code may run.
   *
   * @return false while it is written
   */
  public boolean isEncodingRest() {
    return saver.isEncoding();
  }

  /**
   * A number that grows with each event that is encoded to be saved, and with each record that the
   * disk of the spill takes.
   *
   * @return the same twice means no progress between
   */
  public long handledOfRest() {
    return saver.handled() + (spill == null ? 0 : spill.writtenRecords());
  }

  /** Everything is saved that can be. */
  public void endSaving() {
    saver.end();
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
