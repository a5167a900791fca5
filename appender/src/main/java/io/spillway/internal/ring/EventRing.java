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
 * that is not published, so that of the Disruptor's own marks of availability, which are named
 * differently from version to version, none is read. Of the Disruptor is what hands out sequences;
 * the slots are here, since a publisher must not need a call to find the one it has claimed, nor to
 * fill it. It never waits: the wait strategy is one whose signal does nothing, since the only
 * consumer polls.
 *
 * <p>A consumer that has polled in vain for long sleeps, and the first publisher after that wakes
 * it ({@link Sleeper}): the cursor is set before that looks, and is what the consumer looks at.
 *
 * <p>It is bounded by weight, too. As many events as there are slots, each as heavy as its share of
 * the bound, are held by the slots alone. Whatever is heavier is added up when it is published, and
 * finds no room beyond the bound; light events cost nothing for that.
 *
 * <p>The number of accepted events is the ring's cursor, so counting them costs a publisher
 * nothing.
 *
 * @param <E> the type of event
 */
public final class EventRing<E> {
  /** Fewer slots than this would fill while the drainer waits for its turn on a busy machine. */
  public static final int MIN_CAPACITY = 16_384;

  /** More would take gigabytes of heap before they took an event. */
  public static final int MAX_CAPACITY = 1 << 24;

  private static final Any ANY = new Any();
  private static final VarHandle EVENT = event();
  private static final long OPEN = Long.MIN_VALUE;

  /** How long a publisher that has claimed a slot and lost the processor is left alone. */
  private static final long CLAIMED_NANOS = 2_000_000;

  private final int capacity;
  private final ToLongFunction<? super E> weigher;
  private final long maxWeight;
  private final long lightWeight;
  private final Sequence heavy = new Sequence(0); // what the heavy events in the ring weigh
  // Both null after its end; who reads them late finds it sealed.
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
  private boolean claimed; // the consumer's
  private volatile long lastAccepted = OPEN;
  private volatile boolean crowded; // the consumer's; written when it changes
  private volatile boolean roomAsked; // written when it changes
  private volatile boolean keptOnly; // the consumer's; written when it changes

  /** Holds an event, what it weighs if it is a heavy one, and what its message is made of. */
  private static final class Slot<E> {
    private volatile E event; // null: not published

    private int weight; // set before the event is; small, since there are many slots
    // Set before the event is: the arguments of a message that is still to be formatted, or the
    // receipt of a caller that waits, or null. One field for both, since there are many slots.
    private Object with;
  }

  /** Takes events that are read. */
  @FunctionalInterface
  interface Taker<T> {
    /**
     * Returns false to stop reading after this event. Its arguments are null unless its message is
     * still to be formatted.
     */
    boolean take(long sequence, T event, Object[] arguments);
  }

