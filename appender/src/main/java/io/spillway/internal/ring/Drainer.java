package io.spillway.internal.ring;

import io.spillway.internal.codec.EventCodec;
import io.spillway.internal.metrics.Pulse;
import io.spillway.internal.route.BatchCodec;
import io.spillway.internal.route.PipelineContext;
import io.spillway.internal.route.Receipt;
import io.spillway.internal.route.Route;
import io.spillway.internal.route.Worker;
import io.spillway.internal.sink.Batch;
import io.spillway.internal.sink.DropPolicy;
import io.spillway.internal.sink.EventBatch;
import io.spillway.internal.sink.Tally;
import io.spillway.metrics.LossCause;
import java.util.Arrays;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * The ring's only consumer: turns events into batches and places them, never waiting for the sink.
 * When a batch finds no room it is kept and tried again, while the ring fills up behind it. If no
 * older event can be dropped for it, nor the batch itself, it goes on reading: what may be dropped
 * is, and what is kept is held behind that batch, so that nobody waits for room beside events that
 * may be dropped.
 *
 * <p>Encoders, converters and {@code toString()} are foreign code and may do anything. Whatever
 * they throw costs the event in hand. If they do not return while others wait, this thread is
 * replaced ({@link Worker}):
 *
 * <ol>
 *   <li>Events stay in the ring, and nothing is counted, until their batch is complete. So the next
 *       thread begins where the last complete batch ended.
 *   <li>The event in the hands of the stuck thread is encoded once more, without its foreign
 *       objects; so are all that were in the ring by then, since they may hold the same one. If
 *       that is stuck as well, this event is lost.
 *   <li>An event for which there is no memory is tried again for a second, with others waiting.
 *   <li>With {@value #MANY_STUCK} stuck threads every event goes without its foreign objects. An
 *       encoder that is stuck {@value #HOPELESS} times in a row is left alone until a thread comes
 *       back or after a pause, longer from time to time. Meanwhile events wait in the ring, and the
 *       oldest are lost only once it is so full that log calls would wait, or at the end. So they
 *       do while what a new thread encodes with cannot be made; that is tried again each second.
 * </ol>
 *
 * @param <E> the type of event
 */
public final class Drainer<E> extends Worker {
  // Shorter pauses make small batches, and each batch costs two wake-ups and a write.
  private static final long MIN_IDLE_NANOS = 2_000_000;
  // Reached by the second pause in a row. That is a sleep, and the next publisher ends it: to go on
  // polling costs more where events are few; where they are many, hardly a pause is empty. Where
  // they come one by one, already the first is a sleep.
  private static final long MAX_IDLE_NANOS = 2_020_000;
  private static final long SLEEP_NANOS = 50_000_000;

  /** How often it leaves the processor to others before it parks, if callers wait for it. */
  private static final int TURNS = 50;

  private static final int MANY_STUCK = 4;
  private static final int MOST_STUCK = 8;
  private static final int HOPELESS = 3;

  /** Where foreign code is that is given no event: its own time, which costs none of them. */
  private static final long MAKING = -2;

  private static final long FIRST_PAUSE_NANOS = 1_000_000_000L;
  private static final long LAST_PAUSE_NANOS = 3_600_000_000_000L;

  /** How long whoever ends the appender waits for an encoder that is left alone. */
  private static final long LAST_CHANCE_NANOS = 3_000_000_000L;

  /** What leaves no room may be in the hands of the thread that syncs, or of the reader. */
  private static final long LOOK_AGAIN_NANOS = 100_000_000L;

  /** At twenty failures a second: memory may be short for a moment, an event too large for ever. */
  private static final int MAX_FAILED_FILLS = 20;

  /** After that an event is lost at once, so that many which are too large hold up nobody. */
  private static final long IMPATIENCE_NANOS = 10_000_000_000L;

  private final EventRing<E> ring;
  private final Supplier<Batcher<E>> batchers;
  private final UnaryOperator<E> withoutForeign;
  private final DropPolicy policy;
  private final Route route;
  private final Worker deliverer;
  private final Pulse pulse;
  private final boolean formats;
  private volatile Held head; // the oldest of those not placed yet, or null; read by every thread
  private Held tail;
  private int behindEvents; // of those behind the head
  private long behindBytes;
  private Receipt due; // of callers whose events have left this thread
  private boolean dueWritten;
  private boolean acknowledging; // callers that were acknowledged may be back in a moment
  private boolean oneByOne; // events come so far apart that a pause gathers none
  private boolean alone; // between the last two lulls there was one event
  private long asleepNanos; // since when there has been none
  private long awakened; // what had been released when the last lull ended
  private boolean placing; // else it is events of the ring that foreign code is given
  private long acceptedThen; // when it was last asked whether room is wanted
  private long roomUntil; // released by then, the events have made the room that was wanted
  private Batch looked; // for which room was looked for at once, and when
  private long lookedNanos;
  private volatile boolean noRoom;
  private volatile boolean lost; // no room is to be had any more
  private volatile boolean hurried;
  private volatile boolean finishing;
  private volatile boolean givenUp;
  private volatile boolean sealed;

  private final EventRing.Taker<E> some; // as many as a batch

  // Of the thread of the moment; null: it has to make its own. What it has not needed yet is not
  // made, so that what cannot be made holds up nothing else.
  private Tools tools;
  private BatchCodec codec;
  private Droppable droppable;
  private int failedTools; // in a row
  private int failedFills;
  private int shortages; // of memory, in a row
  private boolean gaveUp; // an event for want of memory
  private long gaveUpNanos;

  // What stuck threads have left behind; written by the watchdog between two threads.
  private long stuckAt = -1;
  private int stuckInARow;
  private long carefulUntil = -1;
  private boolean encoderLeftAlone;
  private int stuckWhenLeftAlone;
  private long pauseNanos = FIRST_PAUSE_NANOS;
  private long retryNanos;
  private volatile long finishNanos; // stored before finishing

  /** Loads what the first batch needs, and the first one that memory does not take. */
  public static void rehearse() {
    new Held(0).next = null;
    Route.rehearse();
  }

  /** What one look into the ring has made, and what has no place yet. */
  private static final class Held {
    private final long place; // of its first event
    private Batch batch;
    private Batch alone; // behind it an event that is alone in its batch, or null
    private Receipt receipts; // of callers that wait for the events of both
    private boolean careful; // some of them have been stuck, or may be
    private boolean unwritten; // one of both is not in the spill as a whole
    private Held next;

    Held(long place) {
      this.place = place;
    }

    private int events() {
      return batch.events() + (alone == null ? 0 : alone.events());
    }

    private long heapBytes() {
      return batch.heapBytes() + (alone == null ? 0 : alone.heapBytes());
    }
  }

  /** Counts events that may be dropped, up to the first that is kept. */
  private final class Droppable implements EventRing.Taker<E> {
    private final int[] levels = new int[Tally.LEVELS];
    private Shift shift;
    private int events;

    private void begin(Shift now) {
      shift = now;
      events = 0;
      Arrays.fill(levels, 0);
    }

    @Override
    public boolean take(long sequence, E event, Object[] arguments) {
      shift.at(sequence);
      int level = Tally.levelOf(event);
      if (policy.isKept(level)) {
        return false;
      }
      levels[level]++;
      events++;
      return events < Batch.MAX_EVENTS;
    }
  }

  /** What one thread makes batches with; one that is stuck keeps it. */
  private final class Tools implements EventRing.Taker<E> {
    private final Batcher<E> batcher = batchers.get();
    private Shift shift;
    private boolean careful;
    private int failures;
    private Throwable failure;
    private final long[] failedAt = new long[Batch.MAX_EVENTS]; // as many as failures
    private long shortAt; // the event for which there was no memory
    private OutOfMemoryError shortage;
    private final Tally.Counter counter = policy.tallies() ? new Tally.Counter(policy) : null;
    private boolean cut; // before an event that does not belong with the others

    private Batch takeBatch() {
      Batch batch = batcher.take();
      return batch == null || counter == null ? batch : counter.take(batch);
    }

    @Override
    public boolean take(long sequence, E event, Object[] arguments) {
      return add(this, sequence, event, arguments);
    }
  }

  /**
   * Where events come from, and how they become batches.
   *
   * @param <E> the type of event
   * @param ring polled
   * @param batchers make a maker of batches for each thread
   * @param withoutForeign an event without the foreign objects that it holds
   * @param policy which of them may be dropped
   */
  public record Source<E>(
      EventRing<E> ring,
      Supplier<Batcher<E>> batchers,
      UnaryOperator<E> withoutForeign,
      DropPolicy policy) {}

  /**
   * A drainer, not started.
   *
   * @param context told of failures
   * @param source of its events
   * @param route takes batches
   * @param deliverer woken for each
   * @param pulse beats at every step
   */
  public Drainer(
      PipelineContext context, Source<E> source, Route route, Worker deliverer, Pulse pulse) {
    super(context, "drainer", MIN_IDLE_NANOS, MAX_IDLE_NANOS);
    ring = source.ring();
    batchers = source.batchers();
    withoutForeign = source.withoutForeign();
    policy = source.policy();
    this.route = route;
    this.deliverer = deliverer;
    this.pulse = pulse;
    some =
        new EventRing.Taker<>() {
          @Override
          public boolean take(long sequence, E event, Object[] arguments) {
            return sequence - ring.released() <= Batch.MAX_EVENTS;
          }
        };
    tools = new Tools();
    codec = route.anotherCodec();
    formats = tools.batcher.formats();
  }

  /**
   * Whether it takes events whose messages are not formatted.
   *
   * @return the same for all its threads
   */
  public boolean formats() {
    return formats;
  }

  @Override
  protected boolean step(Shift shift) {
    pulse.beat(ring.accepted(), route.settledButSetAside(placed()));
    acknowledge(); // unless that was done, for want of memory
    if (head == null) {
      boolean found = !ring.isEmpty() && fill(shift);
      if (head == null) {
        if (!found) {
          route.keep();
        }
        sealed = finishing && !found && ring.seal();
        return sealed || found;
      }
    }
    boolean last = givenUp;
    if (!place(shift)) {
      route.keep();
      boolean wanted = policy.evicts() && (last || isRoomWanted());
      noRoom = !(policy.evicts() && makeRoom(wanted));
      lost = noRoom && last;
      return !noRoom || (wanted && !last && readOn(shift));
    }
    noRoom = false;
    head.unwritten |= !route.isWritten();
    pass();
    deliverer.signal();
    acknowledge();
    return true;
  }

  /**
   * Whether log calls find no room, or soon will. Not as long as nobody logs: the sink may be back.
   * Once it is wanted, room is made for a batch, for drops of a few events each would be too slow.
   */
  private boolean isRoomWanted() {
    boolean asked = ring.isRoomAsked();
    long accepted = ring.accepted();
    boolean more = accepted != acceptedThen;
    acceptedThen = accepted;
    boolean scarce = policy.oldest() ? isNearlyFull() : isReserveUsed();
    if (asked || (scarce && more)) {
      roomUntil = ring.released() + Batch.MAX_EVENTS;
    }
    return asked || (scarce && ring.released() < roomUntil);
  }

  private boolean isNearlyFull() {
    return ring.used() > ring.capacity() / 4 * 3 || ring.isHeavy();
  }

  private boolean isReserveUsed() {
    return ring.remaining() < policy.reserve(ring.capacity()) / 2;
  }

  /**
   * Drops what waits in memory and spill, where the oldest are, or else the batch in hand: if room
   * is wanted, and in mode ALWAYS what fills the spill at once. If the newest are to be dropped,
   * what waits there makes room only for what is kept.
   */
  private boolean makeRoom(boolean wanted) {
    Batch batch = head.batch;
    boolean droppable = policy.isDroppable(batch.tally());
    if ((policy.oldest() || !droppable)
        && (wanted || isMadeAtOnce())
        && route.makeRoom(batch, wanted)) {
      looked = null;
      return true;
    }
    if (droppable && wanted) {
      head.unwritten = true;
      pass();
      route.evicted(batch.tally().levels(), false);
    }
    return droppable && wanted;
  }

  /** The first batch in hand is placed or dropped. */
  private void pass() {
    Held now = head;
    looked = null;
    now.batch = now.alone;
    now.alone = null;
    if (now.batch != null) {
      return;
    }
    due = now.receipts;
    dueWritten = !now.unwritten;
    head = now.next;
    if (head == null) {
      tail = null;
    } else {
      behindEvents -= head.events();
      behindBytes -= head.heapBytes();
      tellRing();
    }
  }

  private void hold(Held held) {
    if (head == null) {
      head = held;
    } else {
      tail.next = held;
      behindEvents += held.events();
      behindBytes += held.heapBytes();
      tellRing();
    }
    tail = held;
  }

  /** Where there is much that is kept, the rest of the room is for more of that. */
  private void tellRing() {
    ring.keptOnly(behindEvents > ring.capacity() / 2 || behindBytes > ring.maxWeight() / 2);
  }

  /** As much more as the ring may hold when {@link #tellRing} closes it to others. */
  private boolean isMoreHeld() {
    return behindEvents < ring.capacity() / 2 * 3 && behindBytes < ring.maxWeight() / 2 * 3;
  }

  /**
   * Makes room in the ring, when the batch in hand is kept and no older event can be dropped: the
   * oldest events of the ring that may be dropped are, and the kept ones before them are held.
   */
  private boolean readOn(Shift shift) {
    long before = ring.released();
    boolean goOn = policy.keeps();
    while (goOn && !ring.isEmpty() && ring.released() - before < Batch.MAX_EVENTS) {
      goOn = dropOldest(shift) || (isMoreHeld() && fill(shift));
    }
    return ring.released() > before;
  }

  private boolean dropOldest(Shift shift) {
    if (droppable == null) {
      droppable = new Droppable();
    }
    Droppable found = droppable;
    found.begin(shift);
    enter(shift);
    try {
      ring.read(found);
    } finally {
      shift.leave();
    }
    if (found.events == 0) {
      return false;
    }
    Receipt.settle(ring.release(ring.released() + found.events), false);
    route.evicted(found.levels, false); // last: if it throws, it has counted them
    return true;
  }

  /** Foreign code is given events of the ring. */
  private void enter(Shift shift) {
    placing = false;
    shift.enter(ring.released() + 1);
  }

  /**
   * Whether the spill makes room although the ring has some: in mode ALWAYS the ring is no place to
   * wait in, as nothing there outlives the process. Not at each step, for a look takes time.
   */
  private boolean isMadeAtOnce() {
    long now = System.nanoTime();
    boolean again =
        route.spillsFirst() && (head.batch != looked || now - lookedNanos >= LOOK_AGAIN_NANOS);
    if (again) {
      looked = head.batch;
      lookedNanos = now;
    }
    return again;
  }

  private void acknowledge() {
    if (due != null) {
      acknowledging = true;
      route.acknowledge(due, dueWritten);
      due = null;
    }
  }

  private boolean place(Shift shift) {
    if (codec == null) {
      codec = route.anotherCodec();
    }
    Held now = head;
    if (now.batch.events() == 0) {
      return true;
    }
    EventCodec.Foreign how = new EventCodec.Foreign(now.careful, isPatient(), shift);
    placing = true;
    try {
      boolean placed = route.place(now.batch, codec, how, shift, now.receipts != null);
      shortages = placed ? 0 : shortages;
      return placed;
    } catch (OutOfMemoryError e) {
      runShort();
      throw e;
    }
  }

  private boolean isPatient() {
    return shortages < MAX_FAILED_FILLS
        && !(gaveUp && System.nanoTime() - gaveUpNanos < IMPATIENCE_NANOS);
  }

  private void runShort() {
    if (++shortages >= MAX_FAILED_FILLS) {
      gaveUp = true;
      gaveUpNanos = System.nanoTime();
    }
  }

  /**
   * Made within the fence: to compile a pattern is to run code of its converters. What throws for a
   * second is taken for an encoder that does not return. Returns null then.
   */
  private Tools tools(Shift shift) {
    Tools made;
    placing = false;
    shift.enter(MAKING);
    try {
      made = new Tools();
    } catch (Throwable t) {
      shift.leave();
      if (++failedTools < MAX_FAILED_FILLS) {
        throw t;
      }
      leaveEncoderAlone(t);
      return null;
    }
    shift.leave();
    failedTools = 0;
    return made;
  }

  /** Costs no thread: tried again each second, whoever is stuck. */
  private void leaveEncoderAlone(Throwable cause) {
    encoderLeftAlone = true;
    stuckWhenLeftAlone = 0;
    retryNanos = System.nanoTime() + FIRST_PAUSE_NANOS;
    counters.workerFailure();
    reports.error(
        "encode.unprepared",
        "The encoder cannot be prepared for a new thread. Events wait for it in the ring until that is"
            + " nearly full; then the oldest are counted as lost (ENCODE_FAILED). It is tried again"
            + " each second. To do: see the cause, and what its converters need when they start.",
        cause);
  }

  /** Makes a batch of what is in the ring, if anything comes of it; false if there was nothing. */
  private boolean fill(Shift shift) {
    long first = ring.released() + 1;
    if (isEncoderLeftAlone()) {
      return isRoomNeeded() && loseOldest();
    }
    Held held = new Held(first);
    Tools mine = tools == null ? tools(shift) : tools;
    if (mine == null) {
      return false;
    }
    tools = null; // until it is known that they are as they should be
    boolean careful = stuckThreads() >= MANY_STUCK;
    long last;
    enter(shift);
    try {
      mine.shift = shift;
      mine.careful = careful;
      last = ring.read(mine);
      held.batch = mine.takeBatch();
      held.alone = held.batch == null ? null : mine.takeBatch();
    } catch (Throwable t) {
      shift.leave();
      if (++failedFills >= MAX_FAILED_FILLS) {
        failedFills = 0;
        Receipt.settle(lose(first, 1), false);
        tellLost(t);
      }
      throw t;
    }
    shift.leave();
    tools = mine;
    failedFills = 0;
    if (mine.cut) {
      mine.cut = false;
      last--;
    }
    OutOfMemoryError shortage = mine.shortage;
    if (shortage != null) {
      mine.shortage = null;
      last = mine.shortAt - 1; // what came before it is a batch
      if (last < first) {
        runShort();
        throw shortage;
      }
    }
    if (last < first) {
      return false;
    }
    shortages = 0;
    held.careful = careful || first <= carefulUntil;
    boolean any = held.batch != null;
    if (any) {
      held.batch.place(first);
      if (held.alone != null) {
        held.alone.place(last);
      }
      hold(held); // before its events are released: placed() looks for them there
      comeThrough();
    }
    int failures = mine.failures;
    Throwable failure = mine.failure;
    for (int i = 0; i < failures; i++) {
      refuse(mine.failedAt[i]);
    }
    mine.failures = 0;
    mine.failure = null;
    Receipt released = lose(last, failures);
    if (any) {
      held.receipts = released;
    } else {
      Receipt.settle(released, false); // nothing came of the events that were read
    }
    if (failure != null) {
      tellLost(failure);
    }
    return true;
  }

  private boolean add(Tools mine, long sequence, E event, Object[] arguments) {
    mine.shift.at(sequence);
    // What comes before an event that has been stuck is a batch of its own, and does not wait with
    // it.
    boolean goOn = failedFills == 0 && sequence != stuckAt - 1;
    boolean foreign = arguments == null && (mine.careful || sequence <= carefulUntil);
    try {
      if (mine.counter != null && !mine.counter.isOneOf(event)) {
        mine.cut = true;
        return false;
      }
      goOn &= mine.batcher.add(foreign ? withoutForeign.apply(event) : event, arguments);
      if (mine.counter != null) {
        mine.counter.add();
      }
    } catch (Throwable t) {
      if (t instanceof OutOfMemoryError noMemory && isPatient()) {
        mine.shortage = noMemory;
        mine.shortAt = sequence;
        return false;
      }
      mine.failedAt[mine.failures++] = sequence;
      mine.failure = t;
      goOn &= mine.failures < Batch.MAX_EVENTS;
    }
    return goOn && !mine.shift.isFenced();
  }

  private void refuse(long sequence) {
    Receipt receipt = ring.receipt(sequence);
    if (receipt != null) {
      receipt.settle(false);
    }
  }

  /**
   * Releases events, of which some are lost. Returns those who wait for any of them. Needs no
   * memory: what it has counted must not be read again.
   */
  private Receipt lose(long last, int lost) {
    counters.lost(LossCause.ENCODE_FAILED, lost, false);
    return ring.release(last);
  }

  private void tellLost(Throwable cause) {
    reports.error(
        "encode", "The encoder threw, the event is counted as lost (ENCODE_FAILED).", cause);
  }

  private boolean isEncoderLeftAlone() {
    return encoderLeftAlone
        && stuckThreads() >= stuckWhenLeftAlone
        && System.nanoTime() - retryNanos < 0;
  }

  /** Whether log calls are about to wait for room, or a stop has waited for long enough. */
  private boolean isRoomNeeded() {
    return isNearlyFull() || (finishing && System.nanoTime() - finishNanos > LAST_CHANCE_NANOS);
  }

  private boolean loseOldest() {
    long first = ring.released() + 1;
    long last = ring.read(some);
    Receipt.settle(lose(last, (int) (last - first + 1)), false);
    reports.error(
        "encode.left",
        failedTools > 0
            ? "The encoder cannot be prepared for a new thread and the ring is nearly full, or its"
                + " appender stops: the oldest events are counted as lost (ENCODE_FAILED). It is tried"
                + " again each second. To do: see the status message that tells why it cannot."
            : "The encoder does not return and the ring is nearly full, or its appender stops: the"
                + " oldest events are counted as lost (ENCODE_FAILED). The encoder is tried again from"
                + " time to time. To do: take a thread dump and see what it waits for.",
        null);
    return last >= first;
  }

  private void comeThrough() {
    if (stuckInARow > 0 || encoderLeftAlone) {
      stuckInARow = 0;
      encoderLeftAlone = false;
      if (stuckThreads() < MANY_STUCK) {
        pauseNanos = FIRST_PAUSE_NANOS;
      }
    }
  }

  @Override
  protected boolean isAwaited() {
    return head != null || ring.used() > 1 || hurried || ring.isCallerWaiting();
  }

  @Override
  protected boolean isStuckAgain() {
    Held now = head;
    return stuckInARow > 0
        || ring.released() + 1 == stuckAt
        || (placing && now != null && now.careful);
  }

  @Override
  protected void onFenced(long position) {
    tools = null; // and all that the stuck thread has
    codec = null;
    droppable = null;
    carefulUntil = ring.last();
    int stuck = stuckThreads() + 1;
    if (stuck == MANY_STUCK) {
      reports.warn(
          "encode.careful",
          MANY_STUCK
              + " threads do not return from an encoder, a converter or a toString(). Until one of"
              + " them does, arguments, markers and values that are more than plain text, numbers or"
              + " times are left out of all events. To do: take a thread dump and see where the"
              + " threads [spillway-drainer-...] hang; correct that and restart the application.");
    }
    if (placing) {
      encodingStuck((int) position);
      return;
    }
    if (position != MAKING) {
      stuckAtEvent(position);
    }
    if (stuckInARow >= HOPELESS || stuck >= MOST_STUCK) {
      encoderLeftAlone = true;
      stuckWhenLeftAlone = stuck;
      retryNanos = System.nanoTime() + pauseNanos;
      pauseNanos = Math.min(2 * pauseNanos, LAST_PAUSE_NANOS);
      reports.warn(
          "encode.waiting",
          "The encoder does not return. Events wait for it in the ring until that is nearly full; then"
              + " the oldest are counted as lost (ENCODE_FAILED). To do: take a thread dump and see"
              + " what it waits for.");
    }
  }

  private void stuckAtEvent(long position) {
    if (position == stuckAt && position == ring.released() + 1 && !ring.isEmpty()) {
      stuckAt = -1;
      Receipt.settle(lose(position, 1), false);
    } else {
      stuckAt = position;
    }
    stuckInARow++;
  }

  /** In the codec of the spill; a batch of bytes has nothing foreign in it. */
  private void encodingStuck(int index) {
    if (head.careful) {
      long place = head.batch.place();
      head.batch = ((EventBatch) head.batch).without(index);
      head.batch.place(place);
      head.unwritten = true;
      counters.lost(LossCause.ENCODE_FAILED, 1, false);
    }
    head.careful = true;
  }

  /**
   * A number that grows with every event that has come through the encoder.
   *
   * @return the same twice means no progress between
   */
  public long handled() {
    return moves() + ring.released();
  }

  /**
   * How many of the first accepted events were all placed or lost. Any thread.
   *
   * @return their number
   */
  public long placed() {
    long released = ring.released() + 1; // first: until then none of them is missing below
    Held oldest = head;
    return oldest == null ? released : oldest.place;
  }

  /**
   * Whether the batch in hand finds room neither in memory nor in the spill.
   *
   * @return true if the sink, or more room, is what it waits for
   */
  public boolean hasNoRoom() {
    return noRoom;
  }

  /** Forgets its buffers, after its end. */
  public void letGo() {
    tools = null;
    codec = null;
    droppable = null;
    looked = null;
    for (Held held = head; held != null; held = held.next) {
      Receipt.settle(held.receipts, false); // none waits, unless it gave up
    }
    head = null;
    tail = null;
  }

  @Override
  protected boolean hasWork() {
    return finishing || (head == null && !encoderLeftAlone && !ring.isEmpty());
  }

  @Override
  protected void pause(long nanos) {
    if (acknowledging && head == null && !encoderLeftAlone && awaitNext()) {
      return;
    }
    // Neither room for a batch is signalled, nor that an encoder is to be tried again.
    if ((nanos < MAX_IDLE_NANOS && !oneByOne) || head != null || encoderLeftAlone) {
      super.pause(nanos);
    } else {
      sleep();
    }
  }

  /**
   * Until there is an event. Where the one before came alone, and this one later than a pause would
   * have lasted, to gather more would only be one more wake-up.
   */
  private void sleep() {
    long events = ring.released() - awakened;
    if (events > 0) { // else the lull goes on
      alone = events == 1;
      asleepNanos = System.nanoTime();
    }
    ring.awaitEvent(SLEEP_NANOS);
    boolean lull = System.nanoTime() - asleepNanos > MIN_IDLE_NANOS;
    if (lull) {
      awakened = ring.released();
    }
    oneByOne = alone && lull;
  }

  /** Callers that come back one by one find it awake, instead of waking it each. */
  private boolean awaitNext() {
    for (int turn = 0; turn < TURNS; turn++) {
      if (ring.hasNext()) {
        return true;
      }
      Thread.yield();
    }
    acknowledging = false;
    return false;
  }

  @Override
  protected boolean ended() {
    return sealed || lost;
  }

  /**
   * Saves what had left the ring and found no room when the drainer gave up, as far as there is
   * room now. After its end, and behind what memory held. Goes on where it was if it threw.
   *
   * @param careful whether to run no foreign code
   * @return how many events were not saved
   */
  public long saveUnplaced(boolean careful) {
    long lostEvents = 0; // nothing that is tried after the first loss needs memory
    for (Held held = head; held != null; held = held.next) {
      while (held.batch != null) { // else it was saved before memory ran short
        boolean saved = lostEvents == 0 && route.saveBehind(held.batch, careful || held.careful);
        lostEvents += saved ? 0 : held.batch.events();
        held.batch = held.alone;
        held.alone = null;
      }
    }
    counters.lost(LossCause.NOT_SAVED, lostEvents, false);
    return lostEvents;
  }

  /** Somebody waits for the last event, too: being stuck in it holds others up. */
  public void hurry() {
    hurried = true;
  }

  /** Asks for the end, once everything published is placed and the ring is sealed. */
  public void finish() {
    hurry();
    finishNanos = System.nanoTime();
    finishing = true;
    signal();
  }

  /**
   * Gives up at the first batch that finds no room, and for which none can be made: it and what is
   * in the ring behind it is lost.
   */
  public void giveUp() {
    givenUp = true;
    signal();
  }
}
