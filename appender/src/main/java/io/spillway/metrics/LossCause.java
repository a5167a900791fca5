package io.spillway.metrics;

/**
 * Why an event did not reach the sink. Causes {@linkplain #beforeAcceptance() before acceptance}
 * are drops: the event never entered the ring. The others are losses of an accepted event.
 */
public enum LossCause {
  /** The ring was full and {@code whenFull} is {@code DROP}. */
  QUEUE_FULL(true),
  /** The ring had less room than {@code discardingThreshold} and the level was INFO or below. */
  DISCARDED(true),
  /** Logged on one of Spillway's own threads, or by a {@code toString()} nested too deeply. */
  REENTRANT(true),
  /** Logged when the appender was stopped or stopping. */
  STOPPED(true),
  /** Formatting the message or copying the MDC threw. */
  PREPARE_FAILED(true),
  /** The encoder, or the codec of the spill, threw. */
  ENCODE_FAILED(false),
  /** The nested appender threw. */
  SINK_FAILED(false),
  /** A record in the spill was damaged. */
  SPILL_DAMAGED(false),
  /** The appender stopped and neither sink nor spill would take the event. */
  NOT_SAVED(false);

  private final boolean beforeAcceptance;

  LossCause(boolean beforeAcceptance) {
    this.beforeAcceptance = beforeAcceptance;
  }

  /**
   * Whether the event was refused before it was accepted.
   *
   * @return true for a drop, false for the loss of an accepted event
   */
  public boolean beforeAcceptance() {
    return beforeAcceptance;
  }
}
