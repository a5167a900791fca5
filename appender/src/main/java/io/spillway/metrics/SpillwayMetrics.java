package io.spillway.metrics;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** The figures of an appender, read at each call. Thread-safe. */
public final class SpillwayMetrics implements SpillwayMXBean {
  /** The metrics of an appender never started: all zero, and {@link Health#NOT_STARTED}. */
  public static final SpillwayMetrics NOT_STARTED = new SpillwayMetrics(null);

  private final Reading live; // null for an appender that was never started

  /**
   * Creates the metrics of one appender. Called by the appender.
   *
   * @param live reads the figures of the appender
   */
  public SpillwayMetrics(Reading live) {
    this.live = live;
  }

  /** Creates the figures of an appender that was never started on demand: most are never read. */
  private Reading live() {
    return live == null ? Snapshot.notStarted() : live;
  }

  /** Returns the current value of one figure. */
  long value(Metric metric) {
    return metric.value(live());
  }

  /**
   * Returns all figures, read now.
   *
   * @return an immutable copy
   */
  public Snapshot snapshot() {
    return Snapshot.of(live());
  }

  /**
   * Returns whether the appender does its work.
   *
   * @return never null
   */
  public Health health() {
    return Health.of(snapshot());
  }

  /**
   * Returns how many events were not delivered for one cause.
   *
   * @param cause why
   * @return the number of events
   */
  public long lossOf(LossCause cause) {
    return live().loss(cause);
  }

  /**
   * Returns how many events of one level were dropped for one cause that settings choose. Only
   * {@code QUEUE_FULL}, {@code EVICTED} and {@code EXPIRED} are counted by level, as in {@link
   * #getLossByLevel}; {@link #lossOf(LossCause)} has the number of any other cause.
   *
   * @param cause why
   * @param level {@code TRACE}, {@code DEBUG}, {@code INFO}, {@code WARN} or {@code ERROR}, in
   *     upper or lower case
   * @return the number of events; 0 for a cause that is not counted by level, and for a text that
   *     names none of these levels
   */
  public long lossOf(LossCause cause, String level) {
    return live().loss(cause, String.valueOf(level).toUpperCase(Locale.ROOT));
  }

  @Override
  public Map<String, Map<String, Long>> getLossByLevel() {
    Map<String, Map<String, Long>> byCause = new LinkedHashMap<>();
    live().lossesByLevel().forEach((cause, levels) -> byCause.put(cause.name(), levels));
    return byCause;
  }

  @Override
  public long getLostByPolicy() {
    return Metric.LOST_BY_POLICY.value(live());
  }

  @Override
  public Map<String, Long> getLossByCause() {
    Map<String, Long> byCause = new LinkedHashMap<>();
    live().losses().forEach((cause, count) -> byCause.put(cause.name(), count));
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
    return Metric.ACCEPTED.value(live());
  }

  @Override
  public long getSpilled() {
    return Metric.SPILLED.value(live());
  }

  @Override
  public long getSynced() {
    return Metric.SYNCED.value(live());
  }

  @Override
  public long getDelivered() {
    return Metric.DELIVERED.value(live());
  }

  @Override
  public long getRecovered() {
    return Metric.RECOVERED.value(live());
  }

  @Override
  public long getPending() {
    return Metric.PENDING.value(live());
  }

  @Override
  public long getOldestPendingNanos() {
    return Metric.OLDEST_PENDING.value(live());
  }

  @Override
  public long getLost() {
    return Metric.LOST.value(live());
  }

  @Override
  public long getDropped() {
    return Metric.DROPPED.value(live());
  }

  @Override
  public long getBlockedCalls() {
    return Metric.BLOCKED_CALLS.value(live());
  }

  @Override
  public long getBlockedNanos() {
    return Metric.BLOCKED_TIME.value(live());
  }

  @Override
  public long getAcknowledgedCalls() {
    return Metric.ACKNOWLEDGED.value(live());
  }

  @Override
  public long getUnacknowledgedCalls() {
    return Metric.UNACKNOWLEDGED.value(live());
  }

  @Override
  public long getRingUsed() {
    return Metric.RING_USED.value(live());
  }

  @Override
  public long getRingCapacity() {
    return Metric.RING_CAPACITY.value(live());
  }

  @Override
  public long getMemoryBytes() {
    return Metric.MEMORY_USED.value(live());
  }

  @Override
  public long getMemoryCapacityBytes() {
    return Metric.MEMORY_CAPACITY.value(live());
  }

  @Override
  public long getSpillBytes() {
    return Metric.SPILL_USED.value(live());
  }

  @Override
  public long getSpillCapacityBytes() {
    return Metric.SPILL_CAPACITY.value(live());
  }

  @Override
  public long getLeftoverBytes() {
    return Metric.LEFTOVER.value(live());
  }

  @Override
  public long getSpillEpisodes() {
    return Metric.SPILL_EPISODES.value(live());
  }

  @Override
  public long getSpillFailures() {
    return Metric.SPILL_FAILURES.value(live());
  }

  @Override
  public long getSinkNanos() {
    return Metric.SINK_TIME.value(live());
  }

  @Override
  public long getStallNanos() {
    return Metric.STALL.value(live());
  }

  @Override
  public long getLongestStallNanos() {
    return Metric.LONGEST_STALL.value(live());
  }

  @Override
  public long getSinkFailures() {
    return Metric.SINK_FAILURES.value(live());
  }

  @Override
  public long getRollovers() {
    return Metric.ROLLOVERS.value(live());
  }

  @Override
  public long getArchiveBacklogFiles() {
    return Metric.BACKLOG_FILES.value(live());
  }

  @Override
  public long getArchiveBacklogBytes() {
    return Metric.BACKLOG_BYTES.value(live());
  }

  @Override
  public long getArchived() {
    return Metric.ARCHIVED.value(live());
  }

  @Override
  public long getArchiveFailures() {
    return Metric.ARCHIVE_FAILURES.value(live());
  }

  @Override
  public long getArchivesTaken() {
    return Metric.ARCHIVES_TAKEN.value(live());
  }

  @Override
  public long getArchivesOwed() {
    return Metric.ARCHIVES_OWED.value(live());
  }

  @Override
  public long getArchiveRefusals() {
    return Metric.ARCHIVE_REFUSALS.value(live());
  }

  @Override
  public long getWorkerFailures() {
    return Metric.WORKER_FAILURES.value(live());
  }
}
