package io.spillway.ring;

/**
 * What a log call does when the ring is full, that is, when neither memory nor spill takes anything
 * more. It decides nothing while the sink alone is slow.
 */
public enum WhenFull {
  /** Waits until there is room; counted and timed. The default. */
  BLOCK,
  /** Drops the event; counted. */
  DROP
}
