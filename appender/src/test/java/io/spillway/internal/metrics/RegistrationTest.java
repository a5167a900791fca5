package io.spillway.internal.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.core.Context;
import ch.qos.logback.core.ContextBase;
import ch.qos.logback.core.spi.ContextAwareBase;
import ch.qos.logback.core.status.Status;
import io.spillway.metrics.LossCause;
import io.spillway.metrics.SpillwayMetrics;
import io.spillway.testkit.Fork;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.AttributeNotFoundException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.ReflectionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An appender as a JMX client and followers see it. */
@Timeout(120)
class RegistrationTest {
  private static final MBeanServer SERVER = ManagementFactory.getPlatformMBeanServer();

  private final Context context = context("registration");
  private final FakeGauges gauges = new FakeGauges();
  private final Counters counters = new Counters();
  private final SpillwayMetrics metrics = new SpillwayMetrics(gauges.gauges, counters);
  private final List<Registration> added = new ArrayList<>();

  private static Context context(String name) {
    Context context = new ContextBase();
    context.setName(name);
    return context;
  }

  private Registration registration(Context in, String appender) {
    ContextAwareBase origin = new ContextAwareBase();
    origin.setContext(in);
    return new Registration(in, appender, metrics, new Reports(origin));
  }

  private Registration add(Context in, String appender) {
    Registration registration = registration(in, appender);
    registration.add();
    added.add(registration);
    return registration;
  }

  @AfterEach
  void remove() throws Exception {
    added.forEach(Registration::remove);
    assertThat(SERVER.queryNames(new ObjectName("io.spillway:context=\"registration\",*"), null))
        .isEmpty();
  }

  private static ObjectName name(String context, String appender) throws Exception {
    return new ObjectName(
        "io.spillway:type=Appender,context="
            + ObjectName.quote(context)
            + ",name="
            + ObjectName.quote(appender));
  }

  private static List<String> statuses(Context of) {
    Reports.flush(of);
    return of.getStatusManager().getCopyOfStatusList().stream().map(Status::getMessage).toList();
  }

  @Test
  void shouldShowEachMetricWithItsDescription() throws Exception {
    add(context, "FILE");
    gauges.set("accepted", 42L);
    counters.dropped(LossCause.STOPPED);
    ObjectName name = name("registration", "FILE");
    List<String> names = new ArrayList<>();
    for (MBeanAttributeInfo attribute : SERVER.getMBeanInfo(name).getAttributes()) {
      names.add(attribute.getName());
      assertThat(attribute.getDescription()).as(attribute.getName()).isNotBlank();
      assertThat(attribute.isWritable()).isFalse();
      Object value = SERVER.getAttribute(name, attribute.getName());
      String type = attribute.getType().equals("long") ? "java.lang.Long" : attribute.getType();
      assertThat(value).as(attribute.getName()).isInstanceOf(Class.forName(type));
    }
    assertThat(names).containsExactlyElementsOf(SpillwayMetrics.descriptions().keySet());
    assertThat(SERVER.getAttribute(name, "Accepted")).isEqualTo(42L);
    assertThat(SERVER.getAttribute(name, "Health")).isEqualTo("DOWN");
    assertThat((String) SERVER.getAttribute(name, "HealthReason")).contains("(STOPPED). To do: ");
    assertThat(SERVER.getAttribute(name, "LossStopped")).isEqualTo(1L);
  }

  @Test
  void shouldBeReadOnly() throws Exception {
    add(context, "FILE");
    ObjectName name = name("registration", "FILE");
    String[] asked = {"Accepted", "Unknown", "Health"};
    assertThat(SERVER.getAttributes(name, asked).asList())
        .containsExactly(new Attribute("Accepted", 0L), new Attribute("Health", "UP"));
    assertThatThrownBy(() -> SERVER.getAttribute(name, "Unknown"))
        .isInstanceOf(AttributeNotFoundException.class);
    assertThatThrownBy(() -> SERVER.setAttribute(name, new Attribute("Accepted", 1L)))
        .isInstanceOf(AttributeNotFoundException.class);
    AttributeList all = new AttributeList(List.of(new Attribute("Accepted", 1L)));
    assertThat(SERVER.setAttributes(name, all)).isEmpty();
    assertThatThrownBy(() -> SERVER.invoke(name, "stop", null, null))
        .isInstanceOf(ReflectionException.class);
  }

