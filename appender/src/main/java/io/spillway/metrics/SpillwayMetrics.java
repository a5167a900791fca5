package io.spillway.metrics;

import io.spillway.internal.metrics.Counters;
import io.spillway.internal.metrics.Gauges;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The figures of an appender, read at each call. At rest, {@code accepted = delivered + pending +
 * lost}, but for what earlier runs left and was lost. While events flow, figures that are read one
 * after the other may be a batch apart. Thread-safe.
 */
public final class SpillwayMetrics {
  /** The metrics of an appender never started: all zero, and {@link Health#NOT_STARTED}. */
  public static final SpillwayMetrics NOT_STARTED = new SpillwayMetrics(null, null);

  private final Gauges gauges; // null for an appender that was never started
  private final Counters counters;

  /**
   * For the appender.
   *
   * @param gauges what is so now; null for an appender that was never started
   * @param counters what was done; null for an appender that was never started
   */
  @SuppressWarnings("exports") // applications have neither
  public SpillwayMetrics(Gauges gauges, Counters counters) {
    this.gauges = gauges;
    this.counters = counters;
  }

  long value(Metric metric) {
    if (gauges == null) {
      return metric == Metric.HEALTH ? Health.Status.DOWN.ordinal() : 0;
    }
    return metric.read(gauges, counters);
  }

  /**
   * {@return a figure by its name in JMX; null if there is none}
   *
   * @param attribute one of {@link #descriptions}
   */
  public Object value(String attribute) {
    return switch (attribute) {
      case "Health" -> getHealth();
      case "HealthReason" -> getHealthReason();
      default ->
          Stream.concat(
                  Arrays.stream(Metric.values())
                      .filter(metric -> metric.attribute().equals(attribute))
                      .map(this::value),
                  Arrays.stream(LossCause.values())
                      .filter(cause -> cause.attribute().equals(attribute))
                      .map(this::lossOf))
              .findAny()
              .orElse(null);
    };
  }

  /** {@return the name in JMX of each figure, with its meaning and unit} */
  public static Map<String, String> descriptions() {
    Map<String, String> all = new LinkedHashMap<>();
    for (Metric metric : Metric.values()) {
      all.put(metric.attribute(), metric.help().replace("`", "") + " [" + metric.unit() + "]");
    }
    for (LossCause cause : LossCause.values()) {
      all.put(cause.attribute(), "Events dropped or lost, cause " + cause + " [events]");
    }
    all.put("HealthReason", "Why Health is not UP, and what to do");
    return all;
  }

  /** {@return whether the appender does its work; never null} */
  public Health health() {
    return gauges == null ? Health.NOT_STARTED : Health.of(gauges, counters);
  }

  /**
   * {@return how many events were dropped or lost}
   *
   * @param cause why
   */
  public long lossOf(LossCause cause) {
    return counters == null ? 0 : counters.count(cause);
  }

  /** {@return how many events were dropped or lost, by the name of each cause, zeros included} */
  public Map<String, Long> getLossByCause() {
    Map<String, Long> byCause = new LinkedHashMap<>();
    for (LossCause cause : LossCause.values()) {
      byCause.put(cause.name(), lossOf(cause));
    }
    return byCause;
  }

  /** {@return {@code UP}, {@code DEGRADED} or {@code DOWN}} */
  public String getHealth() {
    return health().status().name();
  }

  /** {@return why, and what to do; empty if {@code UP}} */
  public String getHealthReason() {
    return health().reason();
  }

  /** {@return log events that entered the ring} */
  public long getAccepted() {
    return value(Metric.ACCEPTED);
  }

  /** {@return log events written to the spill on disk} */
  public long getSpilled() {
    return value(Metric.SPILLED);
  }

  /** {@return spilled log events that were forced to the disk, or delivered before that} */
  public long getSynced() {
    return value(Metric.SYNCED);
  }

  /** {@return log events of this run that the log file or the nested appender took} */
  public long getDelivered() {
    return value(Metric.DELIVERED);
  }

  /** {@return log events that earlier runs left in the spill and this run delivered} */
  public long getRecovered() {
    return value(Metric.RECOVERED);
  }

  /** {@return log events of this run that are neither delivered nor lost yet} */
  public long getPending() {
    return value(Metric.PENDING);
  }

  /** {@return accepted log events that were lost, of this run and of earlier ones} */
  public long getLost() {
    return value(Metric.LOST);
  }

  /** {@return log events that were dropped before they were accepted} */
  public long getDropped() {
    return value(Metric.DROPPED);
  }

  /** {@return log calls that found the ring full and waited, or still wait} */
  public long getBlockedCalls() {
    return value(Metric.BLOCKED_CALLS);
  }

  /** {@return nanoseconds: time that log calls waited because the ring was full} */
  public long getBlockedNanos() {
    return value(Metric.BLOCKED_NANOS);
  }

  /** {@return log calls that returned with the acknowledgement that they waited for} */
  public long getAcknowledgedCalls() {
    return value(Metric.ACKNOWLEDGED_CALLS);
  }

  /** {@return log calls that returned without the acknowledgement} */
  public long getUnacknowledgedCalls() {
    return value(Metric.UNACKNOWLEDGED_CALLS);
  }

  /** {@return slots of the ring that hold a log event} */
  public long getRingUsed() {
    return value(Metric.RING_USED);
  }

  /** {@return slots of the ring ({@code queueSize}, rounded up)} */
  public long getRingCapacity() {
    return value(Metric.RING_CAPACITY);
  }

  /** {@return bytes: size of the spill on disk, leftovers of earlier runs included} */
  public long getSpillBytes() {
    return value(Metric.SPILL_BYTES);
  }

  /** {@return bytes: bound of the spill ({@code maxSpillSize})} */
  public long getSpillCapacityBytes() {
    return value(Metric.SPILL_CAPACITY_BYTES);
  }

  /** {@return bytes: size of what earlier runs left in the spill and is not delivered yet} */
  public long getLeftoverBytes() {
    return value(Metric.LEFTOVER_BYTES);
  }

  /** {@return how often log events went to the spill after none did} */
  public long getSpillEpisodes() {
    return value(Metric.SPILL_EPISODES);
  }

  /** {@return failed operations on files of the spill} */
  public long getSpillFailures() {
    return value(Metric.SPILL_FAILURES);
  }

  /** {@return nanoseconds: time that the present batch has been in the sink; 0 if there is none} */
  public long getStallNanos() {
    return value(Metric.STALL_NANOS);
  }

  /** {@return exceptions of the nested appender or a policy, failed operations on the log file} */
  public long getSinkFailures() {
    return value(Metric.SINK_FAILURES);
  }

  /** {@return rollovers of a SpillwayRollingFileAppender, also failed ones} */
  public long getRollovers() {
    return value(Metric.ROLLOVERS);
  }

  /** {@return rolled files that are not compressed yet} */
  public long getArchiveBacklogFiles() {
    return value(Metric.ARCHIVE_BACKLOG_FILES);
  }

  /** {@return archives completed} */
  public long getArchived() {
    return value(Metric.ARCHIVED);
  }
}
