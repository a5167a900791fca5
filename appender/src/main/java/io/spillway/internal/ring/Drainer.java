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
 * The only consumer of the ring: turns events into batches and places them, never waiting for the
 * sink. A batch that finds no room is kept and tried again, while the ring fills up behind it. If
 * neither an older event nor that batch may be dropped, the drainer reads on: it drops the events
 * that may be dropped and holds the others behind that batch, so that no log call waits for room
 * while the ring holds events that may be dropped.
 *
 * <p>Encoders, converters and {@code toString()} are foreign code and may do anything. Whatever
 * they throw costs only the event that is being encoded. If they do not return while other events
 * or callers wait, the thread of the drainer is replaced ({@link Worker}):
 *
 * <ol>
 *   <li>Events stay in the ring, and nothing is counted, until their batch is complete. So the next
 *       thread begins where the last complete batch ended.
 *   <li>The event that the stuck thread was encoding is encoded once more, without its foreign
 *       objects; so is every event that was in the ring by then, since it may hold the same object.
 *       If the second attempt is stuck as well, that event is lost.
 *   <li>An event that fails with an OutOfMemoryError is tried again for a second; the events behind
 *       it wait meanwhile.
 *   <li>With {@value #MANY_STUCK} stuck threads every event is encoded without its foreign objects.
 *       An encoder that is stuck {@value #HOPELESS} times in a row is not called until a stuck
 *       thread returns or a pause is over; the pauses grow from one second to one hour. Meanwhile
 *       events wait in the ring, and the oldest are lost only once the ring is so full that log
 *       calls would wait, or when the appender stops. Events wait in the same way while the
 *       encoding tools of a new thread cannot be made; that is tried again each second.
 * </ol>
 *
 * @param <E> the type of event
 */
public final class Drainer<E> extends Worker {
  // Shorter pauses make small batches, and each batch costs two wake-ups and a write.
  private static final long MIN_IDLE_NANOS = 2_000_000;
  // The second pause in a row reaches this length and is a sleep, which the next publisher ends.
  // Further polling would cost more where events are few; where events are many, a pause without
  // any is rare. Where events come one by one, already the first pause is a sleep.
  private static final long MAX_IDLE_NANOS = 2_020_000;
  private static final long SLEEP_NANOS = 50_000_000;

  /** How often the drainer yields to callers it has just acknowledged, before it parks. */
  private static final int TURNS = 50;

  private static final int MANY_STUCK = 4;
  private static final int MOST_STUCK = 8;
  private static final int HOPELESS = 3;

  /** The position of foreign code that runs without an event; a hang there costs no event. */
  private static final long MAKING = -2;

  private static final long FIRST_PAUSE_NANOS = 1_000_000_000L;
  private static final long LAST_PAUSE_NANOS = 3_600_000_000_000L;

  /** How long a stop waits for an encoder that is left alone before it loses events. */
  private static final long LAST_CHANCE_NANOS = 3_000_000_000L;

  /** Interval of eviction attempts: the syncing thread or the reader may be using the records. */
  private static final long LOOK_AGAIN_NANOS = 100_000_000L;

  /** One second, at twenty failures a second: only a shortage of memory may end by itself. */
  private static final int MAX_FAILED_FILLS = 20;

  /**
   * How long, after an event was lost to an OutOfMemoryError, each event that fails so is lost at
   * once. So many events that are too large do not hold up the others.
   */
  private static final long IMPATIENCE_NANOS = 10_000_000_000L;

  private final EventRing<E> ring;
  private final Supplier<Batcher<E>> batchers;
  private final UnaryOperator<E> withoutForeign;
  private final DropPolicy policy;
  private final Route route;
  private final Worker deliverer;
  private final Pulse pulse;
  private final boolean formats;
  private volatile Held head; // the oldest batch not placed yet, or null; read by every thread
  private Held tail;
  private int behindEvents; // events held behind the head
  private long behindBytes;
  private Receipt due; // receipts of callers whose events were placed or dropped
  private boolean dueWritten;
  private boolean acknowledging; // callers that were just acknowledged may log again soon
  private boolean oneByOne; // events come so far apart that a pause gathers none
  private boolean alone; // only one event came between the last two lulls
  private long asleepNanos; // the start of the current lull, without events since
  private long awakened; // the sequence released when the last lull ended
  private boolean placing; // whether the codec of the spill runs, not the encoder
  private long acceptedThen; // events accepted at the last check whether room is wanted
  private long roomUntil; // the sequence whose release ends a demand for room
  private Batch looked; // for which room was last tried at once, and when
  private long lookedNanos;
  private volatile boolean noRoom;
  private volatile boolean lost; // no more room can be made, after giveUp()
  private volatile boolean hurried;
  private volatile boolean finishing;
  private volatile boolean abandoned;
  private volatile boolean sealed;

  private final EventRing.Taker<E> some; // takes about as many events as a batch

  // Of the current thread; null: it has to make its own. Each is made when first needed, so that
  // one that cannot be made holds up nothing else.
  private Tools tools;
  private BatchCodec codec;
  private Droppable droppable;
  private int failedTools; // failures in a row to make tools
  private int failedFills;
  private int shortages; // OutOfMemoryErrors in a row
  private boolean gaveUp; // an event was lost after too many OutOfMemoryErrors
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

  /** Loads what the first batch needs, and the first batch that memory does not take. */
  public static void rehearse() {
    new Held(0).next = null;
    Route.rehearse();
  }

  /** What one read of the ring has made and is not placed yet. */
  private static final class Held {
    private final long place; // the sequence of its first event
    private Batch batch;
    private Batch alone; // placed after batch: one event that is a batch of its own, or null
    private Receipt receipts; // of callers that wait for events of either batch
    private boolean careful; // encode without foreign objects: an event was stuck, or may be
    private boolean unwritten; // some of these events are not in the spill
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

  /** What one thread makes batches with. A stuck thread keeps its tools. */
  private final class Tools implements EventRing.Taker<E> {
    private final Batcher<E> batcher = batchers.get();
    private Shift shift;
    private boolean careful;
    private int failures;
    private Throwable failure;
    private final long[] failedAt = new long[Batch.MAX_EVENTS]; // sequences of the failures
    private long shortAt; // the sequence of the event for which there was no memory
    private OutOfMemoryError shortage;
    private final Tally.Counter counter = policy.tallies() ? new Tally.Counter(policy) : null;
    private boolean cut; // the last read ended before an event of another kind

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
   * @param ring read by this drainer alone
   * @param batchers makes one batcher for each thread of the drainer
   * @param withoutForeign returns an event without the foreign objects that the given one holds
   * @param policy which events may be dropped
   */
  public record Source<E>(
      EventRing<E> ring,
      Supplier<Batcher<E>> batchers,
      UnaryOperator<E> withoutForeign,
      DropPolicy policy) {}

  /**
   * Creates a drainer that is not started.
   *
   * @param context counts and reports failures
   * @param source of its events
   * @param route takes the batches
   * @param deliverer signalled after each batch that was placed
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
   * Returns whether this drainer takes events whose messages are not formatted.
   *
   * @return the same value for all threads of the drainer
   */
  public boolean formats() {
    return formats;
  }

  @Override
  protected boolean step(Shift shift) {
    pulse.beat(ring.accepted(), route.settledButSetAside(placed()));
    acknowledge(); // still due if an OutOfMemoryError ended the last step early
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
    boolean last = abandoned;
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
   * Returns whether log calls find no room, or soon will. False while no events are logged, since
   * the sink may recover before they are. Once room is wanted, it is made for a whole batch,
   * because drops of a few events each would be too slow.
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
   * Drops the oldest waiting events in memory and spill, or else the batch in hand. It does so if
   * room is wanted, and in mode ALWAYS also when the spill is full. If the policy drops new events
   * rather than old ones, waiting events make room only for a batch that is kept.
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

  /** Removes the first batch in hand, which was placed or dropped. */
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
      updateKeptOnly();
    }
  }

  private void hold(Held held) {
    if (head == null) {
      head = held;
    } else {
      tail.next = held;
      behindEvents += held.events();
      behindBytes += held.heapBytes();
      updateKeptOnly();
    }
    tail = held;
  }

  /** Leaves the ring to kept events once the batches held behind the head reach half its bounds. */
  private void updateKeptOnly() {
    ring.keptOnly(behindEvents > ring.capacity() / 2 || behindBytes > ring.maxWeight() / 2);
  }

  /** Allows one full ring more than the amount at which {@link #updateKeptOnly} closes the ring. */
  private boolean isMoreHeld() {
    return behindEvents < ring.capacity() / 2 * 3 && behindBytes < ring.maxWeight() / 2 * 3;
  }

  /**
   * Makes room in the ring when the batch in hand is kept and no older event can be dropped: drops
   * the oldest events of the ring that may be dropped, and holds the kept ones before them.
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
    route.evicted(found.levels, false); // last, since it counts before it can throw
    return true;
  }

  /** Enters foreign code that is given events of the ring. */
  private void enter(Shift shift) {
    placing = false;
    shift.enter(ring.released() + 1);
  }

  /**
   * Returns whether to make room in the spill although the ring has some. In mode ALWAYS events
   * must not wait in the ring, which does not outlive the process. An attempt takes time, so it is
   * repeated at intervals, not at each step.
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
   * Makes tools as watched foreign code, because compiling a pattern runs code of its converters.
   * If that throws for a second, the encoder is treated like one that does not return, and this
   * method returns null.
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

  /** Stops calling the encoder for a second. Costs no thread, however many are stuck. */
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

  /** Makes a batch of the events in the ring and holds it; false if no event was released. */
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
    tools = null; // set again below, once the batcher is known to be intact
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
        reportLost(t);
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
      last = mine.shortAt - 1; // the events before that one are a batch
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
      hold(held); // before its events are released: placed() reads released(), then head
      encoderReturned();
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
      Receipt.settle(released, false); // the events that were read have produced no batch
    }
    if (failure != null) {
      reportLost(failure);
    }
    return true;
  }

  private boolean add(Tools mine, long sequence, E event, Object[] arguments) {
    mine.shift.at(sequence);
    // The events before one that has been stuck become a batch of their own, so that they do not
    // wait with it.
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
   * Counts lost events and releases all events up to {@code last}. Returns the receipts of callers
   * that wait for these events. Needs no memory, because events that are counted must not be read
   * again.
   */
  private Receipt lose(long last, int lost) {
    counters.lost(LossCause.ENCODE_FAILED, lost, false);
    return ring.release(last);
  }

  private void reportLost(Throwable cause) {
    reports.error(
        "encode", "The encoder threw, the event is counted as lost (ENCODE_FAILED).", cause);
  }

  private boolean isEncoderLeftAlone() {
    return encoderLeftAlone
        && stuckThreads() >= stuckWhenLeftAlone
        && System.nanoTime() - retryNanos < 0;
  }

  /** Returns whether log calls are about to wait for room, or a stop has waited for long enough. */
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

  private void encoderReturned() {
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
    tools = null; // the stuck thread goes on using these
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

  /** Handles a hang in the codec of the spill, on an event: bytes hold nothing foreign. */
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
   * Returns a number that grows with every event that has passed the encoder.
   *
   * @return a measure of progress; two equal values mean that there was none between them
   */
  public long handled() {
    return moves() + ring.released();
  }

  /**
   * Returns how many of the first accepted events are all placed or lost. For any thread.
   *
   * @return the number of accepted events before the oldest that is neither placed nor lost
   */
  public long placed() {
    long released = ring.released() + 1; // before the head, so that no event is missed
    Held oldest = head;
    return oldest == null ? released : oldest.place;
  }

  /**
   * Returns whether the batch in hand finds room neither in memory nor in the spill.
   *
   * @return true if the drainer waits for the sink, or for more room
   */
  public boolean hasNoRoom() {
    return noRoom;
  }

  /** Frees the buffers after the end of the drainer. */
  public void releaseBuffers() {
    tools = null;
    codec = null;
    droppable = null;
    looked = null;
    for (Held held = head; held != null; held = held.next) {
      Receipt.settle(held.receipts, false); // a caller still waits only if the drainer gave up
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
    // No signal announces that there is room for a batch, or that an encoder is to be tried again.
    if ((nanos < MAX_IDLE_NANOS && !oneByOne) || head != null || encoderLeftAlone) {
      super.pause(nanos);
    } else {
      sleep();
    }
  }

  /**
   * Sleeps until there is an event. If the event before came alone, and this one after a longer
   * time than a pause, later lulls begin with a sleep: a pause that gathers more would only cost
   * one more wake-up.
   */
  private void sleep() {
    long events = ring.released() - awakened;
    if (events > 0) { // zero: the same lull continues
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

  /** Polls briefly, so that callers that log again one by one do not each wake the drainer. */
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
   * Saves the batches that had left the ring and found no room when the drainer gave up, as far as
   * there is room now. Called after the end of the drainer and after the batches in memory were
   * saved. After an exception, the next call continues where this one ended.
   *
   * @param careful whether to run no foreign code
   * @return how many events were not saved
   */
  public long saveUnplaced(boolean careful) {
    long lostEvents = 0; // after the first loss, no further step needs memory
    for (Held held = head; held != null; held = held.next) {
      while (held.batch != null) { // null: it was saved before an OutOfMemoryError
        boolean saved = lostEvents == 0 && route.saveBehind(held.batch, careful || held.careful);
        lostEvents += saved ? 0 : held.batch.events();
        held.batch = held.alone;
        held.alone = null;
      }
    }
    counters.lost(LossCause.NOT_SAVED, lostEvents, false);
    return lostEvents;
  }

  /** States that a caller waits for the last event too, so a hang in it holds others up. */
  public void hurry() {
    hurried = true;
  }

  /** Asks the drainer to end once all published events are placed and the ring is sealed. */
  public void finish() {
    hurry();
    finishNanos = System.nanoTime();
    finishing = true;
    signal();
  }

  /**
   * Makes the drainer end at the first batch that finds no room and for which none can be made.
   * {@link #saveUnplaced} then tries that batch once more; what is in the ring behind it is lost.
   */
  public void giveUp() {
    abandoned = true;
    signal();
  }
}
