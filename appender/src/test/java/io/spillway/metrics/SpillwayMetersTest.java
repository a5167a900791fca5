package io.spillway.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.search.Search;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.spillway.testkit.Configured;
import io.spillway.testkit.Gate;
import io.spillway.testkit.GatedAppender;
import io.spillway.testkit.Hostile;
import io.spillway.testkit.Rig;
import io.spillway.testkit.Subject;
import io.spillway.testkit.Subject.Kind;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The Micrometer binder, with a real registry. */
@Timeout(120)
class SpillwayMetersTest {
  static {
    Awaitility.setDefaultTimeout(Rig.PATIENCE); // machines may be busy
  }

  private static final String MANY =
      """
      <contextName>app</contextName>
      <appender name="FILE" class="ch.qos.logback.core.FileAppender">
        <file>DIR/app.log</file><encoder><pattern>%msg%n</pattern></encoder>
      </appender>
      <appender name="SPILLWAY" class="io.spillway.SpillwayAppender">
        <appender-ref ref="FILE"/>
      </appender>
      <appender name="SIFT" class="ch.qos.logback.classic.sift.SiftingAppender">
        <discriminator><key>tenant</key><defaultValue>none</defaultValue></discriminator>
        <sift>
          <appender name="TENANT" class="io.spillway.SpillwayRollingFileAppender">
            <file>DIR/${tenant}.log</file><encoder><pattern>%msg%n</pattern></encoder>
            <rollingPolicy class="ch.qos.logback.core.rolling.TimeBasedRollingPolicy">
              <fileNamePattern>DIR/${tenant}.%d{yyyy-MM-dd}.log</fileNamePattern>
            </rollingPolicy>
          </appender>
        </sift>
      </appender>
      <root level="INFO"><appender-ref ref="SPILLWAY"/><appender-ref ref="SIFT"/></root>
      """;

  @TempDir Path directory;

  private final MeterRegistry registry = new SimpleMeterRegistry();

  private static double value(Meter meter) {
    return meter instanceof FunctionCounter counter ? counter.count() : ((Gauge) meter).value();
  }

  private Search find(String meter, String appender) {
    return registry.find(meter).tag("appender", appender);
  }

