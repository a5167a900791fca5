package io.spillway.internal.ring;

import com.lmax.disruptor.InsufficientCapacityException;
import com.lmax.disruptor.MultiProducerSequencer;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.YieldingWaitStrategy;
import io.spillway.internal.metrics.DetachedThread;
import io.spillway.internal.route.Receipt;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.BooleanSupplier;
import java.util.function.ToLongFunction;

/**
 * The multi-producer ring between application threads and the drainer.
 *
 * <p>Publishing is one compare-and-set on the claimed sequence and a release of the event into the
 * slot; the consumer's acquire of the slot makes the event visible. A slot without an event is one
 * that is not published. The Disruptor's own marks of availability, whose names differ between
 * versions, are therefore not read: only the sequencer is the Disruptor's. The slots are in this
 * class, since a publisher must be able to find and fill the slot it has claimed without a call.
 * Publishing never waits: the signal of the wait strategy does nothing, since the only consumer
 * polls.
 *
 * <p>A consumer that has polled without success for long sleeps, and the first publisher after that
 * wakes it ({@link Sleeper}): a publisher sets the cursor before it checks for a sleeper, and the
 * consumer checks the cursor.
 *
 * <p>The ring is also bounded by weight. Events no heavier than their share of the bound ({@link
 * #lightWeight}) are bounded by the number of slots alone and cost no addition. Heavier events are
 * added up when they are published, and find no room beyond the bound.
 *
 * <p>The number of accepted events is the ring's cursor, so counting them costs a publisher
 * nothing.
 *
 * @param <E> the type of event
 */
public final class EventRing<E> {
  /** Fewer slots would fill while the drainer waits for a processor on a busy machine. */
  public static final int MIN_CAPACITY = 16_384;

  /** More slots would take gigabytes of heap before the first event. */
  public static final int MAX_CAPACITY = 1 << 24;

  private static final Any ANY = new Any();
  private static final VarHandle EVENT = event();
  private static final long OPEN = Long.MIN_VALUE;

  /** How long the consumer waits for a publisher that lost the processor after its claim. */
  private static final long CLAIMED_NANOS = 2_000_000;

  private final int capacity;
  private final ToLongFunction<? super E> weigher;
  private final long maxWeight;
  private final long lightWeight;
  private final Sequence heavy = new Sequence(0); // total weight of the heavy events in the ring
  // Both are null after the end of the ring; a thread that reads them late treats it as sealed.
  private MultiProducerSequencer claims;
  private Slot<E>[] slots;
  private final Sequence polled = new Sequence();
  private final Sleeper sleeper = new Sleeper();
  private final BooleanSupplier empty =
      new BooleanSupplier() {
        @Override
        public boolean getAsBoolean() {
          return claimed ? !hasNext() : isEmpty();
        }
      };
  private volatile boolean sealing;
  private boolean claimed; // written and read by the consumer only
  private volatile long lastAccepted = OPEN;
  private volatile boolean crowded; // written by the consumer, when it changes
  private volatile boolean roomAsked; // written when it changes
  private volatile boolean keptOnly; // written by the consumer, when it changes

  /** Holds an event, its weight if it is a heavy one, and its arguments or its receipt. */
  private static final class Slot<E> {
    private volatile E event; // null: not published

    private int weight; // set before the event; an int, since there are many slots
    // Set before the event: the arguments of a message that is still to be formatted, or the
    // receipt of a caller that waits, or null. One field for both, since there are many slots.
    private Object with;
  }

  /** Takes the events that {@link #read} passes on. */
  @FunctionalInterface
  interface Taker<T> {
    /**
     * Takes an event; returns false to stop reading after it. The arguments are null unless the
     * message of the event is still to be formatted.
     */
    boolean take(long sequence, T event, Object[] arguments);
  }

  /** Weighs nothing and takes every event. A class, since each lambda costs time at the start. */
  private static final class Any implements ToLongFunction<Object>, Taker<Object> {
    @Override
    public long applyAsLong(Object event) {
      return 0;
    }

    @Override
    public boolean take(long sequence, Object event, Object[] arguments) {
      return true;
    }
  }

