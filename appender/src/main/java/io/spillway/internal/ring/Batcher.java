package io.spillway.internal.ring;

import io.spillway.internal.sink.Batch;

/**
 * Turns events into batches, for one thread.
 *
 * @param <E> the type of event
 */
public interface Batcher<E> {
  /**
   * Adds an event, or throws whatever the code of the event or the encoder throws, and then is as
   * before.
   *
   * @param event the next one
   * @return true if there is room for another
   */
  boolean add(E event);

  /**
   * Ends the batch. Whatever happens, the batcher is empty afterwards.
   *
   * @return null if it is empty
   */
  Batch take();
}
