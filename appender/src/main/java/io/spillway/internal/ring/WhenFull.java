package io.spillway.internal.ring;

/**
 * What a log call does when the ring is full: neither memory nor spill takes anything more, or the
 * drainer, which encodes events, does not keep up with those who log. It decides nothing while the
 * sink alone is slow.
 */
public enum WhenFull {
  /** Waits until there is room; counted and timed. The default. */
  BLOCK,
  /** Drops the event; counted. */
  DROP,
  /** Drops the oldest events that wait, so that there is room for new ones; counted. */
  DROP_OLDEST
}
