package io.spillway.internal.metrics;

import io.spillway.metrics.ArchiveMetrics;

/** What the parts of a pipeline hold at the moment of each call, which any thread may make. */
public interface Gauges {
  /**
   * Whether the appender takes events.
   *
   * @return now
   */
  boolean started();

  /**
   * Events that entered the ring.
   *
   * @return their number
   */
  long accepted();

  /**
   * Slots of the ring.
   *
   * @return their number
   */
  long ringCapacity();

  /**
   * Slots in use.
   *
   * @return their number
   */
  long ringUsed();

  /**
   * Estimated heap of the memory hand-off.
   *
   * @return bytes
   */
  long memoryBytes();

  /**
   * Its bound.
   *
   * @return bytes
   */
  long memoryCapacityBytes();

  /**
   * Whether there is a spill.
   *
   * @return now
   */
  boolean spillUsable();

  /**
   * Whether what is logged goes to the spill because the sink is behind.
   *
   * @return now
   */
  boolean spilling();

  /**
   * Size of the spill.
   *
   * @return bytes
   */
  long spillBytes();

  /**
   * Its bound.
   *
   * @return bytes
   */
  long spillCapacityBytes();

  /**
   * What earlier runs left and is still to be delivered.
   *
   * @return bytes
   */
  long leftoverBytes();

  /**
   * Spilled events whose fsync returned.
   *
   * @return their number
   */
  long synced();

  /**
   * Threads that do not return from code that is not Spillway's.
   *
   * @return their number
   */
  long stuckThreads();

  /**
   * Whether the drainer waits for room.
   *
   * @return now
   */
  boolean held();

  /**
   * What the rolling policy's compressor has done.
   *
   * @return its figures
   */
  ArchiveMetrics archives();
}
