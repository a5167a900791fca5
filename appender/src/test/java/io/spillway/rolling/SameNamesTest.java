package io.spillway.rolling;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.rolling.DefaultTimeBasedFileNamingAndTriggeringPolicy;
import ch.qos.logback.core.rolling.RollingPolicy;
import ch.qos.logback.core.rolling.SizeAndTimeBasedFileNamingAndTriggeringPolicy;
import ch.qos.logback.core.rolling.TimeBasedFileNamingAndTriggeringPolicy;
import ch.qos.logback.core.rolling.TriggeringPolicy;
import ch.qos.logback.core.spi.ContextAware;
import ch.qos.logback.core.util.FileSize;
import io.spillway.rolling.RollingRig.Host;
import io.spillway.testkit.InMemory;
import io.spillway.testkit.Probe;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Logback's policies and ours get the same events at the same times; what they leave must have the
 * same names and the same contents.
 */
@Timeout(60)
class SameNamesTest {
  private static final boolean FULL = Boolean.getBoolean("spillway.test.full");
  private static final int EVENTS = FULL ? 200 : 45;
  private static final long START = Instant.parse("2026-01-30T21:10:00Z").toEpochMilli();

  @TempDir(factory = InMemory.class)
  Path directory;

  private long now = START;

  /** What one configuration is like. */
  private record Setup(
      String pattern, boolean withFile, int maxHistory, long cap, long maxFileSize) {}

  // pattern, minutes from event to event, maxHistory, totalSizeCap
  @ParameterizedTest(name = "{0} every {1} minutes, keeps {2} and {3} bytes")
  @CsvSource(
      delimiter = '|',
      value = {
        "app.%d{yyyy-MM-dd_HH}.log | 25 | 0 | 0",
        "app.%d{yyyy-MM-dd_HH}.log.gz | 25 | 5 | 0",
        "app.%d{yyyy-MM-dd_HH}.log.gz | 250 | 5 | 0",
        "app.%d{yyyy-MM-dd_HH}.log | 25 | 8 | 300",
        "app.%d.log.gz | 700 | 6 | 0",
        "app.%d{yyyy-MM-dd}.zip | 700 | 3 | 0",
        "app.%d{yyyy-ww}.log.gz | 4000 | 4 | 0",
        "app.%d{yyyy-MM}.log.gz | 17000 | 3 | 0",
        "%d{yyyy/MM/dd}/app.log.gz | 700 | 4 | 0",
        "%d{yyyy/MM, aux}/app.%d{yyyy-MM-dd}.log | 1500 | 20 | 0",
        "old/%d{yyyy-MM-dd}/%d{HH, aux}.log.gz | 700 | 4 | 0",
        "app.%d{yyyy-MM-dd_HH, Asia/Kathmandu}.log.gz | 25 | 6 | 0",
        "app.%d{yyyy-MM-dd, Pacific/Auckland}.log | 500 | 6 | 200",
        "app+(1)[2].%d{yyyy-MM-dd_HH-mm}.log.gz | 1 | 10 | 0",
      })
  void shouldNameAndKeepAsTimeBased(String pattern, int minutes, int maxHistory, long cap)
      throws IOException {
    for (boolean withFile : new boolean[] {true, false}) {
      assertSame(new Setup(pattern, withFile, maxHistory, cap, 0), Duration.ofMinutes(minutes));
    }
  }

  @ParameterizedTest(name = "{0} every {1} minutes, keeps {2} and {3} bytes")
  @CsvSource(
      delimiter = '|',
      value = {
        "app.%d{yyyy-MM-dd_HH}.%i.log | 7 | 0 | 0",
        "app.%d{yyyy-MM-dd_HH}.%i.log.gz | 7 | 4 | 0",
        "app.%d{yyyy-MM-dd}.%03i.log | 70 | 9 | 900",
        "app.%d{yyyy-MM-dd}.%i.log.gz | 70 | 9 | 500",
        "%d{yyyy-MM}/%d{dd, aux}/app.%i.log.gz | 7 | 3 | 0",
        "app-%i-%d{yyyy-MM-dd, Pacific/Auckland}.zip | 100 | 4 | 0",
      })
  void shouldNameAndKeepAsSizeAndTimeBased(String pattern, int minutes, int maxHistory, long cap)
      throws IOException {
    for (boolean withFile : new boolean[] {true, false}) {
      assertSame(new Setup(pattern, withFile, maxHistory, cap, 100), Duration.ofMinutes(minutes));
    }
  }

