package io.spillway.metrics;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** {@link SpillwayMXBean} over a pipeline's counters and gauges. Thread-safe. */
public final class SpillwayMetrics implements SpillwayMXBean {
  private static final LossCause[] CAUSES = LossCause.values();

  private final Counters counters;
  private final Gauges gauges;
  private final Pulse pulse;

  /**
   * Metrics of one pipeline.
   *
   * @param counters what happened
   * @param gauges what is held now
   * @param pulse what goes on
   */
  public SpillwayMetrics(Counters counters, Gauges gauges, Pulse pulse) {
    this.counters = counters;
    this.gauges = gauges;
    this.pulse = pulse;
  }

  /**
   * All of it, at this moment.
   *
   * @return immutable
   */
  public Snapshot snapshot() {
    long now = System.nanoTime();
    return new Snapshot(
        gauges.started().getAsBoolean(),
        events(now),
        Map.copyOf(losses()),
        Set.copyOf(pulse.losses().recent(now)),
        new Snapshot.Blocked(counters.blockedCalls(), counters.blockedNanos()),
        new Snapshot.Fill(gauges.ringUsed().getAsLong(), gauges.ringCapacity()),
        new Snapshot.Fill(gauges.memoryBytes().getAsLong(), gauges.memoryCapacityBytes()),
        new Snapshot.Fill(gauges.spillBytes().getAsLong(), gauges.spillCapacityBytes()),
        spilling(now),
        sink(now),
        gauges.archives().get(),
        counters.workerFailures());
  }

  private Snapshot.Events events(long now) {
    long delivered = counters.delivered();
    long settled = counters.settled(); // first, so that a race shows as pending, never as negative
    long accepted = gauges.accepted().getAsLong();
    long pending = Math.max(0, accepted - settled);
    return new Snapshot.Events(
        accepted,
        delivered,
        pending,
        counters.spilled(),
        gauges.synced().getAsLong(),
        counters.recovered(),
        pending == 0 ? 0 : pulse.age().nanos(settled, now));
  }

  private Map<LossCause, Long> losses() {
    Map<LossCause, Long> losses = new EnumMap<>(LossCause.class);
    for (LossCause cause : CAUSES) {
      losses.put(cause, counters.count(cause));
    }
    return losses;
  }

  private Snapshot.Spilling spilling(long now) {
    return new Snapshot.Spilling(
        gauges.spillUsable(),
        gauges.spilling().getAsBoolean(),
        counters.spillFailedWithin(LossWatch.RECENT_NANOS, now),
        counters.spillEpisodes(),
        counters.spillFailures(),
        gauges.leftoverBytes().getAsLong());
  }

  private Snapshot.Sink sink(long now) {
    long stall = counters.currentStallNanos(now);
    return new Snapshot.Sink(
        counters.sinkNanos(),
        stall,
        Math.max(stall, counters.longestStallNanos()),
        counters.sinkFailures(),
        counters.rollovers());
  }

  /**
   * Whether the appender does its work.
   *
   * @return never null
   */
  public Health health() {
    return Health.of(snapshot());
  }

  /**
   * Events not delivered for one cause.
   *
   * @param cause why
   * @return events
   */
  public long lossOf(LossCause cause) {
    return counters.count(cause);
  }

  @Override
  public Map<String, Long> getLossByCause() {
    Map<String, Long> byCause = new LinkedHashMap<>();
    losses().forEach((cause, count) -> byCause.put(cause.name(), count));
    return byCause;
  }

  @Override
  public String getHealth() {
    return health().status().name();
  }

  @Override
  public String getHealthReason() {
    return health().reason();
  }

  @Override
  public long getAccepted() {
    return Metric.ACCEPTED.value(snapshot());
  }

  @Override
  public long getSpilled() {
    return Metric.SPILLED.value(snapshot());
  }

  @Override
  public long getSynced() {
    return Metric.SYNCED.value(snapshot());
  }

  @Override
  public long getDelivered() {
    return Metric.DELIVERED.value(snapshot());
  }

  @Override
  public long getRecovered() {
    return Metric.RECOVERED.value(snapshot());
  }

  @Override
  public long getPending() {
    return Metric.PENDING.value(snapshot());
  }

  @Override
  public long getOldestPendingNanos() {
    return Metric.OLDEST_PENDING.value(snapshot());
  }

  @Override
  public long getLost() {
    return Metric.LOST.value(snapshot());
  }

  @Override
  public long getDropped() {
    return Metric.DROPPED.value(snapshot());
  }

  @Override
  public long getBlockedCalls() {
    return Metric.BLOCKED_CALLS.value(snapshot());
  }

  @Override
  public long getBlockedNanos() {
    return Metric.BLOCKED_TIME.value(snapshot());
  }

  @Override
  public long getRingUsed() {
    return Metric.RING_USED.value(snapshot());
  }

  @Override
  public long getRingCapacity() {
    return Metric.RING_CAPACITY.value(snapshot());
  }

  @Override
  public long getMemoryBytes() {
    return Metric.MEMORY_USED.value(snapshot());
  }

  @Override
  public long getMemoryCapacityBytes() {
    return Metric.MEMORY_CAPACITY.value(snapshot());
  }

  @Override
  public long getSpillBytes() {
    return Metric.SPILL_USED.value(snapshot());
  }

  @Override
  public long getSpillCapacityBytes() {
    return Metric.SPILL_CAPACITY.value(snapshot());
  }

  @Override
  public long getLeftoverBytes() {
    return Metric.LEFTOVER.value(snapshot());
  }

  @Override
  public long getSpillEpisodes() {
    return Metric.SPILL_EPISODES.value(snapshot());
  }

  @Override
  public long getSpillFailures() {
    return Metric.SPILL_FAILURES.value(snapshot());
  }

  @Override
  public long getSinkNanos() {
    return Metric.SINK_TIME.value(snapshot());
  }

  @Override
  public long getStallNanos() {
    return Metric.STALL.value(snapshot());
  }

  @Override
  public long getLongestStallNanos() {
    return Metric.LONGEST_STALL.value(snapshot());
  }

  @Override
  public long getSinkFailures() {
    return Metric.SINK_FAILURES.value(snapshot());
  }

  @Override
  public long getRollovers() {
    return Metric.ROLLOVERS.value(snapshot());
  }

  @Override
  public long getArchiveBacklogFiles() {
    return Metric.BACKLOG_FILES.value(snapshot());
  }

  @Override
  public long getArchiveBacklogBytes() {
    return Metric.BACKLOG_BYTES.value(snapshot());
  }

  @Override
  public long getArchived() {
    return Metric.ARCHIVED.value(snapshot());
  }

  @Override
  public long getArchiveFailures() {
    return Metric.ARCHIVE_FAILURES.value(snapshot());
  }

  @Override
  public long getWorkerFailures() {
    return Metric.WORKER_FAILURES.value(snapshot());
  }
}
