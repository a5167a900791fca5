package io.spillway.internal.metrics;

import io.spillway.metrics.ArchiveMetrics;

/**
 * What a pipeline holds and does at this moment. The pipeline implements it; any thread may read it
 * at any time, also after the stop, and waits for no disk.
 */
public interface Gauges {
  boolean isStarted();

  /** Returns how many events entered the ring: its cursor. */
  long accepted();

  long ringUsed();

  long ringCapacity();

  /** Returns whether the weight of large events, not the number of slots, bounds the ring now. */
  boolean isHeavy();

  /** Returns how many log calls wait now for room in the ring. */
  long waitingCalls();

  /** Returns the size of the spill, leftovers of earlier runs included. */
  long spillBytes();

  long spillCapacity();

  long leftoverBytes();

  /** Returns how many spilled events were forced to the disk, or delivered before that. */
  long syncedEvents();

  /** Returns false while there is no spill: no directory, or another process has it. */
  boolean spillUsable();

  /** Returns whether events go to the spill because the sink is behind; false with ALWAYS. */
  boolean isSpilling();

  /** Returns how long the present batch has been in the sink; 0 if none is there. */
  long stallNanos();

  /** Returns how long ago nothing waited, leftovers included; 0 if nothing waits. */
  long oldestPendingNanos();

  /** Returns whether no started appender is nested. */
  boolean isSinkMissing();

  /** Returns whether a force of the log file failed. */
  boolean hasLostLog();

  /** Returns whether the deliverer or the spiller has ended though the appender has not. */
  boolean isWorkerGone();

  /** Returns the stack frame of an encoder or nested appender that does not return, or null. */
  String stuckIn();

  ArchiveMetrics archives();
}
