package io.spillway.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.testkit.Shell;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Names that the JVM's encoding of file names has no characters for, as in a container without
 * LANG: Logback's appender logs there, and so do ours, into a file of the same name.
 */
@Timeout(60)
class UnwritableNamesTest {
  private static final String LOGBACK = "ch.qos.logback.core.rolling.";
  private static final String OURS = "io.spillway.rolling.";

  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource({
    LOGBACK + "RollingFileAppender," + LOGBACK,
    LOGBACK + "RollingFileAppender," + OURS,
    "io.spillway.SpillwayRollingFileAppender," + LOGBACK,
    "io.spillway.SpillwayRollingFileAppender," + OURS,
  })
  void shouldLogIntoTheFileThatLogbackLogsInto(String appender, String policies)
      throws IOException {
    Shell.Result result =
        child(
            """
            <appender name="FILE" class="%s">
              <file>${DIR}/lög/äpp.log</file>
              <rollingPolicy class="%sSizeAndTimeBasedRollingPolicy">
                <fileNamePattern>${DIR}/lög/äpp.%%d.%%i.log</fileNamePattern>
                <maxFileSize>1GB</maxFileSize>
              </rollingPolicy>
              <encoder><pattern>%%m%%n</pattern></encoder>
            </appender>
            """
                .formatted(appender, policies));

    assertThat(result.output()).contains("logged to the end");
    assertThat(lines("l?g/?pp.log")).isEqualTo("100");
    assertThat(lines("console.log")).isEqualTo("100");
    if (appender.startsWith("io.spillway")) {
      assertThat(result.output()).contains("Setting [file] has the value", "LC_ALL", "l?g/?pp.log");
    }
  }

  /** Names of months, of which another may be writable: that of today, or that of January. */
  @ParameterizedTest
  @CsvSource({"de, M?rz", "zh, 3?"})
  void shouldArchiveInAMonthOfSuchAName(String language, String march) throws IOException {
    Path file = Files.writeString(directory.resolve("app.log"), "of an earlier run\n");
    Files.setLastModifiedTime(file, FileTime.from(Instant.parse("2025-03-15T12:00:00Z")));
    Shell.Result result =
        child(
            """
            <appender name="FILE" class="io.spillway.SpillwayRollingFileAppender">
              <file>${DIR}/app.log</file>
              <rollingPolicy class="io.spillway.rolling.TimeBasedRollingPolicy">
                <fileNamePattern>${DIR}/app.%d{yyyy-MMM}.log</fileNamePattern>
              </rollingPolicy>
              <encoder><pattern>%m%n</pattern></encoder>
            </appender>
            """,
            "-Duser.language=" + language);

    assertThat(result.output())
        .contains("logged to the end", "Setting [fileNamePattern] has the value", "LC_ALL")
        .containsPattern("named \\[.*[?].*\\.log\\]");
    assertThat(lines("app.2025-" + march + ".log")).isEqualTo("1");
    assertThat(lines("app.log")).isEqualTo("100");
    assertThat(lines("console.log")).isEqualTo("100");
  }

  @Test
  void shouldLogBehindALogbackAppenderOfSuchAName() throws IOException {
    Shell.Result result =
        child(
            """
            <appender name="NESTED" class="ch.qos.logback.core.FileAppender">
              <file>${DIR}/lög/äpp.log</file>
              <encoder><pattern>%m%n</pattern></encoder>
            </appender>
            <appender name="FILE" class="io.spillway.SpillwayAppender">
              <appender-ref ref="NESTED"/>
            </appender>
            """);

    assertThat(result.output()).contains("logged to the end");
    assertThat(lines("l?g/?pp.log")).isEqualTo("100");
    assertThat(lines("console.log")).isEqualTo("100");
  }

  @Test
  void shouldRefuseANameThatNoFileCanHaveAndLeaveTheOthersAlone() throws IOException {
    Shell.Result result =
        child(
            """
            <appender name="FILE" class="io.spillway.SpillwayRollingFileAppender">
              <file>${DIR}/a${NUL}b.log</file>
              <rollingPolicy class="ch.qos.logback.core.rolling.TimeBasedRollingPolicy">
                <fileNamePattern>${DIR}/app.%d.log</fileNamePattern>
              </rollingPolicy>
              <encoder><pattern>%m%n</pattern></encoder>
            </appender>
            """);

    assertThat(result.output())
        .contains("logged to the end", "Setting [file] has the value", "no file can have that name")
        .contains("The appender is not started, correct the configuration.");
    assertThat(lines("console.log")).isEqualTo("100");
  }

  private Shell.Result child(String appender, String... options) throws IOException {
    Path configuration =
        Files.writeString(
            directory.resolve("logback.xml"),
            """
            <configuration>
              <appender name="OTHER" class="ch.qos.logback.core.FileAppender">
                <file>${DIR}/console.log</file>
                <encoder><pattern>%%m%%n</pattern></encoder>
              </appender>
              %s
              <root level="INFO"><appender-ref ref="OTHER"/><appender-ref ref="FILE"/></root>
            </configuration>
            """
                .formatted(appender));
    List<Object> command = new ArrayList<>(List.of("env", "LC_ALL=C"));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of("-Xmx128m", "-XX:TieredStopAtLevel=1"));
    command.addAll(List.of(options));
    command.addAll(List.of(UnwritableNamesChild.class.getName(), configuration, directory));
    return Shell.attempt(command.toArray());
  }

  /** Counted by the shell: the JVM of the test may know file names in another encoding. */
  private String lines(String file) {
    return Shell.run("sh", "-c", "wc -l < \"$0\"", directory + "/" + file);
  }
}
