package io.spillway.jmh;

/**
 * The appenders that are compared, each over a file of the same pattern that never rolls over.
 * Log4j 2 is missing, because its async loggers need another version of the Disruptor.
 */
public enum AppenderKind {
  /** Logback's file appender, buffered; calling threads encode and write, under a lock. */
  ROLLING_FILE,
  /** {@code AsyncAppender} over {@code ROLLING_FILE}, 8,192 slots; callers wait if it is full. */
  ASYNC_8192,
  /** {@code AsyncAppender} over {@code ROLLING_FILE}, 131,072 slots. */
  ASYNC_131072,
  /** {@code AsyncAppender}, 8,192 slots, with {@code neverBlock}: drops events when it is full. */
  ASYNC_NEVER_BLOCK,
  /**
   * logstash-logback-encoder's {@code AsyncDisruptorAppender} over {@code ROLLING_FILE}, 8,192
   * slots, set to wait for room.
   */
  LOGSTASH_BLOCK,
  /** logstash-logback-encoder's appender with its default: drops events when it is full. */
  LOGSTASH_DROP,
  /** {@code SpillwayAppender} over {@code ROLLING_FILE}; spills while the file stalls. */
  SPILLWAY,
  /** {@code SpillwayRollingFileAppender}, which writes its own file. */
  SPILLWAY_FILE;

  /** Returns whether it may lose events; a loss in any other kind invalidates its figures. */
  boolean mayDrop() {
    return this == ASYNC_NEVER_BLOCK || this == LOGSTASH_DROP;
  }
}
