package io.spillway.rolling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.rolling.DefaultTimeBasedFileNamingAndTriggeringPolicy;
import ch.qos.logback.core.rolling.RollingPolicy;
import ch.qos.logback.core.rolling.TriggeringPolicy;
import ch.qos.logback.core.spi.ContextAware;
import ch.qos.logback.core.util.FileSize;
import io.spillway.internal.compress.FaultyFiles;
import io.spillway.metrics.MonitoredAppender;
import io.spillway.metrics.SpillwayMetrics;
import io.spillway.rolling.RollingRig.Host;
import io.spillway.testkit.Gate;
import io.spillway.testkit.InMemory;
import io.spillway.testkit.Numbered;
import io.spillway.testkit.Tmpfs;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Map;
import java.util.stream.Stream;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A rollover that cannot be: the appender writes on, nothing is lost, and it is made up for. */
@Timeout(60)
class FailedRolloverTest {
  @TempDir(factory = InMemory.class)
  Path directory;

  private RollingRig rig;
  private int logged;
  private volatile boolean failing;
  private final FaultyFiles files =
      new FaultyFiles()
          .hook(
              (operation, file) -> {
                if (failing && operation.equals("rename")) {
                  throw new IOException("Input/output error (by the test)");
                }
              });

  @AfterEach
  void stop() {
    rig.close();
  }

  @SuppressWarnings("unchecked") // the sized policy triggers as well
  private <P extends RollingPolicy & ContextAware & ArchivingPolicy> void start(
      Host host, boolean window) {
    P policy;
    TriggeringPolicy<ILoggingEvent> trigger;
    if (window) {
      FixedWindowRollingPolicy fixed = new FixedWindowRollingPolicy();
      fixed.setFileNamePattern(directory.resolve("app.%i.log").toString());
      fixed.setMaxIndex(20);
      SizeBasedTriggeringPolicy<ILoggingEvent> size = new SizeBasedTriggeringPolicy<>();
      size.setMaxFileSize(FileSize.valueOf("5KB"));
      trigger = size;
      policy = (P) fixed;
    } else {
      SizeAndTimeBasedRollingPolicy<ILoggingEvent> sized = new SizeAndTimeBasedRollingPolicy<>();
      sized.setFileNamePattern(directory.resolve("app.%d{yyyy-MM}.%i.log").toString());
      sized.setMaxFileSize(FileSize.valueOf("5KB"));
      trigger = sized;
      policy = (P) sized;
    }
    policy.archiving().settings.files = files;
    rig = new RollingRig(host, directory.resolve("app.log")).with(policy, trigger).start();
  }

  private void log(int count) {
    for (int i = 0; i < count; i++) {
      rig.log(Numbered.message(logged++));
    }
  }

  private int names() {
    return Tree.names(directory).size();
  }

  @ParameterizedTest
  @CsvSource({"STOCK, true", "STOCK, false", "SPILLWAY, true", "SPILLWAY, false"})
  void shouldWriteOnWhenRenamesFailAndMakeUpForIt(Host host, boolean window) {
    start(host, window);
    failing = true;
    long begin = System.nanoTime();
    log(400);
    long seconds = Duration.ofNanos(System.nanoTime() - begin).toSeconds();
    assertThat(names()).isEqualTo(1);
    assertThat(rig.errors()).isEmpty();
    assertThat(rig.warnings())
        .filteredOn(w -> w.contains("Cannot roll over [") && w.contains("To do: "))
        .hasSizeBetween(1, 2);
    assertThat(rig.warnings().stream().filter(w -> w.contains("RolloverFailure occurred")).count())
        .as("once a second")
        .isBetween(1L, seconds + 2);
    failing = false;
    rig.await(
        "rolled over",
        () -> {
          log(1);
          return names() > 1;
        });
    log(100);
    assertThat(names()).isGreaterThan(2);
    StringBuilder all = new StringBuilder();
    Tree.of(directory).values().stream()
        .sorted(Comparator.comparingInt(c -> Integer.parseInt(c.split(" ", 3)[1])))
        .forEach(all::append);
    Numbered.assertWhole(Numbered.lines(all.toString()), 0, logged);
    assertThat(Tree.names(directory)).contains(window ? "app.1.log" : "app.log");
    if (!window) {
      assertThat(Tree.names(directory))
          .as("a failure uses up no number")
          .anyMatch(name -> name.endsWith(".0.log"));
    }
  }

  /** Nothing else makes the file due, so that the call is all there is to be tried again. */
  @ParameterizedTest
  @EnumSource(Host.class)
  void shouldTryAgainWhatTheApplicationAskedFor(Host host) throws IOException {
    start(host, false);
    rig.log("first");
    failing = true;
    rig.appender.rollover();
    rig.log("second");
    failing = false;
    rig.await(
        "rolled over",
        () -> {
          rig.log("more");
          return names() > 1;
        });
    Path archive =
        directory.resolve(
            Tree.names(directory).stream()
                .filter(n -> n.endsWith(".0.log"))
                .findAny()
                .orElseThrow());
    assertThat(Files.readString(archive)).startsWith("first\nsecond\n");
  }

