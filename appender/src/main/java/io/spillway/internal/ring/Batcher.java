package io.spillway.internal.ring;

import io.spillway.internal.sink.Batch;

/**
 * Turns events into batches. Not thread-safe: each thread has a batcher of its own.
 *
 * @param <E> the type of event
 */
public interface Batcher<E> {
  /**
   * Adds an event. If the code of the event or the encoder throws, the exception is passed on and
   * the batcher is as before.
   *
   * @param event the next event
   * @param arguments of the message, if the message is still to be formatted with them, which only
   *     happens if {@link #formats} returns true; else null
   * @return true if there is room for another event
   */
  boolean add(E event, Object[] arguments);

  /**
   * Returns whether this batcher takes events whose messages are not formatted: none of the code
   * that it runs queries the message or the arguments of such an event.
   *
   * @return false by default
   */
  default boolean formats() {
    return false;
  }

  /**
   * Ends the batch and returns it. An event of {@link Batch#ALONE_BYTES} or more becomes a batch of
   * its own, so that others do not wait with it while memory is too short for it. The caller
   * therefore calls this method until it returns null. After an exception the batcher must not be
   * used any more.
   *
   * @return the next batch; null if no event is left
   */
  Batch take();
}
