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
 * Of a running pipeline, at the moment of each call: what its counters tell. What its parts hold is
 * added by whoever has them. Thread-safe; not for publishers.
 */
public abstract class LiveReading implements Reading {
  private static final LossCause[] CAUSES = LossCause.values();

  private final Counters counters;
  private final Pulse pulse;

  /**
   * Reads a pipeline.
   *
   * @param counters what happened to its events
   * @param pulse what its drainer watches
   */
  protected LiveReading(Counters counters, Pulse pulse) {
    this.counters = counters;
    this.pulse = pulse;
  }

  /**
   * Events that entered the ring, or came after it was closed.
   *
   * @return their number
   */
  protected abstract long accepted();

  /**
   * How many of the first events that entered the ring are no longer pending.
   *
   * @return their number
   */
  protected abstract long settled();

  /**
   * Spilled events whose fsync returned, or that were delivered before.
   *
   * @return their number
   */
  protected abstract long synced();

  @Override
  public final Snapshot.Events events() {
    long delivered = counters.delivered();
    long settled = counters.settled(); // first, so that a race shows as pending, never as negative
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
   * Log calls that had to wait.
   *
   * @param waiting how many do now
   * @param heavy whether it is large messages that take the ring's room
   * @return at this moment
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
   * What the spill does.
   *
   * @param usable whether there is one
   * @param spilling whether what is logged goes there because the sink is behind
   * @param leftoverBytes what earlier runs left and is still to be delivered
   * @return at this moment
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
   * What the sink does.
   *
   * @param hasLost whether something that it had taken is not where it was put any more
   * @return at this moment
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
   * The appender's threads.
   *
   * @param stuck how many do not return from code that is not Spillway's
   * @param held whether the drainer waits for room
   * @return at this moment
   */
  protected final Snapshot.Workers workers(long stuck, boolean held) {
    return new Snapshot.Workers(
        counters.workerFailures().count(), counters.workerFailures().recent(), stuck, held);
  }
}