  @ParameterizedTest(name = "{0}, {1} to {2}")
  @CsvSource({
    "app.%i.log, 1, 4",
    "app.%i.log.gz, 1, 7",
    "app.%i.log.gz, 0, 3",
    "old/%i/app.log.zip, 1, 3",
    "app.%02i.log.gz, 1, 12",
    "app.%i.log.gz, 5, 5",
    "app.%i.log, 1, 30",
  })
  void shouldNameAndKeepAsFixedWindow(String pattern, int min, int max) {
    Path stock = directory.resolve("stock");
    var theirs = new ch.qos.logback.core.rolling.FixedWindowRollingPolicy();
    theirs.setFileNamePattern(stock.resolve(pattern).toString());
    theirs.setMinIndex(min);
    theirs.setMaxIndex(max);
    driveWindow(Host.STOCK, stock, theirs).close();
    Map<String, String> expected = Tree.of(stock);
    assertThat(expected).hasSizeGreaterThan(1);
    for (Host host : Host.values()) {
      Path logs = directory.resolve(host.name());
      FixedWindowRollingPolicy ours = new FixedWindowRollingPolicy();
      ours.setFileNamePattern(logs.resolve(pattern).toString());
      ours.setMinIndex(min);
      ours.setMaxIndex(max);
      RollingRig rig = driveWindow(host, logs, ours);
      try (rig) {
        Probe.await(
            "same as Logback: " + expected,
            () -> expected.equals(Tree.of(logs)),
            () -> Tree.of(logs) + ", " + rig.statuses());
      }
    }
  }

  private static <P extends RollingPolicy & ContextAware> RollingRig driveWindow(
      Host host, Path logs, P rolling) {
    OnDemand trigger = new OnDemand();
    RollingRig rig = new RollingRig(host, logs.resolve("app.log")).with(rolling, trigger).start();
    for (int i = 0; i < 26; i++) {
      trigger.roll();
      rig.log("message " + i);
      rig.log("more of " + i);
    }
    return rig;
  }

  private void assertSame(Setup setup, Duration step) throws IOException {
    Path base = directory.resolve(setup.withFile ? "with" : "without");
    Path stock = base.resolve("stock");
    prepare(stock, setup);
    drive(Host.STOCK, stock, setup, stockPolicy(stock, setup), step).close();
    Map<String, String> expected = Objects.requireNonNull(Tree.of(stock));
    assertThat(expected).hasSizeGreaterThan(2);
    boolean both = FULL || setup.withFile && setup.pattern.endsWith(".gz");
    for (Host host : both ? Host.values() : new Host[] {Host.STOCK}) {
      Path logs = base.resolve(host.name());
      prepare(logs, setup);
      TimeBasedRollingPolicy<ILoggingEvent> ours = policy(logs, setup);
      RollingRig rig = drive(host, logs, setup, ours, step);
      try (rig) {
        Probe.await(
            "same as Logback: " + expected.keySet(),
            () -> expected.equals(Tree.of(logs)),
            () -> Tree.of(logs) + ", " + rig.statuses());
      }
    }
  }

  /** Older archives, to be expired, and foreign files, to be left alone. */
  private void prepare(Path logs, Setup setup) throws IOException {
    now = START;
    Files.createDirectories(logs);
    Files.writeString(logs.resolve("appXlog"), "foreign");
    Files.writeString(logs.resolve("app.2020-13-77.txt"), "foreign");
  }