  /** Logback would give the file of August the name of September. */
  @Test
  void shouldKeepTheNameOfThePeriodThatIsOver() {
    TimeBasedRollingPolicy<ILoggingEvent> policy = new TimeBasedRollingPolicy<>();
    policy.setFileNamePattern(directory + "/app.%d{yyyy-MM, UTC}.log");
    policy.archiving().settings.files = files;
    var clock = new DefaultTimeBasedFileNamingAndTriggeringPolicy<ILoggingEvent>();
    clock.setCurrentTime(Instant.parse("2026-08-15T12:00:00Z").toEpochMilli());
    policy.setTimeBasedFileNamingAndTriggeringPolicy(clock);
    rig = new RollingRig(Host.STOCK, directory.resolve("app.log")).with(policy, policy).start();
    rig.log("a");
    failing = true;
    clock.setCurrentTime(Instant.parse("2026-09-15T12:00:00Z").toEpochMilli());
    rig.log("b");
    failing = false;
    rig.await(
        "rolled over",
        () -> {
          rig.log("c");
          return names() > 1;
        });
    assertThat(Tree.of(directory).get("app.2026-08.log")).startsWith("a\nb\n");
    clock.setCurrentTime(Instant.parse("2026-10-15T12:00:00Z").toEpochMilli());
    rig.log("d");
    assertThat(Tree.of(directory)).containsKey("app.2026-09.log").containsEntry("app.log", "d\n");
  }

  /** A dead NFS or a frozen disk holds the deliverer in the rename, with the lock of the names. */
  @Test
  @Tag("full")
  @Timeout(120)
  void shouldStopInTimeAndAnswerWhileTheRenameHangs() throws Exception {
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    start(Host.SPILLWAY, true);
    rig.log("first");
    Gate disk = new Gate();
    disk.shut();
    files.hook((operation, file) -> disk.pass());
    try {
      rig.appender.rollover();
      rig.give("second");
      rig.give("third");
      rig.await("held", disk::isHolding);
      SpillwayMetrics metrics = ((MonitoredAppender) rig.appender).getMetrics();
      ObjectName pattern = new ObjectName("io.spillway:type=Appender,name=\"FILE\",*");
      assertTimeoutPreemptively(
          Duration.ofSeconds(5),
          () -> {
            assertThat(metrics.getPending()).isEqualTo(2);
            assertThat(metrics.getArchived()).isZero();
            ObjectName name = server.queryNames(pattern, null).iterator().next();
            assertThat(server.getAttribute(name, "ArchiveBacklogFiles")).isEqualTo(0L);
          });
      assertTimeoutPreemptively(Duration.ofSeconds(45), rig.appender::stop);
      assertThat(disk.isHolding()).isTrue();
      assertThat(metrics.getLost()).isZero();
      assertThat(spilled()).contains("second\n", "third\n");
    } finally {
      disk.open();
    }
  }

  private String spilled() throws IOException {
    StringBuilder all = new StringBuilder();
    try (Stream<Path> segments = Files.list(rig.spill)) {
      for (Path segment : segments.filter(each -> each.toString().endsWith(".bytes")).toList()) {
        all.append(Files.readString(segment, StandardCharsets.ISO_8859_1));
      }
    }
    return all.toString();
  }

  @ParameterizedTest
  @CsvSource({"''", ".gz"})
  void shouldCopyToArchivesOnAnotherFileSystem(String suffix) throws IOException {
    try (Tmpfs other = new Tmpfs(directory.resolve("other"), "size=10m")) {
      FixedWindowRollingPolicy policy = new FixedWindowRollingPolicy();
      policy.setFileNamePattern(other.directory() + "/old/app.%i.log" + suffix);
      OnDemand trigger = new OnDemand();
      Path file = directory.resolve("app.log");
      rig = new RollingRig(Host.STOCK, file).with(policy, trigger).start();
      for (String message : new String[] {"one", "two"}) {
        rig.log(message);
        trigger.roll();
      }
      rig.log("three");
      rig.awaitArchived();
      assertThat(Tree.of(other.directory().resolve("old")))
          .isEqualTo(Map.of("app.1.log" + suffix, "two\n", "app.2.log" + suffix, "one\n"));
      assertThat(Files.readString(file)).isEqualTo("three\n");
      rig.close();
    }
  }

  /** A disk for two files at most, and for no archive beside them, until there is room. */
  @Test
  void shouldArchiveOnceAFullDiskHasRoom() throws IOException {
    try (Tmpfs small = new Tmpfs(directory.resolve("small"), "size=3m")) {
      Path logs = small.directory();
      FixedWindowRollingPolicy policy = new FixedWindowRollingPolicy();
      policy.setFileNamePattern(logs + "/app.%i.log.gz");
      OnDemand trigger = new OnDemand();
      rig = new RollingRig(Host.STOCK, logs.resolve("app.log")).with(policy, trigger).start();
      byte[] noise = new byte[700_000];
      new java.util.Random(1).nextBytes(noise);
      String line = java.util.HexFormat.of().formatHex(noise);
      rig.log(line);
      Path filler = Files.write(logs.resolve("filler"), new byte[1_300_000]);
      trigger.roll();
      rig.log("next");
      rig.await("failed", () -> policy.getArchiveMetrics().failures() > 0);
      assertThat(Tree.names(logs)).contains("app.1.log");
      Files.delete(filler);
      rig.await("archived", () -> Files.exists(logs.resolve("app.1.log.gz")));
      rig.await("done", () -> policy.getArchiveMetrics().backlogFiles() == 0);
      assertThat(Tree.of(logs)).isEqualTo(Map.of("app.1.log.gz", line + "\n", "app.log", "next\n"));
      assertThat(rig.errors()).isEmpty();
      rig.close();
    }
  }
}
