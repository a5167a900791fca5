package io.spillway.internal.route;

import io.spillway.internal.sink.Batch;
import io.spillway.internal.sink.DropPolicy;
import io.spillway.internal.sink.Tally;
import java.util.Iterator;
import java.util.LinkedList;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The queue in memory between drainer and deliverer, bounded by estimated heap: its capacity, or
 * one batch if that is larger. One thread offers, one takes and removes. The batch in flight stays
 * at the head, so that it can be saved when its delivery is given up.
 *
 * <p>The thread that offers may also drop batches that are not in flight. So batches are taken,
 * removed and dropped under the lock of this object: otherwise one could be both dropped and
 * delivered. No log call takes that lock.
 *
 * <p>A {@code ConcurrentLinkedQueue} is unsuitable: it links parts of its code when they are first
 * used. If there is no memory for that, {@code offer} throws although it has added the batch, which
 * would then be delivered twice.
 */
public final class HandOff {
  private final long capacityBytes;
  private final Queue<Batch> queue = new LinkedList<>(); // guarded by this
  private final AtomicLong bytes = new AtomicLong();
  private boolean taken; // guarded by this; the head is in flight

  /**
   * Creates an empty hand-off.
   *
   * @param capacityBytes bound of the estimated heap
   */
  public HandOff(long capacityBytes) {
    this.capacityBytes = capacityBytes;
  }

  /**
   * Adds a batch if there is room.
   *
   * @param batch the newest batch
   * @return false if the hand-off is full
   */
  public synchronized boolean offer(Batch batch) {
    if (!hasRoom(batch, 0)) {
      return false;
    }
    queue.add(batch); // may throw an OutOfMemoryError
    bytes.addAndGet(batch.heapBytes());
    return true;
  }

  /**
   * Returns whether the hand-off would take a batch.
   *
   * @param batch the newest batch
   * @param more bytes to add to those that it holds
   */
  boolean hasRoom(Batch batch, long more) {
    long used = bytes.get() + more;
    return used <= 0 || used + batch.heapBytes() <= capacityBytes;
  }

  /**
   * Returns the oldest batch.
   *
   * @return null if empty
   */
  public synchronized Batch peek() {
    return queue.peek();
  }

  /**
   * Returns the oldest batch, which is in flight from now on.
   *
   * @return null if empty
   */
  public synchronized Batch take() {
    Batch head = queue.peek();
    taken = head != null;
    return head;
  }

  /** Removes the oldest batch, which is delivered. */
  public synchronized void remove() {
    taken = false;
    bytes.addAndGet(-queue.remove().heapBytes());
  }

  /**
   * Drops the oldest batches that are not in flight, until there is room.
   *
   * @param policy which may be dropped
   * @param need bytes of room that are needed
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
   * Returns the estimated heap in use.
   *
   * @return bytes
   */
  public long bytes() {
    return bytes.get();
  }
}
