package io.spillway.rolling;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.spi.ILoggingEvent;
import io.spillway.rolling.RollingRig.Host;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Files end with the event that reaches the size, and not one event later. */
@Timeout(60)
class SizeTriggersTest {
  private static final int SIZE = 1_000;

  @TempDir Path directory;
  private RollingRig rig;

  @AfterEach
  void stop() {
    rig.close();
  }

  private Path logs() {
    return directory.resolve("logs");
  }

  private FixedWindowRollingPolicy window() {
    FixedWindowRollingPolicy policy = new FixedWindowRollingPolicy();
    policy.setFileNamePattern(logs().resolve("app.%i.log").toString());
    policy.setMaxIndex("20");
    return policy;
  }

  @ParameterizedTest
  @EnumSource(Host.class)
  void shouldEndFilesWithTheEventThatReachesTheSize(Host host) {
    SizeBasedTriggeringPolicy<ILoggingEvent> trigger = new SizeBasedTriggeringPolicy<>();
    trigger.setMaxFileSize(String.valueOf(SIZE));
    rig = new RollingRig(host, logs().resolve("app.log")).with(window(), trigger).start();
    logEvents(400);
    assertExactSizes(6);
  }

  @ParameterizedTest
  @EnumSource(Host.class)
  void shouldEndFilesOfPeriodsWithTheEventThatReachesTheSize(Host host) {
    SizeAndTimeBasedRollingPolicy<ILoggingEvent> policy = new SizeAndTimeBasedRollingPolicy<>();
    policy.setFileNamePattern(logs().resolve("app.%d{yyyy-MM}.%i.log").toString());
    policy.setMaxFileSize(String.valueOf(SIZE));
    rig = new RollingRig(host, logs().resolve("app.log")).with(policy, policy).start();
    logEvents(400);
    assertExactSizes(6);
  }

  @Test
  void shouldBeExactWithLogbacksRollingPolicyToo() {
    SizeBasedTriggeringPolicy<ILoggingEvent> trigger = new SizeBasedTriggeringPolicy<>();
    trigger.setMaxFileSize(String.valueOf(SIZE));
    var policy = new ch.qos.logback.core.rolling.FixedWindowRollingPolicy();
    policy.setFileNamePattern(logs().resolve("app.%i.log").toString());
    policy.setMaxIndex(20);
    rig = new RollingRig(Host.STOCK, logs().resolve("app.log")).with(policy, trigger).start();
    logEvents(400);
    assertExactSizes(6);
  }

  @Test
  void shouldCountWhatAnEarlierRunWrote() throws IOException {
    Files.createDirectories(logs());
    Files.writeString(logs().resolve("app.log"), "x".repeat(SIZE - 10) + "\n");
    SizeBasedTriggeringPolicy<ILoggingEvent> trigger = new SizeBasedTriggeringPolicy<>();
    trigger.setMaxFileSize(String.valueOf(SIZE));
    rig = new RollingRig(Host.STOCK, logs().resolve("app.log")).with(window(), trigger).start();
    logEvents(2);
    awaitNumbered();
    assertThat(Files.size(logs().resolve("app.1.log"))).isBetween((long) SIZE, SIZE + 60L);
  }

  @Test
  void shouldNotOvershootByMoreThanOneEventAThread() throws InterruptedException {
    SizeBasedTriggeringPolicy<ILoggingEvent> trigger = new SizeBasedTriggeringPolicy<>();
    trigger.setMaxFileSize("50KB");
    rig = new RollingRig(Host.STOCK, logs().resolve("app.log")).with(window(), trigger).start();
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 8; t++) {
      threads.add(new Thread(() -> logEvents(1_000)));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
    awaitNumbered();
    Map<String, String> files = Tree.of(logs());
    assertThat(files).hasSizeGreaterThan(3);
    files.forEach(
        (name, content) -> {
          assertThat(content.length()).as(name).isLessThan(50 * 1024 + 8 * 60);
          if (!name.equals("app.log")) {
            assertThat(content.length()).as(name).isGreaterThan(50 * 1024 - 8 * 60);
          }
        });
  }

  @ParameterizedTest
  @EnumSource(Host.class)
  void shouldRollOverWhenThePeriodEndsAsWell(Host host) throws IOException {
    long[] now = {millis(LocalDateTime.of(2026, 5, 1, 23, 50))};
    Files.createDirectories(logs());
    Path file = Files.writeString(logs().resolve("app.log"), "of the day before\n");
    Files.setLastModifiedTime(
        file, FileTime.fromMillis(millis(LocalDateTime.of(2026, 4, 30, 12, 0))));
    SizeOrTimeBasedTriggeringPolicy<ILoggingEvent> trigger =
        new SizeOrTimeBasedTriggeringPolicy<>();
    trigger.setMaxFileSize(String.valueOf(SIZE));
    trigger.clock = () -> now[0];
    rig = new RollingRig(host, file).with(window(), trigger).start();

    rig.log("day one");
    now[0] += 600_000;
    rig.log("day two");
    rig.log("still day two");
    for (int i = 0; i < 20; i++) {
      rig.log("x".repeat(SIZE / 10));
    }
    now[0] += 86_400_000;
    rig.log("day three");

    awaitNumbered();
    Map<String, String> files = Tree.of(logs());
    assertThat(files.keySet())
        .as(() -> files.toString())
        .containsExactly("app.1.log", "app.2.log", "app.3.log", "app.4.log", "app.log");
    assertThat(files.get("app.4.log")).isEqualTo("of the day before\n");
    assertThat(files.get("app.3.log")).isEqualTo("day one\n");
    assertThat(files.get("app.2.log"))
        .startsWith("day two\nstill day two\nx")
        .hasSizeLessThan(1200);
    assertThat(files.get("app.1.log")).startsWith("x").endsWith("x\n");
    assertThat(files.get("app.log")).isEqualTo("day three\n");
  }

