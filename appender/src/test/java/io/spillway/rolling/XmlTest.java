package io.spillway.rolling;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.testkit.Configured;
import io.spillway.testkit.Numbered;
import io.spillway.testkit.Rig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each policy, configured as users do it, with all of its settings, in either appender. */
@Timeout(60)
class XmlTest {
  private static final String COMPRESSION =
      "<compressionLevel>3</compressionLevel><compressionCpuShare>100</compressionCpuShare>"
          + "<maxRandomDelay>1 millisecond</maxRandomDelay>";
  private static final String RETENTION =
      "<maxHistory>30</maxHistory><totalSizeCap>1GB</totalSizeCap>"
          + "<cleanHistoryOnStart>true</cleanHistoryOnStart>";
  private static final Map<String, String> POLICIES =
      Map.of(
          "window and size",
          "<rollingPolicy class='io.spillway.rolling.FixedWindowRollingPolicy'>"
              + "<fileNamePattern>DIR/old/app.%i.log.gz</fileNamePattern>"
              + "<minIndex>1</minIndex><maxIndex>20</maxIndex>"
              + COMPRESSION
              + "</rollingPolicy>"
              + "<triggeringPolicy class='io.spillway.rolling.SizeBasedTriggeringPolicy'>"
              + "<maxFileSize>5KB</maxFileSize><checkIncrement>1 minute</checkIncrement>"
              + "</triggeringPolicy>",
          "window and size or time",
          "<rollingPolicy class='io.spillway.rolling.FixedWindowRollingPolicy'>"
              + "<fileNamePattern>DIR/old/app.%i.log.zip</fileNamePattern>"
              + "<maxIndex>20</maxIndex></rollingPolicy>"
              + "<triggeringPolicy class='io.spillway.rolling.SizeOrTimeBasedTriggeringPolicy'>"
              + "<maxFileSize>5KB</maxFileSize><datePattern>yyyy-MM-dd_HH</datePattern>"
              + "</triggeringPolicy>",
          "time",
          "<rollingPolicy class='io.spillway.rolling.TimeBasedRollingPolicy'>"
              + "<fileNamePattern>DIR/old/app.%d{yyyy-MM-dd_HH-mm-ss-SSS}.log.gz</fileNamePattern>"
              + COMPRESSION
              + RETENTION.replace("30", "30000")
              + "</rollingPolicy>",
          "size and time",
          "<rollingPolicy class='io.spillway.rolling.SizeAndTimeBasedRollingPolicy'>"
              + "<fileNamePattern>DIR/old/%d{yyyy/MM}/app.%d.%i.log.gz</fileNamePattern>"
                  .replace("{yyyy/MM}", "{yyyy/MM, aux}")
              + "<maxFileSize>5KB</maxFileSize>"
              + COMPRESSION
              + RETENTION
              + "</rollingPolicy>");

  @TempDir Path directory;

  static Stream<Arguments> all() {
    return Stream.of(Configured.STOCK, Configured.SPILLWAY)
        .flatMap(type -> POLICIES.keySet().stream().map(name -> Arguments.of(type, name)));
  }

  @ParameterizedTest(name = "{0} {1}")
  @MethodSource("all")
  void shouldRollAndArchive(String appender, String name) {
    Path logs = directory.resolve("logs");
    String spill = "<spillDirectory>" + directory + "/spill</spillDirectory>";
    String settings =
        (appender.equals(Configured.SPILLWAY) ? spill : "")
            + "<file>DIR/app.log</file>"
            + POLICIES.get(name)
            + "<encoder><pattern>%msg%n</pattern></encoder>";
    int events = 0;
    try (Configured configured = new Configured(appender, logs, settings)) {
      configured.file();
      while (events < 500 || rolled(logs) < 4) { // a clock in milliseconds may be slow
        for (int i = 0; i < 50; i++) {
          configured.logger.info(Numbered.message(events++));
        }
        configured.awaitDelivered();
      }
      assertThat(configured.complaints())
          .filteredOn(complaint -> !complaint.contains("faster than they are archived"))
          .isEmpty();
      RollingRig.await(
          "archived",
          () -> Tree.names(logs).stream().noneMatch(XmlTest::isPending),
          () -> Tree.names(logs));
    }
    List<String> files = new ArrayList<>(Tree.of(logs).values());
    files.removeIf(content -> !content.startsWith("event"));
    files.sort(Comparator.comparingInt(content -> Integer.parseInt(content.split(" ", 3)[1])));
    assertThat(files.size()).isGreaterThan(3);
    Numbered.assertWhole(Numbered.lines(String.join("", files)), 0, events);
  }

  /** The header is written before the first event, and makes the file look like one of today. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldEndTheFileOfAnEarlierPeriodThatAHeaderIsWrittenTo(boolean stock) throws IOException {
    Path logs = Files.createDirectories(directory.resolve("logs"));
    Path file = Files.writeString(logs.resolve("app.log"), "of an earlier day\n");
    Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(Duration.ofDays(2))));
    String settings =
        "<file>DIR/app.log</file>"
            + POLICIES.get("window and size or time")
            + "<encoder><pattern>%msg%n</pattern>"
            + "<outputPatternAsHeader>true</outputPatternAsHeader></encoder>";
    String appender = stock ? Configured.STOCK : Configured.SPILLWAY;
    try (Configured configured = new Configured(appender, logs, settings)) {
      configured.logger.info("of today");
      configured.awaitDelivered();
    }
    assertThat(Tree.of(logs).values())
        .anyMatch(text -> text.startsWith("of an earlier day\n") && !text.contains("of today"))
        .anyMatch(text -> text.startsWith("#") && text.endsWith("of today\n"));
  }

  @Test
  void shouldCompressAsMuchAsTheLevelSays() throws IOException {
    assertThat(compressed(9)).isLessThan(compressed(1) * 0.97);
  }

  /** Bytes of archives for each byte of log. */
  private double compressed(int level) throws IOException {
    Path logs = directory.resolve("level" + level);
    String settings =
        "<file>DIR/app.log</file>"
            + POLICIES
                .get("window and size")
                .replace("<compressionLevel>3", "<compressionLevel>" + level)
                .replace("5KB", "200KB")
            + "<encoder><pattern>%msg%n</pattern></encoder>";
    try (Configured configured = new Configured(Configured.SPILLWAY, logs, settings)) {
      for (int i = 0; i < 20_000; i++) {
        configured.logger.info("order {} of customer {} took {} us", i, i * 7919 % 10_007, i * 31L);
      }
      configured.awaitDelivered();
      RollingRig.await(
          "archived",
          () -> Tree.names(logs).stream().noneMatch(XmlTest::isPending),
          () -> Tree.names(logs));
    }
    long archives = 0;
    for (Path file : Rig.filesBelow(logs.resolve("old"))) {
      archives += Files.size(file);
    }
    long lines = Tree.of(logs.resolve("old")).values().stream().mapToLong(String::length).sum();
    assertThat(lines).isGreaterThan(400_000);
    return (double) archives / lines;
  }

  /** Files that have left their name, each of which may have an archive as well. */
  private static long rolled(Path logs) {
    return Tree.names(logs).stream()
        .filter(name -> name.contains("old/") && name.contains(".log") || isWaiting(name))
        .map(name -> isWaiting(name) ? name : name.replaceAll("\\.log.*", ""))
        .distinct()
        .count();
  }

  private static boolean isWaiting(String name) {
    return name.endsWith(".rolled");
  }

  private static boolean isPending(String name) {
    return isWaiting(name) || name.contains("old") && name.matches(".*\\.(log|part|delete)");
  }
}
