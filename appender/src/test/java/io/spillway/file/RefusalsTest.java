package io.spillway.file;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.Context;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.status.Status;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.rolling.SizeBasedTriggeringPolicy;
import io.spillway.testkit.Configured;
import io.spillway.testkit.FileRig;
import io.spillway.testkit.Probe;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.YearMonth;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What cannot work is refused at start, by name, and nothing half-works. */
class RefusalsTest {
  private static final String REST =
      "<rollingPolicy class='ch.qos.logback.core.rolling.TimeBasedRollingPolicy'>"
          + "<fileNamePattern>DIR/%d{yyyy-MM}.log</fileNamePattern></rollingPolicy>"
          + "<encoder><pattern>%msg%n</pattern></encoder>";

  private static final String FILE = "<file>DIR/app.log</file>";
  private static final String WINDOW =
      "<rollingPolicy class='io.spillway.rolling.FixedWindowRollingPolicy'>"
          + "<fileNamePattern>DIR/app.%i.log</fileNamePattern></rollingPolicy>";
  private static final String TRIGGER =
      "<triggeringPolicy class='io.spillway.rolling.SizeBasedTriggeringPolicy'/>";
  private static final String PATTERN = "<encoder><pattern>%m%n</pattern></encoder>";

  @TempDir Path directory;

  @Test
  void shouldRefusePrudentMode() {
    String settings = "<file>DIR/app.log</file><prudent>true</prudent>" + REST;
    try (Configured configured = new Configured(Configured.SPILLWAY, directory, settings)) {
      assertRefused(configured, "Setting [prudent] has the value [true]; allowed: false");
      assertThat(Probe.filesBelow(directory)).isEmpty();
    }
  }

  @Test
  void shouldRefuseAFileBelowARegularFile() throws IOException {
    Files.createFile(directory.resolve("plain"));
    String settings = "<file>DIR/plain/app.log</file>" + REST;
    try (Configured configured = new Configured(Configured.SPILLWAY, directory, settings)) {
      assertRefused(configured, "openFile(" + directory + "/plain/app.log");
      assertThat(configured.statuses()).anyMatch(s -> s.contains("app.log"));
      assertThat(causes(configured)).contains("Setting [file] has the value", "to do: ");
    }
  }

  @Test
  void shouldRefuseADirectoryForAFile() throws IOException {
    Files.createDirectory(directory.resolve("app.log"));
    String settings = "<file>DIR/app.log</file>" + REST;
    try (Configured configured = new Configured(Configured.SPILLWAY, directory, settings)) {
      assertRefused(configured, "openFile(");
      assertThat(causes(configured)).contains("which cannot be opened: Is a directory; to do: ");
    }
  }

  @Test
  void shouldLeaveLogbacksOwnRefusalsAlone() {
    try (Configured noPolicy =
        new Configured(Configured.SPILLWAY, directory, "<file>DIR/app.log</file>")) {
      assertRefused(noPolicy, "No TriggeringPolicy was set");
    }
    try (Configured noEncoder =
        new Configured(
            Configured.SPILLWAY,
            directory,
            "<file>DIR/app.log</file>" + REST.substring(0, REST.indexOf("<encoder>")))) {
      assertRefused(noEncoder, "No encoder set");
    }
    try (Configured pattern =
        new Configured(
            Configured.SPILLWAY,
            directory,
            "<file>DIR/" + YearMonth.now() + ".log</file>" + REST)) {
      assertRefused(pattern, "File property collides with fileNamePattern");
    }
  }

  /** Logback itself gives a warning or an error without remedy, and each event is lost. */
  @ParameterizedTest
  @MethodSource
  void shouldNameWhatIsMissingInAnError(String settings, String setting, String remedy) {
    try (Configured configured = new Configured(Configured.SPILLWAY, directory, settings)) {
      assertRefused(configured, "Setting [" + setting + "] has the value []; allowed: ");
      assertThat(errors(configured.context))
          .filteredOn(error -> error.startsWith("Setting ["))
          .singleElement()
          .asString()
          .contains("To do: ", remedy)
          .endsWith("The appender is not started.");
    }
  }

  static List<Arguments> shouldNameWhatIsMissingInAnError() {
    String both = "SizeAndTimeBasedRollingPolicy";
    return List.of(
        Arguments.of(FILE + WINDOW + PATTERN, "triggeringPolicy", "SizeBasedTriggeringPolicy"),
        Arguments.of(FILE + PATTERN, "rollingPolicy", both),
        Arguments.of(FILE + TRIGGER + PATTERN, "rollingPolicy", both),
        Arguments.of(FILE + WINDOW + TRIGGER, "encoder", "<encoder><pattern>"));
  }