  @Test
  void shouldNumberAppendersOfOneName() throws Exception {
    Context other = context("registration");
    Registration first = add(context, "FILE");
    add(other, "FILE");
    assertThat(SERVER.isRegistered(name("registration", "FILE"))).isTrue();
    assertThat(SERVER.isRegistered(name("registration", "FILE#2"))).isTrue();
    assertThat(statuses(other)).singleElement().asString().contains("is taken");
    first.remove();
    assertThat(SERVER.isRegistered(name("registration", "FILE"))).isFalse();
    assertThat(SERVER.isRegistered(name("registration", "FILE#2"))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"a*b?\"c\",d=e\\:\nf", ""})
  void shouldQuoteWhateverANameHolds(String hostile) throws Exception {
    Context named = context("app*,=\"\\" + hostile);
    add(named, hostile);
    add(null, null);
    assertThat(SERVER.isRegistered(name(named.getName(), hostile))).isTrue();
    assertThat(SERVER.isRegistered(name("", "null"))).isTrue();
    assertThat(statuses(named)).isEmpty();
  }

  private static final class Recorded implements Registration.Follower {
    private final List<String> calls = new ArrayList<>();

    @Override
    public void started(String appender, SpillwayMetrics metrics) {
      calls.add("started " + appender);
    }

    @Override
    public void stopped(SpillwayMetrics metrics) {
      calls.add("stopped");
    }
  }

  @Test
  void shouldTellFollowersOfTheAppendersOfTheirContext() {
    Recorded follower = new Recorded();
    Registration before = add(context, "BEFORE");
    add(context("another"), "OTHER");
    Registration.follow(context, follower);
    try {
      Registration after = add(context, "AFTER");
      before.remove();
      after.remove();
    } finally {
      Registration.unfollow(follower);
    }
    add(context, "LATER");
    assertThat(follower.calls)
        .containsExactly("started BEFORE", "started AFTER", "stopped", "stopped");
  }

  @Test
  void shouldStartWhateverAFollowerThrows() {
    Registration.Follower throwing =
        new Registration.Follower() {
          @Override
          public void started(String appender, SpillwayMetrics metrics) {
            throw new AssertionError("on purpose");
          }

          @Override
          public void stopped(SpillwayMetrics metrics) {
            throw new StackOverflowError("on purpose");
          }
        };
    Registration.follow(context, throwing);
    try {
      add(context, "FILE").remove();
    } finally {
      Registration.unfollow(throwing);
    }
    assertThat(statuses(context)).singleElement().asString().contains("on purpose");
  }

  /** A monitoring tool may come when the appender has long been running. */
  @Test
  void shouldFindAServerAndARecorderThatComeLater() throws Exception {
    try (Fork child = Fork.start(MonitoringChild.class, List.of(), "late")) {
      child.awaitEnd(0);
      assertThat(child.output())
          .contains("servers 0", "early false", "shown 1", "recorded true", "ended");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"java.management,java.naming,java.xml", "java.xml"})
  void shouldWorkInARunTimeWithoutTheModules(String modules) throws Exception {
    try (Fork child = Fork.start(MonitoringChild.class, List.of("--limit-modules=" + modules))) {
      child.awaitEnd(0);
      assertThat(child.output()).contains("health DOWN", "dropped 1", "ended");
      assertThat(child.output().stream().filter(line -> line.contains("No JMX metrics")))
          .hasSize(modules.contains("management") ? 0 : 1);
    }
  }
}
