package io.spillway.internal.metrics;

import io.spillway.metrics.ArchiveMetrics;

/**
 * What the parts of a pipeline hold at the moment of each call, which any thread may make. A ring
 * alone has neither memory nor spill behind it, and no policy.
 */
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
   * Log calls that wait for room in the ring.
   *
   * @return their number
   */
  default long waitingCalls() {
    return 0;
  }

  /**
   * Whether it is large messages that take the ring's room.
   *
   * @return now
   */
  default boolean ringHeavy() {
    return false;
  }

  /**
   * Estimated heap of the memory hand-off.
   *
   * @return bytes
   */
  default long memoryBytes() {
    return 0;
  }

  /**
   * Its bound.
   *
   * @return bytes
   */
  default long memoryCapacityBytes() {
    return 0;
  }

  /**
   * Whether there is a spill.
   *
   * @return now
   */
  default boolean spillUsable() {
    return false;
  }

  /**
   * Whether what is logged goes to the spill because the sink is behind.
   *
   * @return now
   */
  default boolean spilling() {
    return false;
  }

  /**
   * Size of the spill.
   *
   * @return bytes
   */
  default long spillBytes() {
    return 0;
  }

  /**
   * Its bound.
   *
   * @return bytes
   */
  default long spillCapacityBytes() {
    return 0;
  }

  /**
   * What earlier runs left and is still to be delivered.
   *
   * @return bytes
   */
  default long leftoverBytes() {
    return 0;
  }

  /**
   * Spilled events whose fsync returned.
   *
   * @return their number
   */
  default long synced() {
    return 0;
  }

  /**
   * Whether something that the sink had taken is not where it was put any more.
   *
   * @return true until the next start
   */
  default boolean sinkHasLost() {
    return false;
  }

  /**
   * Threads that do not return from code that is not Spillway's.
   *
   * @return their number
   */
  default long stuckThreads() {
    return 0;
  }

  /**
   * Whether the drainer waits for room.
   *
   * @return now
   */
  default boolean held() {
    return false;
  }

  /**
   * What the rolling policy's compressor has done.
   *
   * @return its figures
   */
  default ArchiveMetrics archives() {
    return ArchiveMetrics.NONE;
  }
}