  /**
   * Creates a ring.
   *
   * @param queueSize slots wanted; rounded up to a power of two, at least {@link #MIN_CAPACITY}
   * @param weigher returns the weight of an event; called by each publisher, so it must be quick
   *     and must not throw
   * @param maxWeight total weight of heavy events from which on no more of them are taken
   */
  public EventRing(int queueSize, ToLongFunction<? super E> weigher, long maxWeight) {
    this(slots(capacity(queueSize)), weigher, maxWeight);
  }

  /**
   * Returns how many slots a ring has.
   *
   * @param queueSize slots wanted
   * @return the next power of two, at least {@link #MIN_CAPACITY}
   */
  public static int capacity(int queueSize) {
    return Math.max(MIN_CAPACITY, Integer.highestOneBit(Math.max(1, queueSize - 1)) << 1);
  }

  private EventRing(Slot<E>[] slots, ToLongFunction<? super E> weigher, long maxWeight) {
    this.slots = slots;
    this.weigher = weigher;
    this.maxWeight = maxWeight;
    capacity = slots.length;
    lightWeight = maxWeight / capacity;
    claims = new MultiProducerSequencer(capacity, new YieldingWaitStrategy());
    claims.addGatingSequences(polled);
  }

  @SuppressWarnings("unchecked") // an array has no parameter of its type
  private static <E> Slot<E>[] slots(int capacity) {
    Slot<E>[] slots = (Slot<E>[]) new Slot<?>[capacity];
    for (int i = 0; i < capacity; i++) {
      slots[i] = new Slot<>();
    }
    return slots;
  }

  private static VarHandle event() {
    try {
      return MethodHandles.lookup().findVarHandle(Slot.class, "event", Object.class);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("There is no such field.", e);
    }
  }

  /** Creates a ring with few slots, a power of two, and no bound of weight; for race tests. */
  static <E> EventRing<E> withSlots(int slots) {
    return withSlots(slots, ANY, 0);
  }

  /** Creates a ring with few slots that is bounded by weight as well; for race tests. */
  static <E> EventRing<E> withSlots(int slots, ToLongFunction<? super E> weigher, long maxWeight) {
    return new EventRing<>(EventRing.<E>slots(slots), weigher, maxWeight);
  }

  /**
   * Tries everything that rings need of the Disruptor on the class path.
   *
   * @throws LinkageError if the Disruptor is missing or lacks a class or method
   */
  public static void tryOut() {
    EventRing<Object> ring = EventRing.withSlots(2);
    boolean works = ring.tryPublish(ring) && ring.remaining() > 0 && ring.accepted() == 1;
    ring.release(ring.read(ANY));
    // A sealed ring is full. Initializes the exception for that, before a log call has to.
    if (!works || !ring.isEmpty() || !ring.seal() || ring.tryPublish(ring)) {
      throw new LinkageError("The ring does not pass on what is published.");
    }
  }

  /**
   * Publishes an event if there is room.
   *
   * @param event not null
   * @return false if the ring is full or sealed, or too heavy for a heavy event
   */
  public boolean tryPublish(E event) {
    return tryPublish(event, (Receipt) null);
  }

  /**
   * Publishes an event whose caller waits, if there is room.
   *
   * @param event not null
   * @param receipt returned by {@link #release}, with the event; null if no caller waits
   * @return false if the ring is full or sealed, or too heavy for a heavy event
   */
  public boolean tryPublish(E event, Receipt receipt) {
    long weight = Math.min(weigher.applyAsLong(event), Integer.MAX_VALUE);
    if (weight <= lightWeight) {
      return tryPublish(event, 0, receipt);
    }
    boolean published = false;
    boolean room = heavy.addAndGet(weight) - weight < maxWeight;
    try {
      published = room && tryPublish(event, (int) weight, receipt);
    } finally {
      if (!published) { // also after an error, such as a StackOverflowError in tryPublish
        heavy.addAndGet(-weight);
      }
    }
    return published;
  }

  /**
   * Publishes an event whose message the consumer formats, if there is room.
   *
   * @param event not null, and no heavier than {@link #lightWeight}
   * @param arguments of its message, which no code changes any more
   * @return false if the ring is full or sealed
   */
  public boolean tryPublish(E event, Object[] arguments) {
    return tryPublish(event, 0, arguments);
  }