  private Set<String> appenders() {
    return registry.getMeters().stream()
        .map(meter -> meter.getId().getTag("appender"))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @ParameterizedTest
  @EnumSource
  void shouldMeasureWhatTheSnapshotHolds(Kind kind) {
    try (Subject subject = new Subject(kind, directory);
        SpillwayMeters meters = new SpillwayMeters(subject.context())) {
      meters.bindTo(registry);
      assertThat(registry.getMeters()).isEmpty();
      subject.start();
      subject.gate.shut();
      subject.log("0", 0, 20_000);
      await().until(() -> subject.metrics().getSpilled() > 0);
      assertThat(value(find("spillway.health", kind.name()).meter())).isEqualTo(1);
      subject.gate.open();
      subject.awaitDelivered();
      await().until(() -> subject.metrics().getHealth().equals("UP"));
      await().until(() -> subject.metrics().getStallNanos() == 0);

      Snapshot snapshot = subject.metrics().snapshot();
      for (Metric metric : Metric.values()) {
        if (metric.kind() == Metric.Kind.BY_CAUSE || metric == Metric.SPILL_USED) {
          continue; // summed below; freed in the background
        }
        Search found = find(metric.meter(), kind.name());
        double unit = metric.unit() == Metric.Unit.NANOS ? 1e9 : 1;
        assertThat(value(found.meter())).as(metric.name()).isEqualTo(metric.value(snapshot) / unit);
      }
      assertThat(find("spillway.sink.time", kind.name()).meter().getId().getBaseUnit())
          .isEqualTo("seconds");
      assertThat(value(find("spillway.events.delivered", kind.name()).meter())).isEqualTo(20_000);
    }
    assertThat(registry.getMeters()).as("after close").isEmpty();
  }

  @Test
  void shouldCountLossesByCause() {
    GatedAppender nested = new GatedAppender();
    nested.before(
        event -> {
          throw new OutOfMemoryError("on purpose"); // exceptions stay in the appender
        });
    try (Rig rig = new Rig(directory, nested);
        SpillwayMeters meters = new SpillwayMeters(rig.context)) {
      meters.bindTo(registry);
      rig.start();
      for (int i = 0; i < 3; i++) {
        rig.logger.info("event");
      }
      rig.awaitDelivered();
      for (LossCause cause : LossCause.values()) {
        Search lost =
            find("spillway.events.lost", "SPILLWAY")
                .tag("cause", cause.name().toLowerCase(Locale.ROOT))
                .tag("accepted", String.valueOf(!cause.beforeAcceptance()));
        assertThat(value(lost.meter()))
            .as(cause.name())
            .isEqualTo(cause == LossCause.SINK_FAILED ? 3 : 0);
      }
      rig.appender.stop();
      assertThat(registry.getMeters()).as("while it is stopped").isEmpty();
    }
  }

  @Test
  void shouldCountWhatIsDroppedByCauseAndLevel() {
    try (Rig rig = new Rig(directory, new GatedAppender());
        SpillwayMeters meters = new SpillwayMeters(rig.context)) {
      meters.bindTo(registry);
      rig.appender.setWhenFull("DROP");
      rig.appender.setWhenFullMaxAge("1 minute");
      rig.start();
      for (Level level : List.of(Level.DEBUG, Level.INFO, Level.INFO)) {
        LoggingEvent old = new LoggingEvent("fqcn", rig.logger, level, "old", null, null);
        old.setTimeStamp(System.currentTimeMillis() - 3_600_000);
        rig.logger.callAppenders(old);
      }
      rig.awaitDelivered();
      Map<String, Double> dropped = new HashMap<>();
      for (Meter meter : find("spillway.events.lost.by.policy", "SPILLWAY").meters()) {
        String what = meter.getId().getTag("cause") + " " + meter.getId().getTag("level");
        if (value(meter) > 0) {
          dropped.put(what, value(meter));
        }
      }
      assertThat(dropped).isEqualTo(Map.of("expired debug", 1.0, "expired info", 2.0));
    }
  }

  @Test
  void shouldFollowReconfigurationsAndFindNestedAppenders() throws Exception {
    String content = MANY.replace("DIR", directory.toString());
    try (Configured configured = new Configured(content);
        SpillwayMeters meters = new SpillwayMeters(configured.context)) {
      meters.bindTo(registry);
      assertThat(appenders()).containsExactly("SPILLWAY");
      logFor(configured.context, "red");
      logFor(configured.context, "blue");
      await().until(() -> delivered("SPILLWAY") == 2);
      await().until(() -> delivered("TENANT") == 1 && delivered("TENANT#2") == 1);
      int meterCount = registry.getMeters().size();

      JmxTest.reconfigure(configured.context, content);
      assertThat(appenders()).containsExactly("SPILLWAY");
      logFor(configured.context, "red");
      await().until(() -> delivered("SPILLWAY") == 1 && delivered("TENANT") == 1);
      logFor(configured.context, "blue");
      await().until(() -> registry.getMeters().size() == meterCount);
    }
    assertThat(registry.getMeters()).isEmpty();
  }

  private static void logFor(LoggerContext context, String tenant) {
    org.slf4j.spi.MDCAdapter mdc = context.getMDCAdapter();
    mdc.put("tenant", tenant);
    context.getLogger("test").info("event of {}", tenant);
    mdc.clear();
  }

  private double delivered(String appender) {
    Meter meter = find("spillway.events.delivered", appender).meter();
    return meter == null ? -1 : value(meter);
  }

  @Test
  void shouldKeepToItsContext() {
    try (Rig bound = new Rig(directory.resolve("1"), new GatedAppender()).start();
        Rig other = new Rig(directory.resolve("2"), new GatedAppender());
        SpillwayMeters meters = new SpillwayMeters(bound.context)) {
      meters.bindTo(registry);
      int before = registry.getMeters().size();
      other.start();
      assertThat(registry.getMeters()).hasSize(before);
      assertThat(List.copyOf(appenders())).containsExactly("SPILLWAY");
      try (SpillwayMeters both = new SpillwayMeters(other.context)) {
        both.bindTo(registry);
        assertThat(appenders()).as("contexts of one name").contains("SPILLWAY#2");
      }
      assertThat(appenders()).containsExactly("SPILLWAY");
    }
  }

  @Test
  void shouldNotStopAnAppenderByARegistryThatFails() {
    MeterRegistry closed =
        new SimpleMeterRegistry() {
          @Override
          protected <T> Gauge newGauge(
              Meter.Id id, T object, java.util.function.ToDoubleFunction<T> value) {
            throw new IllegalStateException("on purpose");
          }
        };
    try (Rig rig = new Rig(directory, new GatedAppender());
        SpillwayMeters meters = new SpillwayMeters(rig.context)) {
      meters.bindTo(closed);
      rig.start();
      assertThat(rig.statuses()).anyMatch(status -> status.contains("on purpose"));
    }
  }

  private static Stream<Throwable> thrown() {
    return Stream.of(new AssertionError("on purpose"), new Hostile());
  }

  @SuppressWarnings("unchecked") // throws a checked exception where none is declared
  private static <T extends Throwable> void sneak(Throwable t) throws T {
    throw (T) t;
  }

  /** A listener is foreign code, and there may be a check of it that fails. */
  @ParameterizedTest
  @MethodSource("thrown")
  void shouldStartAnAppenderWhateverAListenerThrows(Throwable thrown) {
    LiveAppenders.Listener failing =
        new LiveAppenders.Listener() {
          @Override
          public void started(String appender, SpillwayMetrics metrics) {
            SpillwayMetersTest.<RuntimeException>sneak(thrown);
          }

          @Override
          public void stopped(SpillwayMetrics metrics) {
            SpillwayMetersTest.<RuntimeException>sneak(thrown);
          }
        };
    GatedAppender nested = new GatedAppender();
    try (Rig rig = new Rig(directory, nested)) {
      LiveAppenders.follow(rig.context, failing);
      rig.start().logger.info("event");
      rig.awaitDelivered();
      assertThat(rig.statuses())
          .anyMatch(status -> status.contains("failed: " + thrown.getClass().getName()));
    } finally {
      LiveAppenders.unfollow(failing);
    }
  }

  private static Thread inBackground(Runnable work) {
    Thread thread = new Thread(work);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  /** A log call through a SiftingAppender holds a lock while it starts an appender. */
  @Test
  void shouldHoldUpNoStartByAListenerThatWaitsForWhoStarts() {
    CountDownLatch listening = new CountDownLatch(1);
    CompletableFuture<Void> started = new CompletableFuture<>();
    CompletableFuture<Boolean> inTime = new CompletableFuture<>();
    LiveAppenders.Listener waiting =
        new LiveAppenders.Listener() {
          @Override
          public void started(String appender, SpillwayMetrics metrics) {
            listening.countDown();
            try {
              started.get(10, TimeUnit.SECONDS);
              inTime.complete(true);
            } catch (InterruptedException | ExecutionException | TimeoutException e) {
              inTime.completeExceptionally(e);
            }
          }

          @Override
          public void stopped(SpillwayMetrics metrics) {}
        };
    try (Rig running = new Rig(directory.resolve("running"), new GatedAppender()).start();
        Rig starting = new Rig(directory.resolve("starting"), new GatedAppender())) {
      Thread follower = inBackground(() -> LiveAppenders.follow(running.context, waiting));
      await().until(() -> listening.getCount() == 0);

      inBackground(starting::start);

      await().until(starting.appender::isStarted);
      started.complete(null);
      await().until(() -> !follower.isAlive());
      assertThat(inTime).isCompletedWithValue(true);
    } finally {
      LiveAppenders.unfollow(waiting);
    }
  }

  /** It may wait for the thread that closes, and what it gets by then is not kept. */
  @Test
  void shouldCloseBesideAStartThatARegistryHoldsUp() {
    Gate adding = new Gate();
    registry.config().onMeterAdded(meter -> adding.pass());
    try (Rig rig = new Rig(directory, new GatedAppender());
        SpillwayMeters meters = new SpillwayMeters(rig.context)) {
      meters.bindTo(registry);
      adding.shut();
      Thread starter = inBackground(rig::start);
      try {
        await().until(adding::isHolding);
        Thread closer = inBackground(meters::close);
        await("close").atMost(10, TimeUnit.SECONDS).until(() -> !closer.isAlive());
      } finally {
        adding.open();
      }
      await("start").until(() -> !starter.isAlive());
      assertThat(registry.getMeters()).isEmpty();
    }
  }
}
