package io.spillway.metrics;

/**
 * Why an event did not reach the sink. Causes {@linkplain #beforeAcceptance() before acceptance}
 * are drops: the event never entered the ring. The other causes are losses of an accepted event.
 */
public enum LossCause {
  /** The ring was full, and {@code whenFull} is {@code DROP} or {@code DROP_OLDEST}. */
  QUEUE_FULL(true, true, "find what holds up the sink, raise maxSpillSize, or log less"),
  /**
   * The ring had less room than {@code discardingThreshold}, and the level of the event was INFO or
   * below.
   */
  DISCARDED(true, false, "find what holds up the sink, or lower discardingThreshold"),
  /** The event was logged on one of Spillway's own threads. */
  REENTRANT(true, false, "send the loggers that the nested appender uses elsewhere"),
  /** The event was logged when the appender was stopped or stopping. */
  STOPPED(true, true, "stop the components that log first, the appender last"),
  /** A filter, the encoder in the log call, an argument or the copy of the MDC threw. */
  PREPARE_FAILED(true, false, "see the status message for what threw"),
  /** The encoder of the nested appender, or the codec of the spill, threw. */
  ENCODE_FAILED(false, false, "see the status message for what the encoder threw"),
  /** The nested appender threw, or no started appender was nested. */
  SINK_FAILED(false, true, "see the status message, or attach an appender"),
  /** The record of the event in the spill was damaged. */
  SPILL_DAMAGED(false, false, "check the disk of spillDirectory; a .corrupt copy is there"),
  /** The appender stopped, and neither the sink nor the spill took the event. */
  NOT_SAVED(false, true, "raise maxFlushTime or maxSpillSize, or mend the disk"),
  /** The event made room for newer events with {@code whenFull=DROP_OLDEST}. */
  EVICTED(false, true, "find what holds up the sink, or raise maxSpillSize");

  private final boolean beforeAcceptance;
  private final boolean general;
  private final String remedy;

  LossCause(boolean beforeAcceptance, boolean general, String remedy) {
    this.beforeAcceptance = beforeAcceptance;
    this.general = general;
    this.remedy = remedy;
  }

  /** Returns the name in JMX of its count, such as LossQueueFull. */
  String attribute() {
    return "Loss" + Metric.camelCase(this);
  }

  /** {@return true for a drop, false for the loss of an accepted event} */
  public boolean beforeAcceptance() {
    return beforeAcceptance;
  }

  /**
   * {@return true if it may hit any event, false if one event or record while others go through}
   */
  public boolean isGeneral() {
    return general;
  }

  /** {@return what an operator can do, as part of a sentence} */
  public String remedy() {
    return remedy;
  }
}
