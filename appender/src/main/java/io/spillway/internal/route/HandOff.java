package io.spillway.internal.route;

import io.spillway.internal.sink.Batch;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory between drainer and deliverer, bounded by estimated heap: its capacity, or one batch
 * if that is larger. One thread offers, one peeks and removes; the batch in flight stays at the
 * head, so that it can be saved when its delivery is given up.
 */
public final class HandOff {
  private final long capacityBytes;
  private final Queue<Batch> queue = new ConcurrentLinkedQueue<>();
  private final AtomicLong bytes = new AtomicLong();

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
  public boolean offer(Batch batch) {
    long used = bytes.get();
    if (used > 0 && used + batch.heapBytes() > capacityBytes) {
      return false;
    }
    bytes.addAndGet(batch.heapBytes()); // before the batch can be removed, or it would go negative
    try {
      return queue.offer(batch);
    } catch (OutOfMemoryError e) {
      bytes.addAndGet(-batch.heapBytes());
      throw e;
    }
  }

  /**
   * The oldest batch.
   *
   * @return null if empty
   */
  public Batch peek() {
    return queue.peek();
  }

  /** Removes the oldest batch: it is delivered. */
  public void remove() {
    bytes.addAndGet(-queue.remove().heapBytes());
  }

  /** Removes all batches. */
  void clear() {
    queue.clear();
    bytes.set(0);
  }

  /**
   * All batches, oldest first.
   *
   * @return a copy
   */
  public List<Batch> contents() {
    return List.copyOf(queue);
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
