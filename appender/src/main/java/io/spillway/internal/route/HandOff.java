package io.spillway.internal.route;

import io.spillway.internal.sink.Batch;
import io.spillway.internal.sink.EventIndex;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The memory between drainer and deliverer, bounded by estimated heap: its capacity, or one batch
 * if that is larger. One thread offers, one takes and removes; the batch in flight stays at the
 * head, so that it can be saved when its delivery is given up.
 *
 * <p>{@code taken} says whether the head is in flight. It is changed under this, as what waits is
 * when it makes room: else an event could be dropped and delivered. Nobody waits for long here, and
 * no log call comes here.
 */
public final class HandOff {
  private final long capacityBytes;
  private final Queue<AtomicReference<Batch>> queue = new ConcurrentLinkedQueue<>();
  private final AtomicLong bytes = new AtomicLong();
  private boolean taken; // under this

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
      return queue.offer(new AtomicReference<>(batch));
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
    AtomicReference<Batch> head = queue.peek();
    return head == null ? null : head.get();
  }

  /**
   * The oldest batch, which makes no room from now on.
   *
   * @return null if empty
   */
  public synchronized Batch take() {
    Batch head = peek();
    taken = head != null;
    return head;
  }

  /** Puts another batch in the place of the oldest one, which was taken; null removes it. */
  synchronized void replace(Batch rest) {
    if (rest == null) {
      remove();
    } else {
      AtomicReference<Batch> head = queue.peek();
      bytes.addAndGet(rest.heapBytes() - head.get().heapBytes());
      head.set(rest);
    }
  }

  /** Removes the oldest batch: it is delivered. */
  public synchronized void remove() {
    taken = false;
    bytes.addAndGet(-queue.remove().get().heapBytes());
  }

  /**
   * Makes room for as many bytes, if so many are there, by leaving out the oldest events that are
   * not in flight.
   *
   * @param out which may be left out
   * @param need bytes
   * @return how many events of each level made room; null if none
   */
  synchronized long[] evict(EventIndex.Selection out, long need) {
    long[] evicted = null;
    Iterator<AtomicReference<Batch>> all = queue.iterator();
    if (taken) {
      all.next();
    }
    while (all.hasNext() && bytes.get() > 0 && bytes.get() + need > capacityBytes) {
      AtomicReference<Batch> node = all.next();
      Batch batch = node.get();
      Batch rest = batch.without(out);
      if (rest == batch) {
        continue;
      }
      long[] more = batch.index().count(out, batch.events());
      evicted = evicted == null ? new long[more.length] : evicted;
      for (int level = 0; level < more.length; level++) {
        evicted[level] += more[level];
      }
      bytes.addAndGet((rest == null ? 0 : rest.heapBytes()) - batch.heapBytes());
      if (rest == null) {
        all.remove();
      } else {
        node.set(rest);
      }
    }
    return evicted;
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
    List<Batch> all = new ArrayList<>();
    for (AtomicReference<Batch> node : queue) {
      all.add(node.get());
    }
    return all;
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
