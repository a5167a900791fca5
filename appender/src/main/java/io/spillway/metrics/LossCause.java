package io.spillway.metrics;

/**
 * Why an event did not reach the sink. Causes {@linkplain #beforeAcceptance() before acceptance}
 * are drops: the event never entered the ring. The others are losses of an accepted event.
 */
public enum LossCause {
  /**
   * The ring was full, or had no more room than what {@code whenFullKeepLevel} keeps may need, and
   * {@code whenFull} is {@code DROP} or {@code DROP_OLDEST}.
   */
  QUEUE_FULL(
      true,
      "find what holds up the sink, or raise maxSpillSize; if memory and spill have room, the"
          + " drainer is the limit: log less or use a cheaper encoder"),
  /**
   * The ring had less room than {@code discardingThreshold}, and the level was INFO or below and is
   * not kept.
   */
  DISCARDED(true, "find what holds up the sink, or lower discardingThreshold"),
  /**
   * Logged on one of Spillway's own threads, or by a {@code toString()} or filter nested too deep.
   */
  REENTRANT(
      true, "send the loggers that the nested appender or a toString() uses to another appender"),
  /** Logged when the appender was stopped or stopping. */
  STOPPED(true, "stop the components that log first, the appender last"),
  /** Formatting the message or copying the MDC threw. */
  PREPARE_FAILED(true, "see the status message for the toString() or argument that throws"),
  /** The encoder, or the codec of the spill, threw or did not return. */
  ENCODE_FAILED(false, "see the status message for what the encoder threw, or where it is stuck"),
  /** The nested appender threw, or there was none that is started. */
  SINK_FAILED(false, "see the status message for what the nested appender threw or lacks"),
  /** A record in the spill was damaged. */
  SPILL_DAMAGED(
      false,
      "check the disk of spillDirectory; what is left of a segment is kept there as .corrupt"),
  /** The appender stopped and neither sink nor spill would take the event. */
  NOT_SAVED(false, "raise maxFlushTime or maxSpillSize"),
  /**
   * Made room for newer events with {@code whenFull=DROP_OLDEST}, or for one that {@code
   * whenFullKeepLevel} keeps.
   */
  EVICTED(false, "find what holds up the sink, or raise maxSpillSize"),
  /** Waited for longer than {@code whenFullMaxAge}. */
  EXPIRED(false, "find what holds up the sink, or raise whenFullMaxAge");

  private final boolean beforeAcceptance;
  private final String remedy;

  LossCause(boolean beforeAcceptance, String remedy) {
    this.beforeAcceptance = beforeAcceptance;
    this.remedy = remedy;
  }

  /**
   * Whether the event was refused before it was accepted.
   *
   * @return true for a drop, false for the loss of an accepted event
   */
  public boolean beforeAcceptance() {
    return beforeAcceptance;
  }

  /**
   * Whether the settings {@code whenFull} and {@code whenFullMaxAge} choose it. Such events are
   * counted by level, too.
   *
   * @return true for {@code QUEUE_FULL}, {@code EVICTED} and {@code EXPIRED}
   */
  public boolean isByPolicy() {
    return this == QUEUE_FULL || this == EVICTED || this == EXPIRED;
  }

  /**
   * Whether any event may be hit, as opposed to one event, or one record, while others go through.
   *
   * @return true if the appender as a whole does not do its work
   */
  public boolean isGeneral() {
    return this == QUEUE_FULL
        || this == STOPPED
        || this == SINK_FAILED
        || this == NOT_SAVED
        || this == EVICTED;
  }

  /**
   * What an operator can do.
   *
   * @return half a sentence
   */
  public String remedy() {
    return remedy;
  }
}
