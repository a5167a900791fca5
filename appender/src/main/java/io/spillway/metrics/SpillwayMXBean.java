package io.spillway.metrics;

import java.util.Map;

/**
 * What an appender has done and holds, read-only. Counts are of events since the appender started,
 * unless a name says otherwise. At rest, {@code Accepted = Delivered + Pending + Lost} exactly,
 * unless {@code Lost} includes events that earlier runs left. While events flow, the figures are
 * read one after the other and may be a batch apart.
 */
public interface SpillwayMXBean {
  /**
   * Returns how many events entered the ring.
   *
   * @return the number of events
   */
  long getAccepted();

  /**
   * Returns how many accepted events the sink took.
   *
   * @return the number of events
   */
  long getDelivered();

  /**
   * Returns how many accepted events are neither delivered nor lost yet.
   *
   * @return the number of events
   */
  long getPending();

  /**
   * Returns the age of the oldest pending event. Events of earlier runs do not count.
   *
   * @return nanoseconds, zero if none is pending
   */
  long getOldestPendingNanos();

  /**
   * Returns how many accepted events were lost, events of earlier runs included; {@link
   * #getLossByCause()} has the causes.
   *
   * @return the number of events
   */
  long getLost();

  /**
   * Returns how many events were refused before they were accepted; {@link #getLossByCause()} has
   * the causes.
   *
   * @return the number of events
   */
  long getDropped();

  /**
   * Returns how many events were dropped or lost, by {@link LossCause}.
   *
   * @return the number of events for each cause; zero for a cause that never occurred
   */
  Map<String, Long> getLossByCause();

  /**
   * Returns how many events {@code whenFull} or {@code whenFullMaxAge} dropped; {@link
   * #getLossByLevel()} has causes and levels. {@link #getLost()} and {@link #getDropped()} count
   * these events, too.
   *
   * @return the number of events
   */
  long getLostByPolicy();

  /**
   * Returns how many events {@code whenFull} or {@code whenFullMaxAge} dropped, by {@link
   * LossCause} and level.
   *
   * @return the number of events for each level of each cause
   */
  Map<String, Map<String, Long>> getLossByLevel();

  /**
   * Returns how many events were written to the spill.
   *
   * @return the number of events
   */
  long getSpilled();

  /**
   * Returns how many spilled events have an fsync that returned, or were delivered before that. The
   * number stays zero while {@code spillSync} is {@code OS}.
   *
   * @return the number of events
   */
  long getSynced();

  /**
   * Returns how many events of earlier runs this run has delivered.
   *
   * @return the number of events
   */
  long getRecovered();

  /**
   * Returns how often the appender changed from memory to the spill.
   *
   * @return the number of spill episodes
   */
  long getSpillEpisodes();

  /**
   * Returns how many log calls found the ring full and waited, or still wait ({@code
   * whenFull=BLOCK}, {@code whenFullKeepLevel}).
   *
   * @return the number of log calls
   */
  long getBlockedCalls();

  /**
   * Returns the total time that log calls waited, or still wait, for room in the ring.
   *
   * @return nanoseconds
   */
  long getBlockedNanos();

  /**
   * Returns how many slots the ring has.
   *
   * @return the number of events for which there is room
   */
  long getRingCapacity();

  /**
   * Returns how many log calls waited until their event was written or synced, as {@code
   * acknowledge} requires.
   *
   * @return the number of log calls
   */
  long getAcknowledgedCalls();

  /**
   * Returns how many log calls returned without the acknowledgement that {@code acknowledge}
   * requires.
   *
   * @return the number of log calls
   */
  long getUnacknowledgedCalls();

  /**
   * Returns how many slots of the ring are in use.
   *
   * @return the number of events
   */
  long getRingUsed();

  /**
   * Returns the estimated heap of the batches that wait in the memory buffer.
   *
   * @return bytes
   */
  long getMemoryBytes();

  /**
   * Returns the bound of the memory buffer, which is the setting {@code memoryBuffer}.
   *
   * @return bytes
   */
  long getMemoryCapacityBytes();

  /**
   * Returns the size of the spill on disk, leftovers of earlier runs included.
   *
   * @return bytes
   */
  long getSpillBytes();

  /**
   * Returns the bound of the spill on disk, which is the setting {@code maxSpillSize}.
   *
   * @return bytes
   */
  long getSpillCapacityBytes();

  /**
   * Returns the size of what earlier runs left in the spill and is still to be delivered.
   *
   * @return bytes
   */
  long getLeftoverBytes();

  /**
   * Returns the total time spent in the sink.
   *
   * @return nanoseconds
   */
  long getSinkNanos();

  /**
   * Returns how long the batch that is in the sink now has been there.
   *
   * @return nanoseconds, zero if there is no batch in the sink
   */
  long getStallNanos();

  /**
   * Returns the longest time that one batch spent in the sink, including the batch that is there
   * now.
   *
   * @return nanoseconds
   */
  long getLongestStallNanos();

  /**
   * Returns how many exceptions the nested appender or a rolling or triggering policy has thrown,
   * and how many operations on the log file have failed.
   *
   * @return the number of failures
   */
  long getSinkFailures();

  /**
   * Returns how many file operations of the spill have failed.
   *
   * @return the number of failures
   */
  long getSpillFailures();

  /**
   * Returns how many unexpected failures a thread of the appender has survived, or led to its
   * replacement.
   *
   * @return the number of failures
   */
  long getWorkerFailures();

  /**
   * Returns how many rollovers of the own log file were tried, failed ones included; always zero
   * for a nested appender.
   *
   * @return the number of rollovers
   */
  long getRollovers();

  /**
   * Returns how many rolled files wait to be compressed, including the file being compressed; zero
   * unless the rolling policy is one of Spillway's.
   *
   * @return the number of files
   */
  long getArchiveBacklogFiles();

  /**
   * Returns the length of the rolled files that wait to be compressed.
   *
   * @return bytes
   */
  long getArchiveBacklogBytes();

  /**
   * Returns how many archives were completed since the start.
   *
   * @return the number of files
   */
  long getArchived();

  /**
   * Returns how many compressions and deletions of rolled files have failed; each is tried again.
   *
   * @return the number of failures
   */
  long getArchiveFailures();

  /**
   * Returns how many archives the archive listener has taken; zero without a listener.
   *
   * @return the number of files
   */
  long getArchivesTaken();

  /**
   * Returns how many archives the archive listener has not taken yet, including the archive that it
   * works on. A new archive is counted within about a second.
   *
   * @return the number of files
   */
  long getArchivesOwed();

  /**
   * Returns how many calls of the archive listener threw; each archive is given again.
   *
   * @return the number of calls
   */
  long getArchiveRefusals();

  /**
   * Returns whether the appender does its work.
   *
   * @return the name of a {@link Health.Status}
   */
  String getHealth();

  /**
   * Returns why the health is not {@code UP}, and what to do.
   *
   * @return empty if the health is {@code UP}
   */
  String getHealthReason();
}
