package io.spillway.ring;

import io.spillway.sink.Batch;

/**
 * Turns events into batches. Used by the drainer only.
 *
 * @param <E> the type of event
 */
public interface Batcher<E> {
  /**
   * Adds an event. Whatever goes wrong with it is counted and concerns no other event.
   *
   * @param event the next one
   * @return true if there is room for another
   */
  boolean add(E event);

  /**
   * Ends the batch.
   *
   * @return null if it is empty
   */
  Batch take();
}
