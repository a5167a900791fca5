package io.spillway.metrics;

import ch.qos.logback.core.Context;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.slf4j.ILoggerFactory;
import org.slf4j.LoggerFactory;

/**
 * Micrometer meters for all Spillway appenders of a logger context, also for those that a
 * reconfiguration starts later. Names, units and meanings: {@code METRICS.md}. Each meter has the
 * tags {@code context} and {@code appender}. Needs {@code io.micrometer:micrometer-core}, which is
 * not among this library's own dependencies; a named module that uses this class requires {@code
 * micrometer.core} as well.
 *
 * <pre>{@code
 * new SpillwayMeters().bindTo(registry);              // Spring Boot: declare it as a bean instead
 * }</pre>
 */
@SuppressWarnings("exports") // types of Micrometer, which a user of this class has
public final class SpillwayMeters implements MeterBinder, AutoCloseable {
  private static final String CONTEXT_TAG = "context";
  private static final String APPENDER_TAG = "appender";

  private static final List<String> LEVELS = List.of("TRACE", "DEBUG", "INFO", "WARN", "ERROR");

  private final Context context;
  private final List<Binding> bindings = new ArrayList<>();

  /**
   * Creates meters for the logger context that {@code LoggerFactory} uses.
   *
   * @throws IllegalStateException if SLF4J does not log through Logback
   */
  public SpillwayMeters() {
    this(defaultContext());
  }

  /**
   * Creates meters for one logger context.
   *
   * @param context a logger context
   */
  public SpillwayMeters(Context context) {
    this.context = context;
  }

  private static Context defaultContext() {
    ILoggerFactory factory = LoggerFactory.getILoggerFactory();
    if (factory instanceof Context context) {
      return context;
    }
    throw new IllegalStateException(
        "SLF4J logs through ["
            + factory.getClass().getName()
            + "], not through Logback, so there are no Spillway appenders. To do: keep one SLF4J"
            + " provider on the class path, logback-classic.");
  }

  @Override
  public synchronized void bindTo(MeterRegistry registry) {
    Binding binding = new Binding(registry);
    bindings.add(binding);
    LiveAppenders.follow(context, binding);
  }

  /** Removes the meters from every registry and follows no appenders until bound again. */
  @Override
  public synchronized void close() {
    for (Binding binding : bindings) {
      LiveAppenders.unfollow(binding);
      binding.close();
    }
    bindings.clear();
  }

  /** The meters in one registry, whose code runs without a lock that a start needs: it may log. */
  private final class Binding implements LiveAppenders.Listener {
    private final MeterRegistry registry;
    private final Map<SpillwayMetrics, List<Meter>> meters = new HashMap<>(); // under this
    private boolean closed; // under this; an appender that starts meanwhile may be reported later

    Binding(MeterRegistry registry) {
      this.registry = registry;
    }

    @Override
    public void started(String appender, SpillwayMetrics metrics) {
      List<Meter> own = new ArrayList<>();
      try {
        register(freeTags(String.valueOf(appender)), metrics, own);
      } finally {
        if (!keeps(metrics, own)) {
          own.forEach(registry::remove);
        }
      }
    }

    private synchronized boolean keeps(SpillwayMetrics metrics, List<Meter> own) {
      if (!closed) {
        meters.put(metrics, own);
      }
      return !closed;
    }

    private void register(Tags tags, SpillwayMetrics metrics, List<Meter> own) {
      for (Metric metric : Metric.values()) {
        switch (metric.kind()) {
          case COUNTER -> own.add(counter(metric, metrics, tags));
          case GAUGE -> own.add(gauge(metric, metrics, tags));
          default -> {
            continue; // counted by cause, below
          }
        }
      }
      for (LossCause cause : LossCause.values()) {
        own.add(losses(cause, metrics, tags));
        if (cause.isByPolicy()) {
          for (String level : LEVELS) {
            own.add(losses(cause, level, metrics, tags));
          }
        }
      }
    }

    /** Returns free tags: appenders of one name get numbers, as in JMX. */
    private Tags freeTags(String appender) {
      Tags tags = tags(appender);
      for (int i = 2; registry.find(Metric.HEALTH.meter()).tags(tags).meter() != null; i++) {
        tags = tags(appender + "#" + i);
      }
      return tags;
    }

    private Tags tags(String appender) {
      return Tags.of(CONTEXT_TAG, String.valueOf(context.getName()), APPENDER_TAG, appender);
    }

    private Meter counter(Metric metric, SpillwayMetrics metrics, Tags tags) {
      return FunctionCounter.builder(metric.meter(), metrics, m -> value(metric, m))
          .description(description(metric))
          .baseUnit(unit(metric))
          .tags(tags)
          .register(registry);
    }

    private Meter gauge(Metric metric, SpillwayMetrics metrics, Tags tags) {
      return Gauge.builder(metric.meter(), metrics, m -> value(metric, m))
          .description(description(metric))
          .baseUnit(unit(metric))
          .tags(tags)
          .register(registry);
    }

    private Meter losses(LossCause cause, SpillwayMetrics metrics, Tags tags) {
      return FunctionCounter.builder(Metric.LOST.meter(), metrics, m -> m.lossOf(cause))
          .description("Log events lost, by cause; accepted=false means that the event was refused")
          .baseUnit(unit(Metric.LOST))
          .tags(tags)
          .tag("cause", cause.name().toLowerCase(Locale.ROOT))
          .tag("accepted", String.valueOf(!cause.beforeAcceptance()))
          .register(registry);
    }

    private Meter losses(LossCause cause, String level, SpillwayMetrics metrics, Tags tags) {
      Metric metric = Metric.LOST_BY_POLICY;
      return FunctionCounter.builder(metric.meter(), metrics, m -> m.lossOf(cause, level))
          .description(description(metric))
          .baseUnit(unit(metric))
          .tags(tags)
          .tag("cause", cause.name().toLowerCase(Locale.ROOT))
          .tag("level", level.toLowerCase(Locale.ROOT))
          .register(registry);
    }

    @Override
    public void stopped(SpillwayMetrics metrics) {
      List<Meter> own;
      synchronized (this) {
        own = meters.remove(metrics);
      }
      if (own != null) {
        own.forEach(registry::remove);
      }
    }

    void close() {
      List<SpillwayMetrics> all;
      synchronized (this) {
        closed = true;
        all = List.copyOf(meters.keySet());
      }
      all.forEach(this::stopped);
    }
  }

  private static double value(Metric metric, SpillwayMetrics metrics) {
    double value = metrics.value(metric);
    return metric.unit() == Metric.Unit.NANOS ? value / TimeUnit.SECONDS.toNanos(1) : value;
  }

  private static String unit(Metric metric) {
    return switch (metric.unit()) {
      case NANOS -> "seconds";
      case EVENTS, TIMES, STATUS -> null; // Prometheus would append "events" to the name
      default -> metric.unit().text();
    };
  }

  private static String description(Metric metric) {
    return metric.meaning().replace("`", "");
  }
}