  /** Weighs nothing, takes all. No lambdas: each is spun at start. */
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
   * A ring.
   *
   * @param queueSize slots wanted; rounded up to a power of two, at least {@link #MIN_CAPACITY}
   * @param weigher tells what an event weighs; asked by each publisher, so it must be quick, and it
   *     must not throw
   * @param maxWeight once heavy events have this together, no more of them is taken
   */
  public EventRing(int queueSize, ToLongFunction<? super E> weigher, long maxWeight) {
    this(
        slots(Math.max(MIN_CAPACITY, Integer.highestOneBit(Math.max(1, queueSize - 1)) << 1)),
        weigher,
        maxWeight);
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

  /** One with so few slots that a race test fills it, a power of two, whatever its events weigh. */
  static <E> EventRing<E> withSlots(int slots) {
    return withSlots(slots, ANY, 0);
  }

  /** The same, bounded by weight. */
  static <E> EventRing<E> withSlots(int slots, ToLongFunction<? super E> weigher, long maxWeight) {
    return new EventRing<>(EventRing.<E>slots(slots), weigher, maxWeight);
  }

  /**
   * Tries everything that rings need of the Disruptor on the class path.
   *
   * @throws LinkageError if that lacks something, or there is none
   */
  public static void tryOut() {
    EventRing<Object> ring = EventRing.withSlots(2);
    boolean works = ring.tryPublish(ring) && ring.remaining() > 0 && ring.accepted() == 1;
    ring.release(ring.read(ANY));
    // Sealed is full: what says so is a class that log calls must not be the first to initialize.
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
   * @param receipt comes back when the event is released; null if nobody waits
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
      if (!published) { // there may be no stack left to publish it
        heavy.addAndGet(-weight);
      }
    }
    return published;
  }

  /**
   * Publishes an event whose message the consumer formats, if there is room.
   *
   * @param event not null, and no heavier than {@link #lightWeight}
   * @param arguments of its message, which nobody changes any more
   * @return false if the ring is full or sealed
   */
  public boolean tryPublish(E event, Object[] arguments) {
    return tryPublish(event, 0, arguments);
  }

  /**
   * Claims a slot and fills it. The Disruptor's own {@code publish} is left out: it notes in an
   * array, which all publishers share, what the consumer sees in the slot itself. Once a slot is
   * claimed, nothing but its event gets the consumer past it, so it is filled even if there is no
   * stack left for a call.
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
      return false; // always the same one, without a stack
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
      return true; // accepted all the same: the consumer sleeps for some milliseconds at most
    }
    return true;
  }

  /**
   * What an event may weigh without being heavy.
   *
   * @return in units of the weigher
   */
  public long lightWeight() {
    return lightWeight;
  }

  /**
   * Whether the consumer was half a ring behind when it last looked: publishers had better do
   * themselves what they can do for it.
   *
   * @return a volatile read of what is seldom written
   */
  public boolean isCrowded() {
    return crowded;
  }

  /**
   * Whether the heavy events in the ring weigh more than half of what is taken of them.
   *
   * @return a look at this moment
   */
  public boolean isHeavy() {
    return 2 * heavy.get() > maxWeight;
  }

  /**
   * Parks the consumer until an event is published, for this long at most; may return earlier.
   * Where a slot is claimed, its publisher may have looked for a sleeper before its event is seen
   * here: that wake-up may be missed, so the wait is short.
   */
  void awaitEvent(long nanos) {
    claimed = !isEmpty();
    sleeper.sleepWhile(empty, claimed ? Math.min(CLAIMED_NANOS, nanos) : nanos);
  }

  /**
   * Passes events on, in order, until there is none or the taker has enough. They stay in the ring
   * until {@link #release}, so that whoever fails half-way can read them again. Not the Disruptor's
   * {@code EventPoller}: each time, that looks through everything published, which after a stall is
   * the whole ring, to find how far it might go, while the taker has enough after a few hundred.
   *
   * @return the sequence of the last event passed on; of the one before the first if there was none
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

  /** Whose event this is, if somebody waits; while it is not released. */
  Receipt receipt(long sequence) {
    return slot(sequence).with instanceof Receipt receipt ? receipt : null;
  }

  /**
   * Whether somebody waits for the event that is released next. Of any thread: true of a consumer
   * that stands still, else perhaps of the event before or after.
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
   * Gives the slots of events back, up to and including this one.
   *
   * @return the receipts of those who wait for these events, in order; null if nobody does
   */
  Receipt release(long last) {
    long weight = 0;
    Receipt first = null;
    Receipt newest = null;
    for (long sequence = polled.get() + 1; sequence <= last; sequence++) {
      Slot<E> slot = slot(sequence);
      EVENT.set(slot, (Object) null); // the release below shows it to who claims the slot next
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

  /** By a publisher that finds no room: the consumer may make some. */
  public void askForRoom() {
    if (!roomAsked) {
      roomAsked = true;
    }
  }

  /** Whether a publisher has asked since the last call. */
  boolean isRoomAsked() {
    boolean asked = roomAsked;
    if (asked) {
      roomAsked = false;
    }
    return asked;
  }

  /** By the consumer: whether all that waits is kept, so that there is room for nothing else. */
  void keptOnly(boolean is) {
    if (is != keptOnly) {
      keptOnly = is;
    }
  }

  /**
   * Whether its room is for events that are kept.
   *
   * @return a volatile read of what is seldom written
   */
  public boolean isKeptOnly() {
    return keptOnly;
  }

  /** Once heavy events have this together, no more of them is taken. */
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

  /** While it is not let go. */
  private Slot<E> slot(long sequence) {
    return slots[(int) sequence & (capacity - 1)];
  }

  /** Whether the next event is there: that its slot is claimed is not enough. The consumer's. */
  boolean hasNext() {
    return slot(polled.get() + 1).event != null;
  }

  /**
   * Closes the ring to publishers for good by claiming all its slots at once, which succeeds only
   * when everything published has been polled. A publisher either claimed its slot before, and is
   * polled, or finds the ring full: no event can slip in between.
   *
   * @return false if an event is still to be polled
   */
  boolean seal() {
    sealing = true; // until it is known, the cursor tells of more than was accepted
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
   * Takes out all that is left and closes the ring to publishers. After the consumer's end.
   *
   * @return how many events that were
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

  /** Frees its memory, after it was closed to publishers, or that had failed. */
  public void letGo() {
    if (lastAccepted == OPEN) {
      lastAccepted = claims.getCursor();
    }
    claims = null;
    slots = null;
  }

  /**
   * Events accepted so far.
   *
   * @return their number
   */
  public long accepted() {
    while (lastAccepted == OPEN) {
      MultiProducerSequencer open = claims; // null if it was closed and let go meanwhile
      long last = open == null ? OPEN : open.getCursor();
      if (open != null && !sealing && lastAccepted == OPEN) {
        return last + 1;
      }
      Thread.yield();
    }
    return lastAccepted + 1;
  }

  /**
   * Slots.
   *
   * @return a power of two
   */
  public int capacity() {
    return capacity;
  }

  /**
   * Slots in use.
   *
   * @return events waiting for the drainer
   */
  public long used() {
    return Math.max(0, accepted() - 1 - polled.get());
  }

  /**
   * Slots free.
   *
   * @return room for events
   */
  public long remaining() {
    MultiProducerSequencer open = claims;
    return open == null ? capacity : open.remainingCapacity();
  }
}
