package io.spillway.metrics;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;

/**
 * What an appender has done and holds at one moment; what JMX, Micrometer, {@link Health} and
 * {@code getMetrics()} show is read from here. While events flow, the figures are read one after
 * the other and may be a batch apart.
 *
 * @param started whether the appender takes events
 * @param events by state
 * @param losses every drop and loss by cause, zeros included
 * @param lossesByLevel of causes that settings choose, each with each level, zeros included
 * @param losing causes that occurred in the last ten seconds
 * @param blocked log calls that found no room in the ring
 * @param acknowledged log calls that waited for their events to be written
 * @param ring slots
 * @param memory bytes of the memory hand-off, estimated
 * @param spill bytes on disk
 * @param spilling what the spill does
 * @param sink what the sink does
 * @param archives what the rolling policy's compressor does
 * @param workers what goes on in the threads of the appender
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

  /** All of it, read now. */
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
   * Events by state.
   *
   * @param accepted entered the ring
   * @param delivered the sink took them
   * @param pending neither delivered nor lost
   * @param spilled written to the spill
   * @param synced spilled, and forced to the disk, or delivered before
   * @param recovered of earlier runs, delivered by this one
   * @param oldestPendingNanos age of the oldest pending one, zero if there is none; those of
   *     earlier runs do not count
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
   * @param calls how many, those that wait now included
   * @param nanos how long in all; those that wait now add to it every 50 ms or sooner
   * @param waiting how many wait now
   * @param heavy whether the ring holds more than half as much of large messages as it takes
   */
  public record Blocked(long calls, long nanos, long waiting, boolean heavy) {}

  /**
   * Log calls that waited for their events to be written, or synced, as {@code acknowledge} asks.
   *
   * @param calls that returned with it
   * @param missed that returned without it
   * @param missing whether one did in the last ten seconds
   */
  public record Acknowledged(long calls, long missed, boolean missing) {}

  /**
   * How full something is.
   *
   * @param used of the capacity
   * @param capacity its bound
   */
  public record Fill(long used, long capacity) {
    /**
     * The part in use.
     *
     * @return 0 to 1, a little more if a batch went beyond
     */
    public double share() {
      return capacity == 0 ? 0 : (double) used / capacity;
    }
  }

  /**
   * What the spill does.
   *
   * @param usable false if there is none
   * @param active whether what is logged now goes to disk because the sink is behind
   * @param failing whether an operation on its files failed in the last ten seconds
   * @param episodes times the appender went from memory to the spill
   * @param failures of operations on its files
   * @param leftoverBytes of earlier runs, still to be delivered
   */
  public record Spilling(
      boolean usable,
      boolean active,
      boolean failing,
      long episodes,
      long failures,
      long leftoverBytes) {}

  /**
   * What the sink does.
   *
   * @param nanos time spent in it, the batch that is there now not included
   * @param stallNanos how long the batch that is in it now has been there, zero if none is
   * @param longestStallNanos the longest time of one batch, the one that is there now included
   * @param failures exceptions of the nested appender or of a policy, or failed operations on the
   *     log file
   * @param failing whether there was one in the last ten seconds, or the log file has lost what had
   *     been written to it, until the next start
   * @param missing whether events wait for an appender to be nested and started
   * @param rollovers of the own log file that were tried
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
   * What goes on in the threads of the appender.
   *
   * @param failures unexpected failures that a thread survived, or after which another took over
   * @param failing whether there was one in the last ten seconds
   * @param stuck threads that were replaced because code that is not Spillway's did not return, and
   *     still has not
   * @param held whether the drainer waits because neither memory nor spill takes what it holds
   */
  public record Workers(long failures, boolean failing, long stuck, boolean held) {}
}