  /**
   * Claims a slot and fills it. Does not call the Disruptor's own {@code publish}, which writes to
   * an array that all publishers share what the consumer sees in the slot itself. The consumer can
   * pass a claimed slot only once it holds an event, so the slot is filled even if a
   * StackOverflowError prevents a call.
   */
  private boolean tryPublish(E event, int weight, Object with) {
    MultiProducerSequencer claiming = claims;
    Slot<E>[] filled = slots;
    if (claiming == null || filled == null) {
      return false;
    }
    long sequence;
    try {
      sequence = claiming.tryNext();
    } catch (InsufficientCapacityException full) {
      return false; // always the same exception, without a stack trace
    }
    Slot<E> slot = filled[(int) sequence & (filled.length - 1)];
    slot.weight = weight;
    slot.with = with;
    try {
      EVENT.setRelease(slot, event); // a volatile store would wait for all stores before it
    } catch (Throwable noStack) {
      slot.event = event;
    }
    try {
      sleeper.wake();
    } catch (Throwable noStack) {
      return true; // accepted all the same: the consumer sleeps for 50 ms at most
    }
    return true;
  }

  /**
   * Returns the weight up to which an event is not heavy.
   *
   * @return in units of the weigher
   */
  public long lightWeight() {
    return lightWeight;
  }

  /**
   * Returns whether the consumer was more than half a ring behind at its last read. Publishers then
   * take over work that the consumer would do, such as formatting.
   *
   * @return the value of a volatile field that is seldom written
   */
  public boolean isCrowded() {
    return crowded;
  }

  /**
   * Returns whether the heavy events in the ring weigh more than half of the bound of weight.
   *
   * @return the state at the time of the call
   */
  public boolean isHeavy() {
    return 2 * heavy.get() > maxWeight;
  }

  /**
   * Parks the consumer until an event is published, for at most {@code nanos}; may return earlier.
   * If a slot is claimed, its publisher may have checked for a sleeper before its event is visible
   * here: that wake-up may be missed, so the wait is then at most 2 ms.
   */
  void awaitEvent(long nanos) {
    claimed = !isEmpty();
    sleeper.sleepWhile(empty, claimed ? Math.min(CLAIMED_NANOS, nanos) : nanos);
  }

  /**
   * Passes events on, in order, until there is none or the taker returns false. The events stay in
   * the ring until {@link #release}, so that a reader that fails half-way can read them again. The
   * Disruptor's {@code EventPoller} is not used: on each call it scans all published events, after
   * a stall the whole ring, while the taker stops after a few hundred.
   *
   * @return the sequence of the last event passed on; if there was none, the last one released
   */
  long read(Taker<? super E> taker) {
    long last = polled.get();
    long end = last + capacity; // the slot after that is the first again
    boolean behind = claims.getCursor() - last > capacity / 2;
    if (behind != crowded) {
      crowded = behind;
    }
    boolean goOn = true;
    while (goOn && last < end) {
      Slot<E> slot = slot(last + 1);
      E event = slot.event;
      if (event == null) {
        break;
      }
      goOn =
          taker.take(last + 1, event, slot.with instanceof Object[] arguments ? arguments : null);
      last++;
    }
    return last;
  }

  /** Returns the receipt of an event that is not released; null if no caller waits for it. */
  Receipt receipt(long sequence) {
    return slot(sequence).with instanceof Receipt receipt ? receipt : null;
  }

  /**
   * Returns whether a caller waits for the event released next. For any thread. Exact while the
   * consumer stands still; else the answer may be about a neighbouring event.
   */
  boolean isCallerWaiting() {
    Slot<E>[] filled = slots;
    if (filled == null) {
      return false;
    }
    Slot<E> slot = filled[(int) (polled.get() + 1) & (filled.length - 1)];
    return slot.event != null && slot.with instanceof Receipt caller && !caller.isSettled();
  }

