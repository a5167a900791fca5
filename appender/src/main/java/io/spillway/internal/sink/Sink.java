package io.spillway.internal.sink;

/**
 * The end of the pipeline: the nested appender or the own log file. Used by the deliverer alone,
 * except {@link #force} and {@link #hasLost}, which any thread may call.
 */
public interface Sink {
  /**
   * Delivers the rest of a batch, from {@link Batch#done()} on, and counts what was delivered or
   * lost. Waits for as long as the destination takes; returns when all events are done, or soon
   * after the batch is {@linkplain Batch#isFenced() fenced}.
   */
  void deliver(Batch batch);

  /** Forces what was delivered. False from the first failure on: a second fsync may lie. */
  default boolean force() {
    return true;
  }

  /** Returns whether a force has failed since the start. */
  default boolean hasLost() {
    return false;
  }

  /** Flushes what the destination buffers, when the JVM ends without a close. */
  default void flush() {}

  /** Stops the nested appender, or closes the file. Called once, by the deliverer. */
  void close();
}
