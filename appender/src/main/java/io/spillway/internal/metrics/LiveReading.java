package io.spillway.internal.metrics;

import io.spillway.metrics.ArchiveMetrics;
import io.spillway.metrics.LossCause;
import io.spillway.metrics.Reading;
import io.spillway.metrics.Snapshot;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** Of a running pipeline, at the moment of each call. Thread-safe; not for publishers. */
public final class LiveReading implements Reading {
  private static final LossCause[] CAUSES = LossCause.values();

  private final Counters counters;
  private final Gauges gauges;
  private final Pulse pulse;

  /**
   * Reads a pipeline.
   *
   * @param counters what happened to its events
   * @param gauges what its parts hold
   * @param pulse what its drainer watches
   */
  public LiveReading(Counters counters, Gauges gauges, Pulse pulse) {
    this.counters = counters;
    this.gauges = gauges;
    this.pulse = pulse;
  }

  @Override
  public boolean started() {
    return gauges.started();
  }

  @Override
  public Snapshot.Events events() {
    long delivered = counters.delivered();
    long settled = counters.settled(); // first, so that a race shows as pending, never as negative
    long accepted = gauges.accepted();
    long pending = Math.max(0, accepted - settled);
    return new Snapshot.Events(
        accepted,
        delivered,
        pending,
        counters.spilled(),
        gauges.synced(),
        counters.recovered(),
        pending == 0 ? 0 : pulse.age().nanos(settled, System.nanoTime()));
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
    return pulse.losses().recent(System.nanoTime());
  }

  @Override
  public Snapshot.Blocked blocked() {
    return new Snapshot.Blocked(
        counters.blockedCalls(),
        counters.blockedNanos(),
        gauges.waitingCalls(),
        gauges.ringHeavy());
  }

  @Override
  public Snapshot.Acknowledged acknowledged() {
    return new Snapshot.Acknowledged(
        counters.acknowledgedCalls(),
        counters.unacknowledgedCalls().count(),
        counters.unacknowledgedCalls().recent());
  }

  @Override
  public Snapshot.Fill ring() {
    return new Snapshot.Fill(gauges.ringUsed(), gauges.ringCapacity());
  }

  @Override
  public Snapshot.Fill memory() {
    return new Snapshot.Fill(gauges.memoryBytes(), gauges.memoryCapacityBytes());
  }

  @Override
  public Snapshot.Fill spill() {
    return new Snapshot.Fill(gauges.spillBytes(), gauges.spillCapacityBytes());
  }

  @Override
  public Snapshot.Spilling spilling() {
    return new Snapshot.Spilling(
        gauges.spillUsable(),
        gauges.spilling(),
        counters.spillFailures().recent(),
        counters.spillEpisodes(),
        counters.spillFailures().count(),
        gauges.leftoverBytes());
  }

  @Override
  public Snapshot.Sink sink() {
    long stall = counters.currentStallNanos(System.nanoTime());
    return new Snapshot.Sink(
        counters.sinkNanos(),
        stall,
        Math.max(stall, counters.longestStallNanos()),
        counters.sinkFailures().count(),
        counters.sinkFailures().recent() || gauges.sinkHasLost(),
        counters.isSinkMissing(),
        counters.rollovers());
  }

  @Override
  public ArchiveMetrics archives() {
    return gauges.archives();
  }

  @Override
  public Snapshot.Workers workers() {
    return new Snapshot.Workers(
        counters.workerFailures().count(),
        counters.workerFailures().recent(),
        gauges.stuckThreads(),
        gauges.held());
  }
}