  /**
   * Gives back the slots of events, up to and including {@code last}.
   *
   * @return the receipts of callers that wait for these events, in order; null if there are none
   */
  Receipt release(long last) {
    long weight = 0;
    Receipt first = null;
    Receipt newest = null;
    for (long sequence = polled.get() + 1; sequence <= last; sequence++) {
      Slot<E> slot = slot(sequence);
      EVENT.set(slot, (Object) null); // published to the next owner of the slot by polled.set below
      if (slot.with instanceof Receipt receipt) {
        newest = receipt.after(newest);
        first = first == null ? newest : first;
      }
      slot.with = null;
      weight += slot.weight;
      slot.weight = 0;
    }
    polled.set(last);
    if (weight > 0) {
      heavy.addAndGet(-weight);
    }
    return first;
  }

  /** Asks the consumer to make room; called by a publisher that finds none. */
  public void askForRoom() {
    if (!roomAsked) {
      roomAsked = true;
    }
  }

  /** Returns whether a publisher has asked for room since the last call. */
  boolean isRoomAsked() {
    boolean asked = roomAsked;
    if (asked) {
      roomAsked = false;
    }
    return asked;
  }

  /** Sets whether room is left only for events that are kept. Called by the consumer. */
  void keptOnly(boolean is) {
    if (is != keptOnly) {
      keptOnly = is;
    }
  }

  /**
   * Returns whether the ring has room only for events that are kept.
   *
   * @return the value of a volatile field that is seldom written
   */
  public boolean isKeptOnly() {
    return keptOnly;
  }

  /** Returns the total weight of heavy events from which on no more of them are taken. */
  long maxWeight() {
    return maxWeight;
  }

  /** The sequence of the last event released; -1 if there was none. */
  long released() {
    return polled.get();
  }

  /** The sequence of the last event accepted; -1 if there was none. */
  long last() {
    return accepted() - 1;
  }

  boolean isEmpty() {
    return polled.get() >= claims.getCursor();
  }

  /** Returns the slot of a sequence; not after {@link #releaseBuffers}. */
  private Slot<E> slot(long sequence) {
    return slots[(int) sequence & (capacity - 1)];
  }

  /** Returns whether the next event is published, not only its slot claimed. For the consumer. */
  boolean hasNext() {
    return slot(polled.get() + 1).event != null;
  }

  /**
   * Closes the ring to publishers for good by claiming all its slots at once, which succeeds only
   * when all published events were released. A publisher either claimed its slot before, and its
   * event is still read, or finds the ring full: no event is published unseen.
   *
   * @return false if an event is still to be released
   */
  boolean seal() {
    sealing = true; // the cursor may include the slots claimed below, until the outcome is known
    try {
      lastAccepted = claims.tryNext(capacity) - capacity;
      return true;
    } catch (InsufficientCapacityException notEmpty) {
      return false;
    } finally {
      sealing = false;
    }
  }

  /**
   * Removes all events that are left and closes the ring, after the end of the consumer.
   *
   * @return how many events were removed
   */
  public long abandon() {
    long first = polled.get();
    while (lastAccepted == OPEN && !seal()) {
      if (!hasNext()) {
        DetachedThread.pause(this, CLAIMED_NANOS); // the caller may be interrupted
      }
      Receipt.settle(release(read(ANY)), false);
    }
    return polled.get() - first;
  }

  /** Frees the memory of the ring, after it was closed to publishers or closing it had failed. */
  public void releaseBuffers() {
    if (lastAccepted == OPEN) {
      lastAccepted = claims.getCursor();
    }
    claims = null;
    slots = null;
  }

  /**
   * Returns how many events were accepted so far.
   *
   * @return the number of events
   */
  public long accepted() {
    while (lastAccepted == OPEN) {
      MultiProducerSequencer open = claims; // null: the ring was closed and freed meanwhile
      long last = open == null ? OPEN : open.getCursor();
      if (open != null && !sealing && lastAccepted == OPEN) {
        return last + 1;
      }
      Thread.yield();
    }
    return lastAccepted + 1;
  }

  /**
   * Returns the number of slots.
   *
   * @return a power of two
   */
  public int capacity() {
    return capacity;
  }

  /**
   * Returns the number of slots in use.
   *
   * @return events that wait for the drainer
   */
  public long used() {
    return Math.max(0, accepted() - 1 - polled.get());
  }

  /**
   * Returns the number of free slots.
   *
   * @return how many more events can be published
   */
  public long remaining() {
    MultiProducerSequencer open = claims;
    return open == null ? capacity : open.remainingCapacity();
  }
}
