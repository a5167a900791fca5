package io.spillway.internal.ring;

/**
 * What a log call does when the ring is full: either memory and spill have no more room, or the
 * drainer, which encodes events, is slower than the log calls. This setting has no effect while
 * only the sink is slow.
 */
public enum WhenFull {
  /** Waits until there is room; the wait is counted and timed. The default. */
  BLOCK,
  /** Drops the event; the drop is counted. */
  DROP,
  /** Drops the oldest waiting events to make room for new ones; the drops are counted. */
  DROP_OLDEST
}
