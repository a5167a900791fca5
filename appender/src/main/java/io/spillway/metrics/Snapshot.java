package io.spillway.metrics;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;

/**
 * The figures of an appender at one moment: what it has done, and what it holds. JMX, Micrometer,
 * {@link Health} and {@code getMetrics()} show these figures. While events flow, the figures are
 * read one after the other and may be a batch apart.
 *
 * @param started whether the appender takes events
 * @param events numbers of events by state
 * @param losses number of events dropped or lost for each cause, zeros included
 * @param lossesByLevel number of events for each cause that settings choose and each level, zeros
 *     included
 * @param losing causes that occurred in the last ten seconds
 * @param blocked log calls that found no room in the ring
 * @param acknowledged log calls that waited for their events to be written
 * @param ring slots of the ring
 * @param memory bytes of the memory buffer, estimated
 * @param spill bytes of the spill on disk
 * @param spilling state of the spill
 * @param sink state of the sink
 * @param archives figures of the rolling policy's compressor
 * @param workers state of the appender's threads
 */
public record Snapshot(
    boolean started,
    Events events,
    Map<LossCause, Long> losses,
    Map<LossCause, Map<String, Long>> lossesByLevel,
    Set<LossCause> losing,
    Blocked blocked,
    Acknowledged acknowledged,
    Fill ring,
    Fill memory,
    Fill spill,
    Spilling spilling,
    Sink sink,
    ArchiveMetrics archives,
    Workers workers)
    implements Reading {

  static Snapshot notStarted() {
    return new Snapshot(
        false,
        new Events(0, 0, 0, 0, 0, 0, 0),
        noLosses(),
        Map.of(),
        Set.of(),
        new Blocked(0, 0, 0, false),
        new Acknowledged(0, 0, false),
        new Fill(0, 0),
        new Fill(0, 0),
        new Fill(0, 0),
        new Spilling(false, false, false, 0, 0, 0),
        new Sink(0, 0, 0, 0, false, false, 0),
        ArchiveMetrics.NONE,
        new Workers(0, false, 0, false));
  }

  private static Map<LossCause, Long> noLosses() {
    Map<LossCause, Long> losses = new EnumMap<>(LossCause.class);
    for (LossCause cause : LossCause.values()) {
      losses.put(cause, 0L);
    }
    return Collections.unmodifiableMap(losses);
  }

  /** Returns all figures of a reading, read now. */
  static Snapshot of(Reading now) {
    return new Snapshot(
        now.started(),
        now.events(),
        Map.copyOf(now.losses()),
        Map.copyOf(now.lossesByLevel()),
        Set.copyOf(now.losing()),
        now.blocked(),
        now.acknowledged(),
        now.ring(),
        now.memory(),
        now.spill(),
        now.spilling(),
        now.sink(),
        now.archives(),
        now.workers());
  }

  /**
   * Numbers of events by state, and the age of the oldest.
   *
   * @param accepted events that entered the ring
   * @param delivered accepted events that the sink took
   * @param pending accepted events that are neither delivered nor lost
   * @param spilled events that were written to the spill
   * @param synced spilled events that were forced to the disk, or delivered before that
   * @param recovered events of earlier runs that this run has delivered
   * @param oldestPendingNanos age of the oldest pending event in nanoseconds, zero if none is
   *     pending; events of earlier runs do not count
   */
  public record Events(
      long accepted,
      long delivered,
      long pending,
      long spilled,
      long synced,
      long recovered,
      long oldestPendingNanos) {}

  /**
   * Log calls that found the ring full and waited.
   *
   * @param calls how many log calls, those that wait now included
   * @param nanos total time of their waits in nanoseconds; a running wait is added every 50 ms or
   *     sooner
   * @param waiting how many log calls wait now
   * @param heavy whether large messages use more than half of the weight that the ring takes
   */
  public record Blocked(long calls, long nanos, long waiting, boolean heavy) {}

  /**
   * Log calls that waited for their events to be written, or synced, as {@code acknowledge}
   * requires.
   *
   * @param calls how many log calls returned with the acknowledgement
   * @param missed how many log calls returned without it
   * @param missing whether a log call returned without it in the last ten seconds
   */
  public record Acknowledged(long calls, long missed, boolean missing) {}

  /**
   * How full the ring, the memory buffer or the spill is.
   *
   * @param used the part of the capacity that is in use, in the same unit
   * @param capacity the bound
   */
  public record Fill(long used, long capacity) {
    /**
     * Returns the share of the capacity that is in use.
     *
     * @return 0 to 1, or slightly more if a batch exceeded the bound; 0 if the capacity is zero
     */
    public double share() {
      return capacity == 0 ? 0 : (double) used / capacity;
    }
  }

  /**
   * The state and the figures of the spill.
   *
   * @param usable false if there is no spill
   * @param active whether new events go to disk now because the sink is behind
   * @param failing whether an operation on spill files failed in the last ten seconds
   * @param episodes how often the appender changed from memory to the spill
   * @param failures number of failed operations on spill files
   * @param leftoverBytes bytes that earlier runs left and that are still to be delivered
   */
  public record Spilling(
      boolean usable,
      boolean active,
      boolean failing,
      long episodes,
      long failures,
      long leftoverBytes) {}

  /**
   * The state and the figures of the sink.
   *
   * @param nanos total time in the sink in nanoseconds, without the batch that is there now
   * @param stallNanos how long the batch that is in the sink now has been there, in nanoseconds;
   *     zero if there is none
   * @param longestStallNanos the longest time of one batch in nanoseconds, the batch that is there
   *     now included
   * @param failures exceptions of the nested appender or of a policy, and failed operations on the
   *     log file
   * @param failing whether there was a failure in the last ten seconds, or the log file has lost
   *     what had been written to it, until the next start
   * @param missing whether events wait for an appender to be nested and started
   * @param rollovers how often a rollover of the own log file was tried
   */
  public record Sink(
      long nanos,
      long stallNanos,
      long longestStallNanos,
      long failures,
      boolean failing,
      boolean missing,
      long rollovers) {}

  /**
   * The state and the figures of the appender's threads.
   *
   * @param failures unexpected failures that a thread survived, or after which another took over
   * @param failing whether there was such a failure in the last ten seconds
   * @param stuck threads that were replaced because code that is not Spillway's did not return, and
   *     still has not
   * @param held whether the drainer waits because neither memory nor spill takes the batch that it
   *     holds
   */
  public record Workers(long failures, boolean failing, long stuck, boolean held) {}
}