  /** The application, or a policy's attempt that was delayed, has rolled it over already. */
  @Test
  void shouldEndThePeriodOnceAFileThatDidNotAnswerDoesSo() throws IOException {
    Path real = Files.createDirectories(logs());
    Files.writeString(real.resolve("app.log"), "a");
    Path current = Files.createSymbolicLink(directory.resolve("current"), real);
    File file = current.resolve("app.log").toFile();
    long[] now = {System.currentTimeMillis()};
    SizeOrTimeBasedTriggeringPolicy<ILoggingEvent> trigger =
        new SizeOrTimeBasedTriggeringPolicy<>();
    trigger.clock = () -> now[0];
    rig = new RollingRig(Host.STOCK, real.resolve("app.log")).with(window(), trigger).start();
    assertThat(trigger.isTriggeringEvent(file, null)).isFalse();
    now[0] += Duration.ofDays(1).toMillis();
    Files.delete(current);
    Files.createSymbolicLink(current, current);
    assertThat(trigger.isTriggeringEvent(file, null)).as("not while it is away").isFalse();
    Files.delete(current);
    Files.createSymbolicLink(current, real);
    assertThat(trigger.isTriggeringEvent(file, null)).isTrue();
    Files.delete(current);
    Files.createSymbolicLink(current, current);
    assertThat(trigger.isTriggeringEvent(file, null)).isFalse();
    Files.delete(current);
    Files.createSymbolicLink(current, real);
    rig.await("asked again", () -> trigger.isTriggeringEvent(file, null)); // that rollover failed
  }

  @ParameterizedTest
  @EnumSource(Host.class)
  void shouldNotEndTheFileOfARolloverThatItDidNotAskFor(Host host) {
    long[] now = {millis(LocalDateTime.of(2026, 5, 1, 12, 0))};
    SizeOrTimeBasedTriggeringPolicy<ILoggingEvent> trigger =
        new SizeOrTimeBasedTriggeringPolicy<>();
    trigger.setMaxFileSize(String.valueOf(SIZE));
    trigger.clock = () -> now[0];
    rig = new RollingRig(host, logs().resolve("app.log")).with(window(), trigger).start();

    rig.log("a");
    now[0] += 86_400_000;
    rig.appender.rollover();
    rig.log("b");
    rig.log("c");
    awaitNumbered();
    assertThat(Tree.of(logs()))
        .containsOnly(Map.entry("app.1.log", "a\n"), Map.entry("app.log", "b\nc\n"));

    now[0] += 86_400_000;
    rig.log("d");
    awaitNumbered();
    assertThat(Tree.of(logs()))
        .as("its own period ends")
        .containsOnly(
            Map.entry("app.2.log", "a\n"),
            Map.entry("app.1.log", "b\nc\n"),
            Map.entry("app.log", "d\n"));
  }

  /** The file after a rollover within a period ends with that. */
  @ParameterizedTest
  @EnumSource(Host.class)
  void shouldEndWithThePeriodAFileThatItDidNotBegin(Host host) throws IOException {
    long[] now = {millis(LocalDateTime.of(2026, 5, 1, 12, 0))};
    SizeOrTimeBasedTriggeringPolicy<ILoggingEvent> trigger =
        new SizeOrTimeBasedTriggeringPolicy<>();
    trigger.setMaxFileSize(String.valueOf(SIZE));
    trigger.clock = () -> now[0];
    Path file = logs().resolve("app.log");
    rig = new RollingRig(host, file).with(window(), trigger).start();

    rig.log("a");
    rig.appender.rollover();
    rig.log("b");
    rig.log("c");
    Files.setLastModifiedTime(file, FileTime.fromMillis(now[0]));
    now[0] += 86_400_000;
    rig.log("d");
    awaitNumbered();
    assertThat(Tree.of(logs()))
        .containsOnly(
            Map.entry("app.2.log", "a\n"),
            Map.entry("app.1.log", "b\nc\n"),
            Map.entry("app.log", "d\n"));
  }

  private static long millis(LocalDateTime time) {
    return time.atZone(ZoneId.systemDefault()).toInstant().toEpochMilli();
  }

  private void awaitNumbered() {
    rig.await("numbered", () -> Tree.names(logs()).stream().noneMatch(n -> n.endsWith(".rolled")));
  }

  private void logEvents(int count) {
    for (int i = 0; i < count; i++) {
      rig.log("event " + i + " " + "x".repeat(i % 23));
    }
  }

  /** Without its last event, each rolled file was still too small. */
  private void assertExactSizes(int leastFiles) {
    awaitNumbered();
    Map<String, String> files = Tree.of(logs());
    assertThat(files).hasSizeGreaterThan(leastFiles);
    files.remove("app.log");
    files.forEach(
        (name, content) -> {
          int lastLine = content.lastIndexOf('\n', content.length() - 2) + 1;
          assertThat(content.length()).as(name).isGreaterThanOrEqualTo(SIZE);
          assertThat(lastLine).as(name + " without its last event").isLessThan(SIZE);
        });
  }
}
