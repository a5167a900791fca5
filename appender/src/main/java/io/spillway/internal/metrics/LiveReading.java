package io.spillway.internal.metrics;

import io.spillway.metrics.LossCause;
import io.spillway.metrics.Reading;
import io.spillway.metrics.Snapshot;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The figures of a running pipeline, read at each call. This class reads the counters; a subclass
 * reads what the parts of the pipeline hold. Thread-safe; not for publishers.
 */
public abstract class LiveReading implements Reading {
  private static final LossCause[] CAUSES = LossCause.values();

  private final Counters counters;
  private final Pulse pulse;

  /**
   * Creates a reading of a pipeline.
   *
   * @param counters what happened to its events
   * @param pulse what its drainer has noted
   */
  protected LiveReading(Counters counters, Pulse pulse) {
    this.counters = counters;
    this.pulse = pulse;
  }

  /**
   * Returns how many events entered the ring, or came after it was closed.
   *
   * @return the number of events
   */
  protected abstract long accepted();

  /**
   * Returns how many of the first events that entered the ring are no longer pending.
   *
   * @return the number of events
   */
  protected abstract long settled();

  /**
   * Returns how many spilled events have an fsync that returned, or were delivered before.
   *
   * @return the number of events
   */
  protected abstract long synced();

  @Override
  public final Snapshot.Events events() {
    long delivered = counters.delivered();
    long settled = counters.settled(); // first: a race then shows as pending, not as negative
    long accepted = accepted();
    long pending = Math.max(0, accepted - settled);
    return new Snapshot.Events(
        accepted,
        delivered,
        pending,
        counters.spilled(),
        synced(),
        counters.recovered(),
        pending == 0 ? 0 : pulse.age().nanos(settled(), System.nanoTime()));
  }

  @Override
  public long loss(LossCause cause) {
    return counters.count(cause);
  }

  @Override
  public Map<LossCause, Long> losses() {
    Map<LossCause, Long> losses = new EnumMap<>(LossCause.class);
    for (LossCause cause : CAUSES) {
      losses.put(cause, counters.count(cause));
    }
    return losses;
  }

  @Override
  public Map<LossCause, Map<String, Long>> lossesByLevel() {
    Map<LossCause, Map<String, Long>> losses = new EnumMap<>(LossCause.class);
    for (LossCause cause : CAUSES) {
      if (cause.isByPolicy()) {
        Map<String, Long> levels = new LinkedHashMap<>();
        for (int level = 0; level < Counters.LEVELS.size(); level++) {
          levels.put(Counters.LEVELS.get(level), counters.count(cause, level));
        }
        losses.put(cause, Collections.unmodifiableMap(levels));
      }
    }
    return losses;
  }

  @Override
  public long loss(LossCause cause, String level) {
    return counters.count(cause, Counters.LEVELS.indexOf(level));
  }

  @Override
  public Set<LossCause> losing() {
    return pulse.losing(System.nanoTime());
  }

  /**
   * Returns the figures of log calls that had to wait for room.
   *
   * @param waiting how many wait now
   * @param heavy whether large messages take the room of the ring
   * @return the current figures
   */
  protected final Snapshot.Blocked blocked(long waiting, boolean heavy) {
    return new Snapshot.Blocked(counters.blockedCalls(), counters.blockedNanos(), waiting, heavy);
  }

  @Override
  public Snapshot.Acknowledged acknowledged() {
    return new Snapshot.Acknowledged(
        counters.acknowledgedCalls(),
        counters.unacknowledgedCalls().count(),
        counters.unacknowledgedCalls().recent());
  }

  /**
   * Returns the figures of the spill.
   *
   * @param usable whether there is a spill
   * @param spilling whether new events go to the spill because the sink is behind
   * @param leftoverBytes bytes that earlier runs left and that are still to be delivered
   * @return the current figures
   */
  protected final Snapshot.Spilling spilling(boolean usable, boolean spilling, long leftoverBytes) {
    return new Snapshot.Spilling(
        usable,
        spilling,
        counters.spillFailures().recent(),
        counters.spillEpisodes(),
        counters.spillFailures().count(),
        leftoverBytes);
  }

  /**
   * Returns the figures of the sink.
   *
   * @param hasLost whether something that the sink took is no longer where it was written
   * @return the current figures
   */
  protected final Snapshot.Sink sink(boolean hasLost) {
    long stall = counters.currentStallNanos(System.nanoTime());
    return new Snapshot.Sink(
        counters.sinkNanos(),
        stall,
        Math.max(stall, counters.longestStallNanos()),
        counters.sinkFailures().count(),
        counters.sinkFailures().recent() || hasLost,
        counters.isSinkMissing(),
        counters.rollovers());
  }

  /**
   * Returns the figures of the appender's threads.
   *
   * @param stuck how many do not return from code that is not Spillway's
   * @param held whether the drainer waits for room
   * @return the current figures
   */
  protected final Snapshot.Workers workers(long stuck, boolean held) {
    return new Snapshot.Workers(
        counters.workerFailures().count(), counters.workerFailures().recent(), stuck, held);
  }
}
