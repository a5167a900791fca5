package io.spillway.rolling;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.rolling.RollingPolicy;
import ch.qos.logback.core.rolling.TriggeringPolicy;
import ch.qos.logback.core.spi.ContextAware;
import ch.qos.logback.core.status.Status;
import io.spillway.rolling.RollingRig.Host;
import io.spillway.testkit.Configured;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What cannot work is refused at start, by setting, value and remedy, in either appender. */
@Timeout(60)
class RollingRefusalsTest {
  private static final String ENCODER = "<encoder><pattern>%msg%n</pattern></encoder>";

  @TempDir Path directory;

  private static String policy(String kind, String pattern, String more) {
    return "<file>DIR/app.log</file><rollingPolicy class='io.spillway.rolling."
        + kind
        + "RollingPolicy'><fileNamePattern>DIR/"
        + pattern
        + "</fileNamePattern>"
        + more
        + "</rollingPolicy>"
        + (kind.equals("FixedWindow")
            ? "<triggeringPolicy class='io.spillway.rolling.SizeBasedTriggeringPolicy'/>"
            : "");
  }

  private void assertRefused(String settings, String... fragments) {
    for (String appender : List.of(Configured.STOCK, Configured.SPILLWAY)) {
      try (Configured configured = new Configured(appender, directory, settings + ENCODER)) {
        assertThat(configured.appender("FILE"))
            .matches(file -> file == null || !file.isStarted(), "not started");
        assertThat(configured.context.getStatusManager().getCopyOfStatusList())
            .filteredOn(status -> status.getEffectiveLevel() == Status.ERROR)
            .anySatisfy(status -> assertThat(status.getMessage()).contains(fragments));
        configured.logger.info("goes nowhere, and throws nothing");
        assertThat(directory.resolve("app.log")).doesNotExist();
      }
    }
  }

  /** With such names {@code maxHistory} takes each old archive for one of the last periods. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "app.%d{SSS}.log.gz",
        "app.%d{mm}.log.gz",
        "app.%d{HH}.log.gz",
        "app.%d{HH, UTC}.log",
        "app.%d{HH-mm}.log",
        "app.%d{dd_HH}.log",
        "app.%d{MM-dd_HH}.log",
        "app.%d{MM}.log",
        "%d{dd, aux}/app.%d{HH}.log",
      })
  void shouldRefuseDatesThatRepeat(String pattern) {
    String[] told = {"[fileNamePattern]", "never repeat", "To do: give the date the year"};
    assertRefused(policy("TimeBased", pattern, ""), told);
    String indexed = pattern.replace(".log", ".%i.log");
    assertRefused(policy("SizeAndTimeBased", indexed, "<maxFileSize>1MB</maxFileSize>"), told);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "%d{yyyy-MM-dd, aux}/app.%d{HH}.log.gz",
        "app.%d{HH}.%d{yyyy-DDD, aux}.log.gz",
        "app.%d{yyyy-MM}.log",
        "app.%d{YYYY-ww}.log",
        "app.%d{yyyy-MM-dd_a}.log",
        "app.%d{yyyy-MM-dd_HH-mm-ss-SSS, Europe/Berlin}.log",
      })
  void shouldTakeDatesThatDoNotRepeat(String pattern) {
    String settings = policy("TimeBased", pattern, "") + ENCODER;
    try (Configured configured = new Configured(Configured.STOCK, directory, settings)) {
      configured.file();
      assertThat(configured.complaints()).isEmpty();
    }
  }

  @Test
  void shouldRefuseValuesThatCannotBe() {
    assertRefused(
        policy("FixedWindow", "app.%i.log.gz", "<compressionLevel>10</compressionLevel>"),
        "Setting [compressionLevel] has the value [10]; allowed: a level of [.gz]");
    assertRefused(
        policy("FixedWindow", "app.%i.log.gz", "<compressionLevel>0</compressionLevel>"),
        "Setting [compressionLevel] has the value [0]; allowed: a level of [.gz]");
    assertRefused(
        policy("FixedWindow", "app.%i.log", "<compressionLevel>5</compressionLevel>"),
        "[compressionLevel] has the value [5]; allowed: none");
    assertRefused(
        policy("TimeBased", "app.%d.log.gz", "<compressionCpuShare>0</compressionCpuShare>"),
        "[compressionCpuShare] has the value [0]; allowed: 1 to 100");
    assertRefused(
        policy("FixedWindow", "app.%d.%i.log", ""), "allowed: names without %d", "To do: ");
    assertRefused(
        policy("TimeBased", "app.%d.log", "")
            .replace("<rolling", "<prudent>true</prudent><rolling"),
        "[prudent] has the value [true]; allowed: false");
  }

  /** As one with a character that the locale does not have. */
  @ParameterizedTest
  @EnumSource(Host.class)
  void shouldRefuseNamesThatNoFileCanHave(Host host) {
    for (String[] names : new String[][] {{"app", "app\0."}, {"app\0", "app."}}) {
      String refused = names[0].equals("app") ? "[fileNamePattern]" : "[file]";
      TimeBasedRollingPolicy<ILoggingEvent> time = new TimeBasedRollingPolicy<>();
      time.setFileNamePattern(directory + "/" + names[1] + "%d.log");
      assertRefused(rig(host, names[0]), time, time, refused);
      FixedWindowRollingPolicy window = new FixedWindowRollingPolicy();
      window.setFileNamePattern(directory + "/" + names[1] + "%i.log");
      assertRefused(rig(host, names[0]), window, new OnDemand(), refused);
    }
  }

  @Test
  void shouldRefuseSuchAPatternOfLogbacksPolicies() {
    var stock = new ch.qos.logback.core.rolling.TimeBasedRollingPolicy<ILoggingEvent>();
    stock.setFileNamePattern(directory + "/app\0.%d.log");
    assertRefused(rig(Host.SPILLWAY, "app"), stock, stock, "[fileNamePattern]");
  }

  private RollingRig rig(Host host, String file) {
    RollingRig rig = new RollingRig(host, null);
    rig.appender.setFile(directory + "/" + file + ".log");
    return rig;
  }

  private static <P extends RollingPolicy & ContextAware> void assertRefused(
      RollingRig configured, P policy, TriggeringPolicy<ILoggingEvent> trigger, String setting) {
    try (RollingRig rig = configured.with(policy, trigger)) {
      rig.appender.start();
      assertThat(rig.appender.isStarted()).isFalse();
      assertThat(rig.errors())
          .anySatisfy(
              error ->
                  assertThat(error).contains(setting, "no file can have that name", "To do: "));
    }
  }

  /** Logback's own words. */
  @Test
  void shouldLeaveLogbacksRefusalsToLogback() {
    assertRefused(policy("TimeBased", "app.%d.%i.log", ""), "INCOMPATIBLE");
    assertRefused(policy("SizeAndTimeBased", "app.%d.%i.log", ""), "maxFileSize property");
    assertRefused(policy("SizeAndTimeBased", "app.%d.log", "<maxFileSize>1MB</maxFileSize>"), "%i");
  }
}
