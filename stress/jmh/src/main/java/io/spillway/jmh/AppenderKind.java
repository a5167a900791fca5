package io.spillway.jmh;

/**
 * What is compared: each over a file of the same pattern that never rolls over. Log4j 2 is not
 * among them, because its async loggers need a Disruptor of their own; {@code bench throughput} has
 * them.
 */
public enum AppenderKind {
  /** Logback's file appender, buffered; callers encode and write themselves, under a lock. */
  ROLLING_FILE,
  /** {@code AsyncAppender} over it, 512 slots; callers wait when it is full. */
  ASYNC_512,
  /** The same with 8,192 slots. */
  ASYNC_8192,
  /** The same with 8,192 slots and {@code neverBlock}: drops what finds no room. */
  ASYNC_NEVER_BLOCK,
  /**
   * logstash-logback-encoder's {@code AsyncDisruptorAppender} over it, 8,192 slots, told to wait
   * for room.
   */
  LOGSTASH_BLOCK,
  /** The same as it is by default: drops what finds no room. */
  LOGSTASH_DROP,
  /** {@code SpillwayAppender} over it; what is too much for memory is spilled, and read again. */
  SPILLWAY,
  /** {@code SpillwayRollingFileAppender}. */
  SPILLWAY_FILE;

  /** Whether it may lose events; all others must not, or their figures mean nothing. */
  boolean mayDrop() {
    return this == ASYNC_NEVER_BLOCK || this == LOGSTASH_DROP;
  }
}
