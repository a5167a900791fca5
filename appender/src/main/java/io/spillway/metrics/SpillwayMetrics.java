package io.spillway.metrics;

import java.util.LinkedHashMap;
import java.util.Map;

/** {@link SpillwayMXBean} over a pipeline's counters and gauges. Thread-safe. */
public final class SpillwayMetrics implements SpillwayMXBean {
  private final Counters counters;
  private final Gauges gauges;

  /**
   * Metrics of one pipeline.
   *
   * @param counters what happened
   * @param gauges what is held now
   */
  public SpillwayMetrics(Counters counters, Gauges gauges) {
    this.counters = counters;
    this.gauges = gauges;
  }

  @Override
  public long getAccepted() {
    return gauges.accepted().getAsLong();
  }

  @Override
  public long getDelivered() {
    return counters.delivered();
  }

  @Override
  public long getPending() {
    long settled = counters.settled(); // first, so that a race shows as pending, never as negative
    return Math.max(0, getAccepted() - settled);
  }

  @Override
  public long getLost() {
    return sum(false);
  }

  @Override
  public long getDropped() {
    return sum(true);
  }

  private long sum(boolean beforeAcceptance) {
    long sum = 0;
    for (LossCause cause : LossCause.values()) {
      if (cause.beforeAcceptance() == beforeAcceptance) {
        sum += counters.count(cause);
      }
    }
    return sum;
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
    for (LossCause cause : LossCause.values()) {
      byCause.put(cause.name(), counters.count(cause));
    }
    return byCause;
  }

  @Override
  public long getSpilled() {
    return counters.spilled();
  }

  @Override
  public long getSynced() {
    return gauges.synced().getAsLong();
  }

  @Override
  public long getRecovered() {
    return counters.recovered();
  }

  @Override
  public long getSpillEpisodes() {
    return counters.spillEpisodes();
  }

  @Override
  public long getBlockedCalls() {
    return counters.blockedCalls();
  }

  @Override
  public long getBlockedNanos() {
    return counters.blockedNanos();
  }

  @Override
  public long getRingCapacity() {
    return gauges.ringCapacity();
  }

  @Override
  public long getRingUsed() {
    return gauges.ringUsed().getAsLong();
  }

  @Override
  public long getMemoryBytes() {
    return gauges.memoryBytes().getAsLong();
  }

  @Override
  public long getMemoryCapacityBytes() {
    return gauges.memoryCapacityBytes();
  }

  @Override
  public long getSpillBytes() {
    return gauges.spillBytes().getAsLong();
  }

  @Override
  public long getSpillCapacityBytes() {
    return gauges.spillCapacityBytes();
  }

  @Override
  public long getLeftoverBytes() {
    return gauges.leftoverBytes().getAsLong();
  }

  @Override
  public long getSinkNanos() {
    return counters.sinkNanos();
  }

  @Override
  public long getLongestStallNanos() {
    return counters.longestStallNanos();
  }

  @Override
  public long getSinkFailures() {
    return counters.sinkFailures();
  }

  @Override
  public long getSpillFailures() {
    return counters.spillFailures();
  }

  @Override
  public long getWorkerFailures() {
    return counters.workerFailures();
  }

  @Override
  public long getRollovers() {
    return counters.rollovers();
  }

  @Override
  public long getArchiveBacklogFiles() {
    return gauges.archives().get().backlogFiles();
  }

  @Override
  public long getArchiveBacklogBytes() {
    return gauges.archives().get().backlogBytes();
  }

  @Override
  public long getArchived() {
    return gauges.archives().get().archived();
  }

  @Override
  public long getArchiveFailures() {
    return gauges.archives().get().failures();
  }
}
