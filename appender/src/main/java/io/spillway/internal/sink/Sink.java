package io.spillway.internal.sink;

/**
 * The end of the pipeline: a nested appender or the own log file. Used by the deliverer thread and,
 * after the exit hook has ended, by log calls, one at a time.
 */
public interface Sink {
  /**
   * Delivers one batch, waiting for as long as it takes.
   *
   * @param batch of the kind that this sink takes
   * @param leftover whether an earlier run had accepted the batch
   * @param delivery each event is claimed here before it is given away; can fence this call off
   */
  void deliver(Batch batch, boolean leftover, Delivery delivery);

  /**
   * Returns whether the sink waits for space that the spill would take from it. May be called from
   * any thread.
   *
   * @return true if the spill must not grow now
   */
  default boolean needsRoomOfSpill() {
    return false;
  }

  /**
   * Returns whether something that the sink took is no longer where it was written. May be called
   * from any thread.
   *
   * @return true until the next start
   */
  default boolean hasLost() {
    return false;
  }

  /**
   * Opens the file once more, before the first batch: an earlier appender, which has finished with
   * it by now, may have moved or deleted the open file.
   */
  default void reopen() {}

  /**
   * Flushes what the destination still buffers, when the JVM ends without a close. Called by the
   * thread that delivers. Throws nothing but an OutOfMemoryError.
   */
  default void flush() {}

  /**
   * Stops the nested appender, or closes the file. Called once, by the last thread that delivers.
   */
  void close();
}
