package io.spillway.internal.sink;

/**
 * Where events end: a nested appender or the own log file. Used by the deliverer thread and, after
 * the exit hook has ended, by log calls, one at a time.
 */
public interface Sink {
  /**
   * Delivers one batch, waiting for as long as it takes.
   *
   * @param batch of the kind this sink understands
   * @param leftover whether an earlier run had accepted it
   * @param delivery asked before anything is given away; it can fence this call off
   */
  void deliver(Batch batch, boolean leftover, Delivery delivery);

  /**
   * Whether the sink waits for space that the spill would take away from it. Any thread.
   *
   * @return true if the spill must not grow now
   */
  default boolean needsRoomOfSpill() {
    return false;
  }

  /**
   * Whether something that it had taken is not where it was put any more. Any thread.
   *
   * @return true until the next start
   */
  default boolean hasLost() {
    return false;
  }

  /**
   * Opens its file once more: an earlier appender, which has finished with it now, may have moved
   * or deleted what is open. Before the first batch.
   */
  default void reopen() {}

  /**
   * Hands on what the destination still holds in buffers of its own: the JVM ends and nobody closes
   * it. By whoever delivers. Throws nothing, unless there is no memory.
   */
  default void flush() {}

  /**
   * Ends: stops the nested appender, closes the file. Called once, by the last thread to deliver.
   */
  void close();
}