  @Test
  void shouldReportAnErrorForATriggerThatHasNotStarted() {
    try (FileRig rig = new FileRig(directory.resolve("app.log"))) {
      rig.appender.setTriggeringPolicy(new SizeBasedTriggeringPolicy<>());
      rig.appender.start();
      assertThat(rig.appender.isStarted()).isFalse();
      assertThat(errors(rig.appender.getContext()))
          .singleElement()
          .asString()
          .contains("triggeringPolicy", "To do: ", "start()");
    }
  }

  private static List<String> errors(Context context) {
    return context.getStatusManager().getCopyOfStatusList().stream()
        .filter(status -> status.getLevel() == Status.ERROR)
        .map(Status::getMessage)
        .toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"./app.log", "link.log", "link/app.log"})
  void shouldRefuseASecondAppenderOnTheSameFile(String other) throws IOException {
    Files.createFile(directory.resolve("app.log"));
    Files.createSymbolicLink(directory.resolve("link.log"), Path.of("app.log"));
    Files.createSymbolicLink(directory.resolve("link"), directory);
    String file = "<file>" + directory + "/app.log</file>";
    try (Configured both = new Configured(two(file, file.replace("app.log", other)))) {
      assertThat(isStarted(both.appender("A"))).isTrue();
      assertThat(isStarted(both.appender("B"))).isFalse();
      assertThat(both.complaints())
          .anyMatch(m -> m.contains("belongs to appender [A]") && m.contains("appender [B]"));
    }
  }

  @Test
  void shouldRefuseASecondAppenderOnTheFileThatALinkIsToBecome() throws IOException {
    Files.createSymbolicLink(directory.resolve("link.log"), Path.of("app.log"));
    String file = "<file>" + directory + "/link.log</file>";
    try (Configured both = new Configured(two(file, file.replace("link.log", "app.log")))) {
      assertThat(isStarted(both.appender("A"))).isTrue();
      assertThat(isStarted(both.appender("B"))).isFalse();
      assertThat(both.complaints()).anyMatch(m -> m.contains("belongs to appender [A]"));
    }
  }

  @Test
  void shouldRefuseASecondAppenderOnTheSamePatternWithoutFile() {
    try (Configured both = new Configured(two("", ""))) {
      assertThat(isStarted(both.appender("A"))).isTrue();
      assertThat(isStarted(both.appender("B"))).isFalse();
    }
  }

  @Test
  void shouldTakeTheFileOverAfterAReconfiguration() {
    String settings = "<file>DIR/app.log</file>" + REST;
    try (Configured configured = new Configured(Configured.SPILLWAY, directory, settings)) {
      configured.logAndAwait("one");
      configured.file().stop();
      RollingFileAppender<ILoggingEvent> again =
          (RollingFileAppender<ILoggingEvent>) configured.appender("FILE");
      again.getRollingPolicy().start();
      again.start();
      configured.logAndAwait("two");
      assertThat(((SpillwayRollingFileAppender<?>) again).getMetrics().getPending()).isZero();

      configured.context.reset();
      try (Configured next = new Configured(Configured.SPILLWAY, directory, settings)) {
        next.logAndAwait("three");
      }
    }
    assertThat(directory.resolve("app.log")).hasContent("one\ntwo\nthree\n");
  }

  private String two(String fileOfA, String fileOfB) {
    String rest = REST.replace("DIR", directory.toString()) + "</appender>";
    String spill = "<spillDirectory>" + directory + "/spill</spillDirectory>";
    return "<appender name='A' class='"
        + Configured.SPILLWAY
        + "'>"
        + (spill + fileOfA + rest)
        + "<appender name='B' class='"
        + Configured.SPILLWAY
        + "'>"
        + (spill + fileOfB + rest)
        + "<root><appender-ref ref='A'/><appender-ref ref='B'/></root>";
  }

  private static boolean isStarted(Appender<ILoggingEvent> appender) {
    return appender != null && appender.isStarted();
  }

  private static void assertRefused(Configured configured, String complaint) {
    assertThat(isStarted(configured.appender("FILE"))).isFalse();
    assertThat(configured.complaints()).anyMatch(message -> message.contains(complaint));
    configured.logger.info("goes nowhere, and throws nothing");
  }

  private static String causes(Configured configured) {
    StringBuilder text = new StringBuilder();
    configured.context.getStatusManager().getCopyOfStatusList().stream()
        .filter(status -> status.getThrowable() != null)
        .forEach(status -> text.append(status.getThrowable().getMessage()));
    return text.toString();
  }
}
