package io.spillway.internal.ring;

import com.lmax.disruptor.EventFactory;
import com.lmax.disruptor.InsufficientCapacityException;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.YieldingWaitStrategy;
import io.spillway.internal.route.Joins;
import io.spillway.internal.route.Receipt;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.ToLongFunction;

/**
 * The multi-producer ring between application threads and the drainer.
 *
 * <p>Publishing is one compare-and-set on the claimed sequence and a release of the event into the
 * slot; the consumer's acquire of the slot makes the event visible. A slot without an event is one
 * that is not published, so that of the Disruptor's own marks of availability, which are named
 * differently from version to version, none is read. It never waits: the wait strategy is one whose
 * signal does nothing, since the only consumer polls.
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
  private static final long OPEN = Long.MIN_VALUE;

  /** How long a publisher that has claimed a slot and lost the processor is left alone. */
  private static final long CLAIMED_NANOS = 2_000_000;

  private final int slots;
  private final ToLongFunction<? super E> weigher;
  private final long maxWeight;
  private final long lightWeight;
  private final Sequence heavy = new Sequence(0); // what the heavy events in the ring weigh
  private RingBuffer<Slot<E>> ring; // null after its end; who reads it late finds it sealed
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
  private static final class Slot<E> extends AtomicReference<E> {
    private static final long serialVersionUID = 1L;

    private int weight; // set before the event is; small, since there are many slots
    // Set before the event is: the arguments of a message that is still to be formatted, or the
    // receipt of a caller that waits, or null. One field for both, since there are many slots.
    private transient Object with;
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

  /** Weighs nothing, takes all, makes slots. No lambdas: each is spun at start. */
  private static final class Any
      implements ToLongFunction<Object>, Taker<Object>, EventFactory<Slot<?>> {
    @Override
    public Slot<?> newInstance() {
      return new Slot<>();
    }

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
        ofSlots(Math.max(MIN_CAPACITY, Integer.highestOneBit(Math.max(1, queueSize - 1)) << 1)),
        weigher,
        maxWeight);
  }

  private EventRing(RingBuffer<Slot<E>> ring, ToLongFunction<? super E> weigher, long maxWeight) {
    this.ring = ring;
    this.weigher = weigher;
    this.maxWeight = maxWeight;
    slots = ring.getBufferSize();
    lightWeight = maxWeight / slots;
    ring.addGatingSequences(polled);
  }

  @SuppressWarnings("unchecked") // new slots are empty
  private static <E> RingBuffer<Slot<E>> ofSlots(int slots) {
    EventFactory<Slot<E>> factory = (EventFactory<Slot<E>>) (EventFactory<?>) ANY;
    return RingBuffer.createMultiProducer(factory, slots, new YieldingWaitStrategy());
  }

  /** One with so few slots that a race test fills it, a power of two, whatever its events weigh. */
  static <E> EventRing<E> withSlots(int slots) {
    return withSlots(slots, ANY, 0);
  }

  /** The same, bounded by weight. */
  static <E> EventRing<E> withSlots(int slots, ToLongFunction<? super E> weigher, long maxWeight) {
    return new EventRing<>(EventRing.<E>ofSlots(slots), weigher, maxWeight);
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
   * Claims a slot and fills it. The ring's own {@code publish} is left out: it notes in an array,
   * which all publishers share, what the consumer sees in the slot itself.
   */
  private boolean tryPublish(E event, int weight, Object with) {
    RingBuffer<Slot<E>> buffer = ring;
    if (buffer == null) {
      return false;
    }
    long sequence;
    try {
      sequence = buffer.tryNext();
    } catch (InsufficientCapacityException full) {
      return false; // always the same one, without a stack
    }
    Slot<E> slot = buffer.get(sequence);
    slot.weight = weight;
    slot.with = with;
    slot.setRelease(event);
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
    long end = last + slots; // the slot after that is the first again
    boolean behind = ring.getCursor() - last > slots / 2;
    if (behind != crowded) {
      crowded = behind;
    }
    boolean goOn = true;
    while (goOn && last < end) {
      Slot<E> slot = ring.get(last + 1);
      E event = slot.getAcquire();
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
    return ring.get(sequence).with instanceof Receipt receipt ? receipt : null;
  }

  /**
   * Whether somebody waits for the event that is released next. Of any thread: true of a consumer
   * that stands still, else perhaps of the event before or after.
   */
  boolean isCallerWaiting() {
    RingBuffer<Slot<E>> buffer = ring;
    if (buffer == null) {
      return false;
    }
    Slot<E> slot = buffer.get(polled.get() + 1);
    return slot.getAcquire() != null && slot.with instanceof Receipt caller && !caller.isSettled();
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
      Slot<E> slot = ring.get(sequence);
      slot.setPlain(null); // the release below shows it to who claims the slot next
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
    return polled.get() >= ring.getCursor();
  }

  /** Whether the next event is there: that its slot is claimed is not enough. The consumer's. */
  boolean hasNext() {
    return ring.get(polled.get() + 1).getAcquire() != null;
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
      long last = ring.tryNext(ring.getBufferSize());
      lastAccepted = last - ring.getBufferSize();
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
        Joins.pause(this, CLAIMED_NANOS); // the caller may be interrupted
      }
      Receipt.settle(release(read(ANY)), false);
    }
    return polled.get() - first;
  }

  /** Frees its memory, after it was closed to publishers, or that had failed. */
  public void letGo() {
    if (lastAccepted == OPEN) {
      lastAccepted = ring.getCursor();
    }
    ring = null;
  }

  /**
   * Events accepted so far.
   *
   * @return their number
   */
  public long accepted() {
    while (lastAccepted == OPEN) {
      RingBuffer<Slot<E>> buffer = ring; // null if it was closed and let go meanwhile
      long last = buffer == null ? OPEN : buffer.getCursor();
      if (buffer != null && !sealing && lastAccepted == OPEN) {
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
    return slots;
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
    RingBuffer<Slot<E>> buffer = ring;
    return buffer == null ? slots : buffer.remainingCapacity();
  }
}
