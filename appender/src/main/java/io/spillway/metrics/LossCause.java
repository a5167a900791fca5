package io.spillway.metrics;

/**
 * Why an event did not reach the sink. Causes {@linkplain #beforeAcceptance() before acceptance}
 * are drops: the event never entered the ring. The other causes are losses of an accepted event.
 */
public enum LossCause {
  /**
   * The ring was full, or had room only for the levels that {@code whenFullKeepLevel} keeps, and
   * {@code whenFull} is {@code DROP} or {@code DROP_OLDEST}.
   */
  QUEUE_FULL(
      true,
      "find what holds up the sink, or raise maxSpillSize; if memory and spill have room, the"
          + " drainer is the limit: log less or use a cheaper encoder"),
  /**
   * The ring had less room than {@code discardingThreshold}, and the level of the event was INFO or
   * below and is not kept.
   */
  DISCARDED(true, "find what holds up the sink, or lower discardingThreshold"),
  /**
   * The event was logged on one of Spillway's own threads, or by a {@code toString()} or filter
   * nested too deep.
   */
  REENTRANT(
      true, "send the loggers that the nested appender or a toString() uses to another appender"),
  /** The event was logged when the appender was stopped or stopping. */
  STOPPED(true, "stop the components that log first, the appender last"),
  /** Formatting the message of the event or copying the MDC threw. */
  PREPARE_FAILED(true, "see the status message for the toString() or argument that throws"),
  /** The encoder, or the codec of the spill, threw or did not return. */
  ENCODE_FAILED(false, "see the status message for what the encoder threw, or where it is stuck"),
  /** The nested appender threw, or no started appender was nested. */
  SINK_FAILED(false, "see the status message for what the nested appender threw or lacks"),
  /** The record of the event in the spill was damaged. */
  SPILL_DAMAGED(
      false,
      "check the disk of spillDirectory; what is left of a segment is kept there as .corrupt"),
  /** The appender stopped, and neither the sink nor the spill took the event. */
  NOT_SAVED(false, "raise maxFlushTime or maxSpillSize"),
  /**
   * The event made room for newer events with {@code whenFull=DROP_OLDEST}, or for an event that
   * {@code whenFullKeepLevel} keeps.
   */
  EVICTED(false, "find what holds up the sink, or raise maxSpillSize"),
  /** The event waited for longer than {@code whenFullMaxAge}. */
  EXPIRED(false, "find what holds up the sink, or raise whenFullMaxAge");

  private final boolean beforeAcceptance;
  private final String remedy;

  LossCause(boolean beforeAcceptance, String remedy) {
    this.beforeAcceptance = beforeAcceptance;
    this.remedy = remedy;
  }

  /**
   * Returns whether the event was refused before it was accepted.
   *
   * @return true for a drop, false for the loss of an accepted event
   */
  public boolean beforeAcceptance() {
    return beforeAcceptance;
  }

  /**
   * Returns whether the settings {@code whenFull} and {@code whenFullMaxAge} choose this cause.
   * Events of such a cause are also counted by level.
   *
   * @return true for {@code QUEUE_FULL}, {@code EVICTED} and {@code EXPIRED}
   */
  public boolean isByPolicy() {
    return this == QUEUE_FULL || this == EVICTED || this == EXPIRED;
  }

  /**
   * Returns whether this cause may hit any event, as opposed to one event, or one record, while
   * others go through.
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
   * Returns what an operator can do.
   *
   * @return part of a sentence, without a full stop
   */
  public String remedy() {
    return remedy;
  }
}
