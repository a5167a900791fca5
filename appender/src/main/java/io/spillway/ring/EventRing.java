package io.spillway.ring;

import com.lmax.disruptor.EventPoller;
import com.lmax.disruptor.EventTranslatorOneArg;
import com.lmax.disruptor.InsufficientCapacityException;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.YieldingWaitStrategy;

/**
 * The multi-producer ring between application threads and the drainer.
 *
 * <p>Publishing is one compare-and-set on the claimed sequence, a store into the slot and a release
 * of its availability; the poller's acquire of the availability makes the event visible. It never
 * waits: the wait strategy is one whose signal does nothing, since the only consumer polls.
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

  private static final EventTranslatorOneArg<Slot<Object>, Object> STORE =
      (slot, sequence, event) -> slot.event = event;
  private static final long OPEN = Long.MIN_VALUE;

  private final RingBuffer<Slot<E>> ring;
  private final EventPoller<Slot<E>> poller;
  private volatile long lastAccepted = OPEN;

  private static final class Slot<T> {
    T event;
  }

  /** Takes polled events. */
  @FunctionalInterface
  interface Taker<T> {
    /** Returns false to stop polling after this event. */
    boolean take(T event);
  }

  /**
   * A ring.
   *
   * @param queueSize slots wanted; rounded up to a power of two, at least {@link #MIN_CAPACITY}
   */
  public EventRing(int queueSize) {
    int slots = Math.max(MIN_CAPACITY, Integer.highestOneBit(Math.max(1, queueSize - 1)) << 1);
    ring = RingBuffer.createMultiProducer(Slot::new, slots, new YieldingWaitStrategy());
    poller = ring.newPoller();
    ring.addGatingSequences(poller.getSequence());
  }

  /**
   * Publishes an event if there is room.
   *
   * @param event not null
   * @return false if the ring is full or sealed
   */
  @SuppressWarnings("unchecked") // one shared translator: a generic one per ring would do the same
  public boolean tryPublish(E event) {
    return ((RingBuffer<Slot<Object>>) (RingBuffer<?>) ring).tryPublishEvent(STORE, event);
  }

  /** Passes events on, in order, until there is none or the taker has enough. */
  EventPoller.PollState poll(Taker<E> taker) {
    try {
      return poller.poll(
          (slot, sequence, endOfBatch) -> {
            E event = slot.event;
            slot.event = null; // the ring must not keep it alive
            return taker.take(event);
          });
    } catch (Exception e) {
      throw new IllegalStateException(e); // no taker throws a checked exception
    }
  }

  boolean isEmpty() {
    return poller.getSequence().get() >= ring.getCursor();
  }

  /**
   * Closes the ring to publishers for good by claiming all its slots at once, which succeeds only
   * when everything published has been polled. A publisher either claimed its slot before, and is
   * polled, or finds the ring full: no event can slip in between.
   *
   * @return false if an event is still to be polled
   */
  boolean seal() {
    try {
      long last = ring.tryNext(ring.getBufferSize());
      lastAccepted = last - ring.getBufferSize();
      return true;
    } catch (InsufficientCapacityException notEmpty) {
      return false;
    }
  }

  /**
   * Events accepted so far.
   *
   * @return their number
   */
  public long accepted() {
    long last = lastAccepted;
    return (last == OPEN ? ring.getCursor() : last) + 1;
  }

  /**
   * Slots.
   *
   * @return a power of two
   */
  public int capacity() {
    return ring.getBufferSize();
  }

  /**
   * Slots in use.
   *
   * @return events waiting for the drainer
   */
  public long used() {
    return Math.max(0, accepted() - 1 - poller.getSequence().get());
  }

  /**
   * Slots free.
   *
   * @return room for events
   */
  public long remaining() {
    return ring.remainingCapacity();
  }
}
