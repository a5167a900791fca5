package io.spillway.metrics;

import java.util.Map;

/**
 * What an appender has done and holds, read-only. Counts are events since the appender started
 * unless a name says otherwise. At rest, {@code Accepted = Delivered + Pending + Lost} exactly;
 * while events flow, the figures are read one after the other and may be a batch apart.
 */
public interface SpillwayMXBean {
  /**
   * Events that entered the ring.
   *
   * @return events
   */
  long getAccepted();

  /**
   * Accepted events that the sink took.
   *
   * @return events
   */
  long getDelivered();

  /**
   * Accepted events neither delivered nor lost yet.
   *
   * @return events
   */
  long getPending();

  /**
   * Age of the oldest pending event, those of earlier runs left out.
   *
   * @return nanoseconds, zero if none is pending
   */
  long getOldestPendingNanos();

  /**
   * Accepted events that were lost; {@link #getLossByCause()} says why.
   *
   * @return events
   */
  long getLost();

  /**
   * Events refused before they were accepted; {@link #getLossByCause()} says why.
   *
   * @return events
   */
  long getDropped();

  /**
   * Every drop and loss, by {@link LossCause}.
   *
   * @return events by cause; causes that never occurred are zero
   */
  Map<String, Long> getLossByCause();

  /**
   * Events that {@code whenFull} or {@code whenFullMaxAge} dropped; {@link #getLossByLevel()} says
   * why and which. {@link #getLost()} and {@link #getDropped()} count them, too.
   *
   * @return events
   */
  long getLostByPolicy();

  /**
   * Events that {@code whenFull} or {@code whenFullMaxAge} dropped, by {@link LossCause} and level.
   *
   * @return events by level by cause
   */
  Map<String, Map<String, Long>> getLossByLevel();

  /**
   * Events written to the spill.
   *
   * @return events
   */
  long getSpilled();

  /**
   * Spilled events whose fsync returned, or that were delivered before; stays zero while {@code
   * spillSync} is {@code OS}.
   *
   * @return events
   */
  long getSynced();

  /**
   * Events of earlier runs, delivered by this one.
   *
   * @return events
   */
  long getRecovered();

  /**
   * Times the appender went from memory to the spill.
   *
   * @return episodes
   */
  long getSpillEpisodes();

  /**
   * Log calls that found the ring full and waited, or still wait ({@code whenFull=BLOCK}, {@code
   * whenFullKeepLevel}).
   *
   * @return calls
   */
  long getBlockedCalls();

  /**
   * Total time that log calls waited, or still wait, for room in the ring.
   *
   * @return nanoseconds
   */
  long getBlockedNanos();

  /**
   * Slots of the ring.
   *
   * @return events
   */
  long getRingCapacity();

  /**
   * Log calls that waited for their event to be written or synced, as {@code acknowledge} asks.
   *
   * @return calls
   */
  long getAcknowledgedCalls();

  /**
   * Log calls that were to wait for that and returned without it.
   *
   * @return calls
   */
  long getUnacknowledgedCalls();

  /**
   * Slots in use.
   *
   * @return events
   */
  long getRingUsed();

  /**
   * Estimated heap held by the memory hand-off.
   *
   * @return bytes
   */
  long getMemoryBytes();

  /**
   * The setting {@code memoryBuffer}.
   *
   * @return bytes
   */
  long getMemoryCapacityBytes();

  /**
   * Bytes of the spill on disk, leftovers included.
   *
   * @return bytes
   */
  long getSpillBytes();

  /**
   * The setting {@code maxSpillSize}.
   *
   * @return bytes
   */
  long getSpillCapacityBytes();

  /**
   * Bytes that earlier runs left in the spill and that are still to be delivered.
   *
   * @return bytes
   */
  long getLeftoverBytes();

  /**
   * Time spent in the sink.
   *
   * @return nanoseconds
   */
  long getSinkNanos();

  /**
   * How long the batch that is in the sink now has been there.
   *
   * @return nanoseconds, zero if there is none
   */
  long getStallNanos();

  /**
   * The longest time one batch spent in the sink, the one that is there now included.
   *
   * @return nanoseconds
   */
  long getLongestStallNanos();

  /**
   * Exceptions of the nested appender, or failed operations on the log file.
   *
   * @return failures
   */
  long getSinkFailures();

  /**
   * Failed file operations of the spill.
   *
   * @return failures
   */
  long getSpillFailures();

  /**
   * Unexpected failures that a worker survived.
   *
   * @return failures
   */
  long getWorkerFailures();

  /**
   * Rollovers of the own log file that were tried, failed ones included; always zero for a nested
   * appender.
   *
   * @return rollovers
   */
  long getRollovers();

  /**
   * Rolled files that wait to be compressed, the one under way included; zero unless the rolling
   * policy is one of Spillway's.
   *
   * @return files
   */
  long getArchiveBacklogFiles();

  /**
   * Their length.
   *
   * @return bytes
   */
  long getArchiveBacklogBytes();

  /**
   * Archives published since the start.
   *
   * @return files
   */
  long getArchived();

  /**
   * Failed compressions and deletions of rolled files; each is tried again.
   *
   * @return failures
   */
  long getArchiveFailures();

  /**
   * Archives that the archive listener has taken; zero without one.
   *
   * @return files
   */
  long getArchivesTaken();

  /**
   * Archives that it has not taken yet, the one in its hands included. A new one is counted within
   * about a second.
   *
   * @return files
   */
  long getArchivesOwed();

  /**
   * Calls of it that threw; each archive is given again.
   *
   * @return calls
   */
  long getArchiveRefusals();

  /**
   * Archives, and rolled files, that were deleted before it had taken them.
   *
   * @return files
   */
  long getArchivesDeletedUntaken();

  /**
   * Whether the appender does its work.
   *
   * @return the name of a {@link Health.Status}
   */
  String getHealth();

  /**
   * Why it is not {@code UP}, and what to do.
   *
   * @return empty if it is
   */
  String getHealthReason();
}
