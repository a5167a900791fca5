package io.spillway.internal.route;

import io.spillway.internal.sink.Batch;
import io.spillway.internal.sink.DropPolicy;
import io.spillway.internal.sink.Tally;
import java.util.Iterator;
import java.util.LinkedList;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory between drainer and deliverer, bounded by estimated heap: its capacity, or one batch
 * if that is larger. One thread offers, one takes and removes; the batch in flight stays at the
 * head, so that it can be saved when its delivery is given up.
 *
 * <p>Whoever offers may also drop what is not in flight. So batches are taken, removed and dropped
 * under this lock: else one could be dropped and delivered. No log call comes here.
 *
 * <p>A {@code ConcurrentLinkedQueue} will not do: it links parts of its code when they are first
 * used. If there is no memory for that, {@code offer} throws, and has added the batch all the same,
 * which would then be delivered twice.
 */
public final class HandOff {
  private final long capacityBytes;
  private final Queue<Batch> queue = new LinkedList<>(); // under this
  private final AtomicLong bytes = new AtomicLong();
  private boolean taken; // under this: the head is in flight

  /**
   * An empty hand-off.
   *
   * @param capacityBytes its bound
   */
  public HandOff(long capacityBytes) {
    this.capacityBytes = capacityBytes;
  }

  /**
   * Adds a batch if there is room.
   *
   * @param batch the newest
   * @return false if full
   */
  public synchronized boolean offer(Batch batch) {
    if (!hasRoom(batch, 0)) {
      return false;
    }
    queue.add(batch); // there may be no memory for that
    bytes.addAndGet(batch.heapBytes());
    return true;
  }

  /**
   * Whether it would take a batch.
   *
   * @param batch the newest
   * @param more bytes that it would hold besides what it does
   */
  boolean hasRoom(Batch batch, long more) {
    long used = bytes.get() + more;
    return used <= 0 || used + batch.heapBytes() <= capacityBytes;
  }

  /**
   * The oldest batch.
   *
   * @return null if empty
   */
  public synchronized Batch peek() {
    return queue.peek();
  }

  /**
   * The oldest batch, which is in flight from now on.
   *
   * @return null if empty
   */
  public synchronized Batch take() {
    Batch head = queue.peek();
    taken = head != null;
    return head;
  }

  /** Removes the oldest batch: it is delivered. */
  public synchronized void remove() {
    taken = false;
    bytes.addAndGet(-queue.remove().heapBytes());
  }

  /**
   * Drops the oldest batches that are not in flight, until there is room.
   *
   * @param policy which may be dropped
   * @param need bytes of room
   * @return how many events of each level were dropped; null if none
   */
  synchronized int[] evict(DropPolicy policy, long need) {
    int[] evicted = null;
    Iterator<Batch> all = queue.iterator();
    if (taken) {
      all.next();
    }
    while (all.hasNext() && bytes.get() + need > capacityBytes) {
      Batch batch = all.next();
      if (policy.isDroppable(batch.tally())) {
        evicted = evicted == null ? new int[Tally.LEVELS] : evicted;
        all.remove();
        bytes.addAndGet(-batch.heapBytes());
        batch.tally().addTo(evicted);
      }
    }
    return evicted;
  }

  /** Removes all batches. */
  synchronized void clear() {
    queue.clear();
    bytes.set(0);
  }

  /**
   * Estimated heap in use.
   *
   * @return bytes
   */
  public long bytes() {
    return bytes.get();
  }
}
