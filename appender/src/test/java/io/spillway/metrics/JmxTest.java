package io.spillway.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.joran.spi.JoranException;
import io.spillway.testkit.Configured;
import io.spillway.testkit.GatedAppender;
import io.spillway.testkit.Rig;
import io.spillway.testkit.Subject;
import io.spillway.testkit.Subject.Kind;
import java.io.ByteArrayInputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import javax.management.openmbean.TabularData;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The appenders as a JMX client sees them. */
@Tag("own")
@Timeout(120)
class JmxTest {
  static {
    Awaitility.setDefaultTimeout(Rig.PATIENCE); // machines may be busy
  }

  private static final MBeanServer SERVER = ManagementFactory.getPlatformMBeanServer();

  @TempDir Path directory;

  private static Set<ObjectName> registered() throws Exception {
    return SERVER.queryNames(new ObjectName("io.spillway:type=Appender,*"), null);
  }

  private static ObjectName name(String context, String appender) throws Exception {
    return new ObjectName(
        "io.spillway:type=Appender,context="
            + ObjectName.quote(context)
            + ",name="
            + ObjectName.quote(appender));
  }

  @ParameterizedTest
  @EnumSource
  void shouldHaveMetricsThatSayThatItIsNotStarted(Kind kind) throws Exception {
    try (Subject subject = new Subject(kind, directory)) {
      subject.settings().setQueueSize("none");
      subject.appender().start();
      SpillwayMetrics metrics = subject.metrics();
      assertThat(metrics.snapshot().started()).isFalse();
      assertThat(metrics.getHealth()).isEqualTo("DOWN");
      assertThat(metrics.getHealthReason()).contains("not started", "To do: ");
      for (Metric metric : Metric.values()) {
        long expected = metric == Metric.HEALTH ? Health.Status.DOWN.ordinal() : 0;
        assertThat(metrics.value(metric)).as(metric.attribute()).isEqualTo(expected);
      }
      assertThat(metrics.getLossByCause()).hasSize(LossCause.values().length).containsValue(0L);
      assertThat(registered()).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldShowWhatTheSnapshotHolds(Kind kind) throws Exception {
    try (Subject subject = new Subject(kind, directory)) {
      subject.settings().setMemoryBuffer("64 KB");
      subject.start();
      subject.gate.shut();
      subject.log("0", 0, 20_000);
      await().until(() -> subject.metrics().getSpilled() > 0);
      subject.gate.open();
      subject.awaitDelivered();
      await().until(() -> subject.metrics().getStallNanos() == 0);

      ObjectName name = name("subject", kind.name());
      await().until(() -> SERVER.getAttribute(name, "Health").equals("UP"));
      Snapshot snapshot = subject.metrics().snapshot();
      assertThat(snapshot.events().accepted()).isEqualTo(20_000);
      for (Metric metric : Metric.values()) {
        Object shown = SERVER.getAttribute(name, metric.attribute());
        long value = metric.value(snapshot);
        Object expected =
            metric == Metric.HEALTH ? (Object) Health.Status.values()[(int) value].name() : value;
        if (metric != Metric.SPILL_USED) { // freed in the background
          assertThat(shown).as(metric.attribute()).isEqualTo(expected);
        }
      }
      assertThat((long) SERVER.getAttribute(name, "LongestStallNanos")).isPositive();
      assertThat((long) SERVER.getAttribute(name, "SpillEpisodes")).isPositive();
      assertThat(((TabularData) SERVER.getAttribute(name, "LossByCause")).size())
          .isEqualTo(LossCause.values().length);
      TabularData byLevel = (TabularData) SERVER.getAttribute(name, "LossByLevel");
      assertThat(byLevel.values())
          .hasSize(3)
          .allMatch(row -> ((TabularData) ((CompositeData) row).get("value")).size() == 5);
      assertThat(SERVER.getAttribute(name, "HealthReason")).isEqualTo("");
    }
  }

  @Test
  void shouldListEveryAttributeInMetric() throws Exception {
    try (Rig rig = new Rig(directory, new GatedAppender()).start()) {
      Set<String> attributes =
          Arrays.stream(
                  SERVER.getMBeanInfo(name(rig.context.getName(), "SPILLWAY")).getAttributes())
              .map(MBeanAttributeInfo::getName)
              .collect(Collectors.toCollection(TreeSet::new));
      Stream<String> metrics = Arrays.stream(Metric.values()).map(Metric::attribute);
      assertThat(attributes)
          .containsExactlyInAnyOrderElementsOf(
              Stream.concat(metrics, Stream.of("LossByCause", "LossByLevel", "HealthReason"))
                  .toList());
    }
  }

  @Test
  void shouldShowHowLongTheOldestEventWaits() throws Exception {
    GatedAppender nested = new GatedAppender();
    try (Rig rig = new Rig(directory, nested).start()) {
      nested.shut();
      rig.logger.info("one");
      ObjectName name = name("rig", "SPILLWAY");
      await().until(() -> (long) SERVER.getAttribute(name, "OldestPendingNanos") > 50_000_000);
      assertThat((long) SERVER.getAttribute(name, "StallNanos")).isPositive();
      assertThat((long) SERVER.getAttribute(name, "Pending")).isEqualTo(1);
      nested.open();
      rig.awaitDelivered();
      assertThat((long) SERVER.getAttribute(name, "OldestPendingNanos")).isZero();
    }
  }

  @Test
  void shouldQuoteWhateverANameHolds() throws Exception {
    String hostile = "a*b?\"c\",d=e\\:\nf";
    LoggerContext context = new LoggerContext();
    context.setName("app*,=\"\\");
    context.setMDCAdapter(new LogbackMDCAdapter());
    try (Subject subject = new Subject(Kind.WRAPPED, directory, context)) {
      subject.appender().setName(hostile);
      subject.start();
      assertThat(registered()).containsExactly(name(context.getName(), hostile));
      assertThat(context.getStatusManager().getCopyOfStatusList())
          .noneMatch(status -> status.getMessage().contains("JMX"));
    }
    assertThat(registered()).isEmpty();
  }

  @Test
  void shouldGoOnWithoutANameOfTheAppender() throws Exception {
    try (Rig rig = new Rig(directory, new GatedAppender())) {
      rig.appender.setName(null);
      rig.start();
      assertThat(registered()).hasSize(1);
    }
    assertThat(registered()).isEmpty();
  }

  private static final String TWO =
      """
      <contextName>app</contextName>
      <appender name="FILE" class="ch.qos.logback.core.FileAppender">
        <file>DIR/app.log</file><encoder><pattern>%msg%n</pattern></encoder>
      </appender>
      <appender name="WRAPPED" class="io.spillway.SpillwayAppender">
        <appender-ref ref="FILE"/>
      </appender>
      <appender name="OWN" class="io.spillway.SpillwayRollingFileAppender">
        <file>DIR/own.log</file><encoder><pattern>%msg%n</pattern></encoder>
        <rollingPolicy class="ch.qos.logback.core.rolling.TimeBasedRollingPolicy">
          <fileNamePattern>DIR/own.%d{yyyy-MM-dd}.log</fileNamePattern>
        </rollingPolicy>
      </appender>
      <root level="INFO"><appender-ref ref="WRAPPED"/><appender-ref ref="OWN"/></root>
      """;

  static void reconfigure(LoggerContext context, String content) throws JoranException {
    context.reset();
    ch.qos.logback.classic.joran.JoranConfigurator configurator =
        new ch.qos.logback.classic.joran.JoranConfigurator();
    configurator.setContext(context);
    String xml = "<configuration>" + content + "</configuration>";
    configurator.doConfigure(new ByteArrayInputStream(xml.getBytes(StandardCharsets.UTF_8)));
  }

  @Test
  void shouldKeepTwoContextsOfOneNameApartThroughReconfigurations() throws Exception {
    String one = TWO.replace("DIR", directory.resolve("one").toString());
    String two = TWO.replace("DIR", directory.resolve("two").toString());
    try (Configured first = new Configured(one)) {
      try (Configured second = new Configured(two)) {
        List<ObjectName> both =
            List.of(
                name("app", "WRAPPED"),
                name("app", "OWN"),
                name("app", "WRAPPED#2"),
                name("app", "OWN#2"));
        assertThat(registered()).containsExactlyInAnyOrderElementsOf(both);
        for (int i = 0; i < 3; i++) {
          reconfigure(first.context, one);
          reconfigure(second.context, two);
          assertThat(registered()).containsExactlyInAnyOrderElementsOf(both);
        }
        for (int i = 0; i < 7; i++) {
          first.logger.info("event");
        }
        await().until(() -> (long) SERVER.getAttribute(name("app", "OWN"), "Delivered") == 7);
        assertThat(SERVER.getAttribute(name("app", "OWN#2"), "Accepted")).isEqualTo(0L);
      }
      assertThat(registered())
          .containsExactlyInAnyOrder(name("app", "WRAPPED"), name("app", "OWN"));
    }
    assertThat(registered()).isEmpty();
  }
}
