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
   * @param arguments of its message, if that is still to be formatted with them; else null, always
   *     unless it {@link #formats}
   * @return true if there is room for another
   */
  boolean add(E event, Object[] arguments);

  /**
   * Whether it takes events whose messages are not formatted: nothing that it runs asks such an
   * event for its message or for its arguments.
   *
   * @return false by default
   */
  default boolean formats() {
    return false;
  }

  /**
   * Ends the batch. An event of {@link Batch#ALONE_BYTES} or more is a batch of its own, so that
   * others do not wait with it if there is no memory for it; so this is called until it returns
   * null. If it throws, the batcher is of no use any more.
   *
   * @return null if it is empty
   */
  Batch take();
}
