package io.spillway.internal.flow;

/**
 * The settings of a pipeline, checked.
 *
 * @param queueSize slots wanted
 * @param always whether every event goes through the spill
 * @param whenFull what a log call does while the ring is full
 * @param keptLevel level from which on a call waits where others are dropped; {@link
 *     Integer#MAX_VALUE} for none
 * @param discardingThreshold free slots below which events of low levels are discarded; zero or
 *     less for none
 * @param maxFlushNanos how long a stop waits for the sink; {@link Long#MAX_VALUE} for ever
 * @param acknowledge what log calls wait for
 * @param acknowledgeMarker marker of the events whose log calls wait; empty for all
 * @param acknowledgeNanos how long a log call waits to be acknowledged
 */
public record FlowConfig(
    int queueSize,
    boolean always,
    WhenFull whenFull,
    int keptLevel,
    int discardingThreshold,
    long maxFlushNanos,
    Acknowledge acknowledge,
    String acknowledgeMarker,
    long acknowledgeNanos) {

  /** What a log call does while the ring is full. */
  public enum WhenFull {
    /** It waits until there is room. */
    BLOCK,
    /** Its event is dropped and counted. */
    DROP,
    /** The oldest events of the spill are dropped and counted. */
    DROP_OLDEST
  }

  /** What log calls wait for. */
  public enum Acknowledge {
    /** Nothing. */
    NONE,
    /** Until the event survives a killed process. */
    WRITTEN,
    /** Until the event survives a power cut. */
    SYNCED
  }
}
