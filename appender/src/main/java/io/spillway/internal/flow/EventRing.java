package io.spillway.internal.flow;

import com.lmax.disruptor.InsufficientCapacityException;
import com.lmax.disruptor.MultiProducerSequencer;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.YieldingWaitStrategy;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The multi-producer ring between application threads and the two threads of the pipeline.
 *
 * <p>To publish is one compare-and-set on the claimed sequence and a release of the event into its
 * slot; the reader's acquire of the slot makes the event visible. A null slot is not published, so
 * the Disruptor's own marks of availability are not used: only the sequencer is the Disruptor's. If
 * the release were a plain store, the reader could see the event before its content.
 *
 * <p>Publishing never waits. A publisher wakes the reader that sleeps through a lull, and the
 * spiller when the ring is more than three quarters full: it compares its sequence with {@code
 * highAt}, which the reader moves once in a sixteenth of the ring.
 *
 * <p>The ring is bounded by weight as well: an event above {@value #LIGHT_BYTES} bytes is added up,
 * and finds no room beyond the bound.
 *
 * <p>Concurrency: {@link #tryPublish} for any thread. Events are read, released and sealed by one
 * thread at a time, which holds the lock {@code order}. The figures are for any thread.
 */
public final class EventRing {
  /** Fewer slots would fill while the reader waits for a processor on a busy machine. */
  public static final int MIN_CAPACITY = 16_384;

  /** More slots would take gigabytes of heap before the first event. */
  public static final int MAX_CAPACITY = 1 << 24;

  /** Up to this weight an event is bounded by the number of slots alone. */
  public static final int LIGHT_BYTES = 1024;

  private static final long MAX_HEAVY_BYTES = 64L << 20;
  private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(Object[].class);
  private static final long OPEN = Long.MIN_VALUE;

  private final int capacity;
  private final long maxWeight;
  private final Object[] slots;
  private final MultiProducerSequencer claims;
  private final Sequence released = new Sequence();
  private final Sequence heavy = new Sequence(0);
  private final Sequence callers = new Sequence(0);
  private final Sleeper reader; // woken by the first event after a lull
  private final Sleeper spiller;
  private volatile long highAt;
  private volatile boolean sealing;
  private volatile long lastAccepted = OPEN;

  /** What a slot holds in place of an event that is heavy, or whose caller waits. */
  private record Entry(Object event, int weight, Receipt receipt) {}

  public EventRing(int queueSize, Sleeper reader, Sleeper spiller) {
    this(
        capacity(queueSize),
        Math.min(Runtime.getRuntime().maxMemory() / 8, MAX_HEAVY_BYTES),
        reader,
        spiller);
  }

  /** Creates a ring with few slots, for models and race tests. */
  EventRing(int slots, long maxWeight, Sleeper reader, Sleeper spiller) {
    capacity = slots;
    this.maxWeight = maxWeight;
    this.slots = new Object[capacity];
    this.reader = reader;
    this.spiller = spiller;
    claims = new MultiProducerSequencer(capacity, new YieldingWaitStrategy());
    claims.addGatingSequences(released);
    highAt = released.get() + high();
  }

  /** Returns how many slots a ring has. */
  public static int capacity(int queueSize) {
    return Math.max(MIN_CAPACITY, Integer.highestOneBit(Math.max(1, queueSize - 1)) << 1);
  }

  /** Publishes an event if there is room. */
  public boolean tryPublish(Object event, int weight, Receipt receipt) {
    if (weight <= LIGHT_BYTES && receipt == null) {
      return publish(event);
    }
    int counted = weight <= LIGHT_BYTES ? 0 : weight;
    if (heavy.addAndGet(counted) - counted >= maxWeight && counted > 0) {
      heavy.addAndGet(-counted);
      spiller.wake();
      return false;
    }
    callers.addAndGet(receipt == null ? 0 : 1);
    boolean published = publish(new Entry(event, counted, receipt));
    if (!published) {
      callers.addAndGet(receipt == null ? 0 : -1);
      heavy.addAndGet(-counted);
    }
    if (receipt != null || isHeavy()) {
      spiller.wake();
    }
    return published;
  }

  private boolean publish(Object filling) {
    long sequence;
    try {
      sequence = claims.tryNext();
    } catch (InsufficientCapacityException full) { // one object for all, without a stack trace
      spiller.wake();
      return false;
    }
    SLOT.setRelease(slots, index(sequence), filling);
    if (sequence > highAt) {
      spiller.wake();
    }
    reader.wake();
    return true;
  }

  private int index(long sequence) {
    return (int) sequence & (capacity - 1);
  }

  private int high() {
    return capacity - capacity / 4;
  }

  /** Returns an event that is not released; null if it is not published. */
  Object event(long sequence) {
    Object held = SLOT.getAcquire(slots, index(sequence));
    return held instanceof Entry entry ? entry.event : held;
  }

  /** Returns the sequence of the last event released; -1 if there was none. */
  long released() {
    return released.get();
  }

  /** Gives back slots up to and including {@code last}. Returns the chain of waiting callers. */
  Receipt release(long last) {
    long weight = 0;
    Receipt first = null;
    Receipt newest = null;
    for (long sequence = released.get() + 1; sequence <= last; sequence++) {
      Object held = SLOT.get(slots, index(sequence));
      SLOT.set(slots, index(sequence), (Object) null); // published by released.set below
      if (held instanceof Entry entry) {
        weight += entry.weight;
        if (entry.receipt != null) {
          newest = entry.receipt.after(newest);
          first = first == null ? newest : first;
          callers.addAndGet(-1);
        }
      }
    }
    released.set(last);
    if (weight > 0) {
      heavy.addAndGet(-weight);
    }
    if (last + high() - highAt >= capacity / 16) {
      highAt = last + high();
    }
    return first;
  }

  /**
   * Closes the ring for good by claiming all its slots, which succeeds only when every published
   * event is released: a publisher has claimed its slot before, and its event is still read, or it
   * finds the ring full. To be called until it succeeds, and not again.
   */
  boolean seal() {
    sealing = true; // the cursor may include the slots claimed below
    try {
      lastAccepted = claims.tryNext(capacity) - capacity;
      return true;
    } catch (InsufficientCapacityException notEmpty) {
      return false;
    } finally {
      sealing = false;
    }
  }

  /** Returns whether no slot is claimed that is not released. */
  public boolean isEmpty() {
    return lastAccepted != OPEN || released.get() >= claims.getCursor();
  }

  /** Returns whether the ring is three quarters full, of its slots or of its weight. */
  boolean isHigh() {
    return used() >= high() || 4 * heavy.get() >= 3 * maxWeight;
  }

  /** Returns whether the ring is more than half full, of its slots or of its weight. */
  boolean isHalfFull() {
    return used() > capacity / 2 || isHeavy();
  }

  /** Returns whether the heavy events weigh more than half of the bound. */
  public boolean isHeavy() {
    return 2 * heavy.get() > maxWeight;
  }

  /** Returns whether the ring holds an event whose caller waits. */
  boolean hasCallers() {
    return callers.get() > 0;
  }

  /** Returns how many events were accepted so far: the cursor, so that counting costs nothing. */
  public long accepted() {
    while (lastAccepted == OPEN) {
      long last = claims.getCursor();
      if (!sealing && lastAccepted == OPEN) {
        return last + 1;
      }
      Thread.onSpinWait();
    }
    return lastAccepted + 1;
  }

  public int capacity() {
    return capacity;
  }

  /** Returns the number of slots in use. */
  public long used() {
    return Math.max(0, accepted() - 1 - released.get());
  }
}
