package io.spillway.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.core.Context;
import ch.qos.logback.core.ContextBase;
import ch.qos.logback.core.spi.ContextAwareBase;
import ch.qos.logback.core.status.Status;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.search.Search;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.spillway.internal.metrics.Counters;
import io.spillway.internal.metrics.Counters.Count;
import io.spillway.internal.metrics.FakeGauges;
import io.spillway.internal.metrics.Registration;
import io.spillway.internal.metrics.Reports;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** The Micrometer binder, with a real registry. */
@Timeout(120)
class SpillwayMetersTest {
  private final MeterRegistry registry = new SimpleMeterRegistry();
  private final Context context = context();

  private static Context context() {
    Context context = new ContextBase();
    context.setName("meters");
    return context;
  }

  private static final class Started implements AutoCloseable {
    final FakeGauges gauges = new FakeGauges();
    final Counters counters = new Counters();
    final SpillwayMetrics metrics = new SpillwayMetrics(gauges.gauges, counters);
    final Registration registration;

    Started(Context context, String name) {
      ContextAwareBase origin = new ContextAwareBase();
      origin.setContext(context);
      registration = new Registration(context, name, metrics, new Reports(origin));
    }

    Started start() {
      registration.add();
      return this;
    }

    void stop() {
      registration.remove();
    }

    @Override
    public void close() {
      stop();
    }
  }

  /** Before the end of the block that has it. */
  private static void close(SpillwayMeters meters) {
    meters.close();
  }

  private static double value(Meter meter) {
    return meter instanceof FunctionCounter counter ? counter.count() : ((Gauge) meter).value();
  }

  private Search find(String meter, String appender) {
    return registry.find(meter).tag("appender", appender);
  }

  private Set<String> appenders() {
    return registry.getMeters().stream()
        .map(meter -> meter.getId().getTag("context") + "." + meter.getId().getTag("appender"))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void shouldMeasureEachMetric() {
    try (SpillwayMeters meters = new SpillwayMeters(context);
        Started appender = new Started(context, "FILE")) {
      meters.bindTo(registry);
      assertThat(registry.getMeters()).isEmpty();
      appender.start();
      appender.gauges.set("accepted", 1_000L);
      appender.gauges.set("stallNanos", 2_500_000_000L);
      appender.gauges.set("spillBytes", 30L);
      appender.counters.delivered(600, false);
      appender.counters.add(Count.BLOCKED_NANOS, 500_000_000);
      appender.counters.add(Count.SINK_FAILURES, 1);
      for (Metric metric : Metric.values()) {
        if (metric.kind() == Metric.Kind.SUM_BY_CAUSE) {
          continue;
        }
        Meter meter = find(metric.meter(), "FILE").meter();
        boolean time = metric.unit().equals("nanoseconds");
        assertThat(meter instanceof Gauge).isEqualTo(metric.kind() == Metric.Kind.NOW);
        assertThat(value(meter))
            .as(metric.attribute())
            .isEqualTo(appender.metrics.value(metric) / (time ? 1e9 : 1));
        assertThat(meter.getId().getDescription()).isNotBlank().doesNotContain("`");
        assertThat("seconds".equals(meter.getId().getBaseUnit())).isEqualTo(time);
      }
      assertThat(value(find("spillway.sink.stall", "FILE").meter())).isEqualTo(2.5);
      assertThat(value(find("spillway.events.pending", "FILE").meter())).isEqualTo(400);
      assertThat(value(find("spillway.health", "FILE").meter())).isEqualTo(1);
      assertThat(find("spillway.spill.used", "FILE").meter().getId().getBaseUnit())
          .isEqualTo("bytes");
    }
    assertThat(registry.getMeters()).isEmpty();
  }

  @Test
  void shouldCountLossesByCause() {
    try (SpillwayMeters meters = new SpillwayMeters(context);
        Started appender = new Started(context, "FILE").start()) {
      meters.bindTo(registry);
      appender.counters.lost(LossCause.SINK_FAILED, 3, false);
      appender.counters.dropped(LossCause.STOPPED);
      for (LossCause cause : LossCause.values()) {
        Search lost =
            find("spillway.events.lost", "FILE")
                .tag("cause", cause.name().toLowerCase(Locale.ROOT))
                .tag("accepted", String.valueOf(!cause.beforeAcceptance()));
        assertThat(value(lost.meter()))
            .as(cause.name())
            .isEqualTo(cause == LossCause.SINK_FAILED ? 3 : cause == LossCause.STOPPED ? 1 : 0);
      }
    }
  }

  @Test
  void shouldFollowStartsAndStops() {
    try (SpillwayMeters meters = new SpillwayMeters(context);
        Started first = new Started(context, "FILE").start()) {
      meters.bindTo(registry);
      int each = registry.getMeters().size();
      Started second = new Started(context, "OTHER").start();
      assertThat(appenders()).containsExactly("meters.FILE", "meters.OTHER");
      assertThat(registry.getMeters()).hasSize(2 * each);
      first.stop();
      assertThat(appenders()).containsExactly("meters.OTHER");
      second.stop();
      assertThat(registry.getMeters()).isEmpty();
      try (Started again = new Started(context, "FILE")) {
        again.start();
        assertThat(appenders()).containsExactly("meters.FILE");
        close(meters);
        assertThat(registry.getMeters()).isEmpty();
      }
      new Started(context, "LATER").start().stop();
      assertThat(registry.getMeters()).isEmpty();
    }
  }

  @Test
  void shouldKeepToItsContext() {
    Context other = context(); // of the same name
    try (SpillwayMeters meters = new SpillwayMeters(context);
        SpillwayMeters others = new SpillwayMeters(other);
        Started own = new Started(context, "FILE");
        Started foreign = new Started(other, "FOREIGN")) {
      own.start();
      foreign.start();
      meters.bindTo(registry);
      assertThat(appenders()).containsExactly("meters.FILE");
      others.bindTo(registry);
      assertThat(appenders()).containsExactly("meters.FILE", "meters.FOREIGN");
      close(others);
      assertThat(appenders()).containsExactly("meters.FILE");
    }
  }

  @Test
  void shouldUseTheContextOfTheApplication() {
    Context application = (Context) LoggerFactory.getILoggerFactory();
    try (SpillwayMeters meters = new SpillwayMeters();
        Started appender = new Started(application, "FILE")) {
      appender.start();
      meters.bindTo(registry);
      assertThat(appenders()).containsExactly(application.getName() + ".FILE");
    }
  }

  @Test
  void shouldNotStopAnAppenderByARegistryThatFails() {
    MeterRegistry failing =
        new SimpleMeterRegistry() {
          @Override
          protected <T> Gauge newGauge(Meter.Id id, T object, ToDoubleFunction<T> value) {
            throw new IllegalStateException("on purpose");
          }
        };
    try (SpillwayMeters meters = new SpillwayMeters(context)) {
      meters.bindTo(failing);
      new Started(context, "FILE").start().stop();
      assertThat(failing.getMeters()).isEmpty();
    }
    Reports.flush(context);
    assertThat(context.getStatusManager().getCopyOfStatusList())
        .extracting(Status::getMessage)
        .singleElement()
        .asString()
        .contains("on purpose");
  }
}