  private ch.qos.logback.core.rolling.TimeBasedRollingPolicy<ILoggingEvent> stockPolicy(
      Path logs, Setup setup) {
    return configured(new ch.qos.logback.core.rolling.TimeBasedRollingPolicy<>(), logs, setup);
  }

  private TimeBasedRollingPolicy<ILoggingEvent> policy(Path logs, Setup setup) {
    return configured(new TimeBasedRollingPolicy<>(), logs, setup);
  }

  /** Sizes through Logback's nested policy, whose clock can be set before the start. */
  private <P extends ch.qos.logback.core.rolling.TimeBasedRollingPolicy<ILoggingEvent>>
      P configured(P policy, Path logs, Setup setup) {
    policy.setFileNamePattern(logs.resolve(setup.pattern).toString());
    policy.setMaxHistory(setup.maxHistory);
    policy.setContext(new SynchronousContext()); // it logs in setters
    policy.setTotalSizeCap(new FileSize(setup.cap));
    policy.setCleanHistoryOnStart(true);
    TimeBasedFileNamingAndTriggeringPolicy<ILoggingEvent> naming;
    if (setup.maxFileSize > 0) {
      var sized = new SizeAndTimeBasedFileNamingAndTriggeringPolicy<ILoggingEvent>();
      sized.setMaxFileSize(new FileSize(setup.maxFileSize));
      naming = sized;
    } else {
      naming = new DefaultTimeBasedFileNamingAndTriggeringPolicy<>();
    }
    naming.setCurrentTime(now);
    policy.setTimeBasedFileNamingAndTriggeringPolicy(naming);
    return policy;
  }

  @SuppressWarnings("unchecked") // each of these policies triggers as well
  private <P extends RollingPolicy & ContextAware> RollingRig drive(
      Host host, Path logs, Setup setup, P policy, Duration step) {
    Path file = setup.withFile ? logs.resolve("app.log") : null;
    RollingRig rig =
        new RollingRig(host, file).with(policy, (TriggeringPolicy<ILoggingEvent>) policy).start();
    for (int i = 0; i < EVENTS; i++) {
      if (policy instanceof ch.qos.logback.core.rolling.TimeBasedRollingPolicy<?> stock) {
        stock.getTimeBasedFileNamingAndTriggeringPolicy().setCurrentTime(now);
      }
      rig.log("message " + i + " at " + Instant.ofEpochMilli(now));
      if (setup.cap > 0) { // what waits counts in full, and Logback's never waits
        rig.awaitArchived();
      }
      now += step.toMillis();
    }
    return rig;
  }

  @ParameterizedTest
  @EnumSource(Host.class)
  void shouldContinueWhereLogbackStopped(Host host) throws IOException {
    Setup setup = new Setup("app.%d{yyyy-MM-dd_HH}.%i.log.gz", true, 5, 0, 100);
    Path stock = directory.resolve("stock");
    Path logs = directory.resolve("logs");
    for (Path each : new Path[] {stock, logs}) {
      prepare(each, setup);
      drive(Host.STOCK, each, setup, stockPolicy(each, setup), Duration.ofMinutes(7)).close();
    }
    Files.setLastModifiedTime(
        stock.resolve("app.log"), java.nio.file.attribute.FileTime.fromMillis(now));
    Files.setLastModifiedTime(
        logs.resolve("app.log"), java.nio.file.attribute.FileTime.fromMillis(now));
    long restart = now;
    drive(Host.STOCK, stock, setup, stockPolicy(stock, setup), Duration.ofMinutes(7)).close();
    Map<String, String> expected = Tree.of(stock);
    now = restart;
    RollingRig rig = drive(host, logs, setup, policy(logs, setup), Duration.ofMinutes(7));
    try (rig) {
      Probe.await(
          "same as Logback: " + expected.keySet(),
          () -> expected.equals(Tree.of(logs)),
          () -> Tree.of(logs) + ", " + rig.statuses());
    }
  }
}
