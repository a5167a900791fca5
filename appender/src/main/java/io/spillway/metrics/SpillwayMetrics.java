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
 * after the other may be a batch apart. {@link #value(String)} reads every figure; the most common
 * ones have a getter as well. Thread-safe.
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

  /** {@return log events of this run that the log file or the nested appender took} */
  public long getDelivered() {
    return value(Metric.DELIVERED);
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

  /** {@return slots of the ring that hold a log event} */
  public long getRingUsed() {
    return value(Metric.RING_USED);
  }

  /** {@return slots of the ring ({@code queueSize}, rounded up)} */
  public long getRingCapacity() {
    return value(Metric.RING_CAPACITY);
  }

  /** {@return bytes: bound of the spill ({@code maxSpillSize})} */
  public long getSpillCapacityBytes() {
    return value(Metric.SPILL_CAPACITY_BYTES);
  }

  /** {@return rollovers of a SpillwayRollingFileAppender, also failed ones} */
  public long getRollovers() {
    return value(Metric.ROLLOVERS);
  }

  /** {@return archives completed} */
  public long getArchived() {
    return value(Metric.ARCHIVED);
  }
}
