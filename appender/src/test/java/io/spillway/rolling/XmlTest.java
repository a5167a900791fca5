package io.spillway.rolling;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.testkit.Configured;
import io.spillway.testkit.InMemory;
import io.spillway.testkit.Numbered;
import io.spillway.testkit.Probe;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each policy, configured as users do it, with all of its settings, in either appender. */
@Timeout(60)
class XmlTest {
  private static final String COMPRESSION =
      "<compressionLevel>3</compressionLevel><compressionCpuShare>100</compressionCpuShare>";
  private static final String RETENTION =
      "<maxHistory>30</maxHistory><totalSizeCap>1GB</totalSizeCap>"
          + "<cleanHistoryOnStart>true</cleanHistoryOnStart>";

  /** Half a minute; a cap would make Logback look for the files of each of its periods. */
  private static final String RETENTION_OF_MILLIS =
      "<maxHistory>30000</maxHistory><cleanHistoryOnStart>true</cleanHistoryOnStart>";

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
          "time",
          "<rollingPolicy class='io.spillway.rolling.TimeBasedRollingPolicy'>"
              + "<fileNamePattern>DIR/old/app.%d{yyyy-MM-dd_HH-mm-ss-SSS}.log.gz</fileNamePattern>"
              + COMPRESSION
              + RETENTION_OF_MILLIS
              + "</rollingPolicy>",
          "size and time",
          "<rollingPolicy class='io.spillway.rolling.SizeAndTimeBasedRollingPolicy'>"
              + "<fileNamePattern>DIR/old/%d{yyyy/MM, aux}/app.%d.%i.log.zip</fileNamePattern>"
              + "<maxFileSize>5KB</maxFileSize>"
              + COMPRESSION
              + RETENTION
              + "</rollingPolicy>");

  @TempDir(factory = InMemory.class)
  Path directory;

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
      for (int batch = 0; batch < 8; batch++) {
        for (int i = 0; i < (name.equals("time") ? 2 : 50); i++) {
          configured.logger.info(Numbered.message(events++));
        }
        configured.awaitDelivered();
        long period = System.currentTimeMillis();
        Probe.await("the next period", () -> System.currentTimeMillis() > period);
      }
      assertThat(configured.complaints()).isEmpty();
    }
    assertThat(Tree.names(logs)).noneMatch(file -> file.matches(".*old.*\\.(log|part)"));
    List<String> files = new ArrayList<>(Tree.of(logs).values());
    files.removeIf(content -> !content.startsWith("event"));
    files.sort(Comparator.comparingInt(content -> Integer.parseInt(content.split(" ", 3)[1])));
    assertThat(files.size()).isGreaterThan(1);
    Numbered.assertWhole(Numbered.lines(String.join("", files)), 0, events);
  }
}
