package io.spillway.metrics;

import ch.qos.logback.core.Context;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.spillway.internal.metrics.Registration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.ILoggerFactory;
import org.slf4j.LoggerFactory;

/**
 * Micrometer meters for all Spillway appenders of a logger context, also for those that a
 * reconfiguration starts later. Names, units and meanings: {@code OPERATIONS.md}. Each meter has
 * the tags {@code context} and {@code appender}. Needs {@code io.micrometer:micrometer-core}, which
 * is not among this library's own dependencies; a named module that uses this class requires {@code
 * micrometer.core} as well.
 *
 * <pre>{@code
 * new SpillwayMeters().bindTo(registry);              // Spring Boot: declare it as a bean instead
 * }</pre>
 */
@SuppressWarnings("exports") // types of Micrometer, which a user of this class has
public final class SpillwayMeters implements MeterBinder, AutoCloseable {
  private final Context context;
  private final List<Binding> bindings = new CopyOnWriteArrayList<>();

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
   * @param context the context whose appenders are measured
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
  public void bindTo(MeterRegistry registry) {
    Binding binding = new Binding(context, registry);
    bindings.add(binding);
    Registration.follow(context, binding);
  }

  /** Removes the meters from every registry and follows no appenders until bound again. */
  @Override
  public void close() {
    for (Binding binding : bindings) {
      bindings.remove(binding);
      Registration.unfollow(binding);
      List.copyOf(binding.meters.keySet()).forEach(binding::stopped);
    }
  }

  /** The meters in one registry. One thread at a time calls it. */
  private static final class Binding implements Registration.Follower {
    final Map<SpillwayMetrics, List<Meter>> meters = new HashMap<>();
    private final Context context;
    private final MeterRegistry registry;

    Binding(Context context, MeterRegistry registry) {
      this.context = context;
      this.registry = registry;
    }

    @Override
    public void started(String appender, SpillwayMetrics metrics) {
      List<Meter> own = new ArrayList<>();
      meters.put(metrics, own); // first: if the registry throws, the rest goes at the stop
      Tags tags = Tags.of("context", String.valueOf(context.getName()), "appender", appender);
      register(tags, metrics, own);
    }

    @Override
    public void stopped(SpillwayMetrics metrics) {
      List<Meter> own = meters.remove(metrics);
      if (own != null) {
        own.forEach(registry::remove);
      }
    }

    private void register(Tags tags, SpillwayMetrics metrics, List<Meter> own) {
      for (Metric metric : Metric.values()) {
        String help = metric.help().replace("`", "");
        if (metric.kind() == Metric.Kind.SUM) {
          own.add(
              FunctionCounter.builder(metric.meter(), metrics, m -> value(metric, m))
                  .description(help)
                  .baseUnit(unit(metric))
                  .tags(tags)
                  .register(registry));
        } else if (metric.kind() == Metric.Kind.NOW) {
          own.add(
              Gauge.builder(metric.meter(), metrics, m -> value(metric, m))
                  .description(help)
                  .baseUnit(unit(metric))
                  .tags(tags)
                  .register(registry));
        }
      }
      for (LossCause cause : LossCause.values()) {
        own.add(
            FunctionCounter.builder(Metric.LOST.meter(), metrics, m -> m.lossOf(cause))
                .description("Log events lost by cause; accepted=false: refused before acceptance")
                .tags(tags)
                .tag("cause", cause.name().toLowerCase(Locale.ROOT))
                .tag("accepted", String.valueOf(!cause.beforeAcceptance()))
                .register(registry));
      }
    }
  }

  private static double value(Metric metric, SpillwayMetrics metrics) {
    double value = metrics.value(metric);
    return metric.unit().equals("nanoseconds") ? value / 1e9 : value;
  }

  private static String unit(Metric metric) {
    return switch (metric.unit()) {
      case "nanoseconds" -> "seconds";
      case "events", "times", "status" -> null; // Prometheus would append "events" to the name
      default -> metric.unit();
    };
  }
}
