package io.spillway.rolling;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.status.Status;
import io.spillway.internal.metrics.Reports;
import io.spillway.testkit.Configured;
import io.spillway.testkit.InMemory;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Configurations that users have reported, and their relatives. */
@Timeout(60)
class FieldCasesTest {
  private static final String ENCODER = "<encoder><pattern>%m%n</pattern></encoder>";

  @TempDir(factory = InMemory.class)
  Path directory;

  private static String sized(String pattern, String more) {
    return "<rollingPolicy class='io.spillway.rolling.SizeAndTimeBasedRollingPolicy'>"
        + ("<fileNamePattern>DIR/" + pattern + "</fileNamePattern>")
        + ("<maxFileSize>1KB</maxFileSize>" + more + "</rollingPolicy>");
  }

  /** Logback takes these patterns: the same names, and retention finds them. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "app-%d{yyy-MM-dd}.%i.log.gz",
        "app-%d{uuu-MM-dd}.%i.log.gz",
        "app-%d{yyy/MM/dd}.%i.log",
        "app-%d{YYYY-'W'ww}.%i.log.gz",
        "%d{yyy, aux}/x-%d{yyyy-MM-dd}.%i.log",
        "app-%d{yyyy-M-d}.%i.log.gz",
        "app-%d{d. MMM yyyy}.%i.log",
        "app-%d{yyyy-MM-dd_HH, Asia/Kolkata}.%i.log.gz",
      })
  void shouldTakeWhatLogbackTakes(String pattern) {
    for (String appender : List.of(Configured.SPILLWAY, Configured.STOCK)) {
      Path logs = directory.resolve(appender);
      String settings = "<file>DIR/app.log</file>" + sized(pattern, "<maxHistory>3</maxHistory>");
      for (int run = 0; run < 2; run++) { // the second one finds what the first one has left
        try (Configured configured = new Configured(appender, logs, settings + ENCODER)) {
          configured.file();
          for (int i = 0; i < 30; i++) {
            configured.logAndAwait("event " + i + " with a text that makes the line longer");
          }
          assertThat(configured.complaints()).isEmpty();
        }
      }
      Set<String> names = Tree.names(logs);
      names.removeIf(name -> !Files.isRegularFile(logs.resolve(name)));
      assertThat(names).hasSize(3).noneMatch(name -> name.endsWith(".part"));
      if (pattern.endsWith(".gz")) {
        assertThat(names).allMatch(name -> name.endsWith(".gz") || name.equals("app.log"));
      }
    }
  }

  @Test
  void shouldDeleteOldArchivesOfAYearOfThreeLetters() throws Exception {
    for (int day = 1; day < 8; day++) {
      Files.writeString(
          directory.resolve("app-" + LocalDate.now().minusDays(day) + ".0.log.gz"), "x");
    }
    String settings =
        "<file>DIR/app.log</file>"
            + sized(
                "app-%d{yyy-MM-dd}.%i.log.gz",
                "<maxHistory>3</maxHistory><cleanHistoryOnStart>true</cleanHistoryOnStart>");
    try (Configured configured = new Configured(Configured.STOCK, directory, settings + ENCODER)) {
      configured.file();
    }
    assertThat(Tree.names(directory)).hasSize(4).contains("app.log");
  }

  /** A library loads its configuration a second time into the application's context. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldTellOfTwoAppendersOnOneFileOnce(boolean own) throws Exception {
    String appender = own ? Configured.SPILLWAY : Configured.STOCK;
    String settings = "<file>DIR/client.log</file>" + sized("client.log.%d.%i", "") + ENCODER;
    try (Configured first = new Configured(appender, directory, settings)) {
      first.logAndAwait("of the first");
      JoranConfigurator again = new JoranConfigurator();
      again.setContext(first.context);
      String xml =
          "<configuration><appender name='FILE' class='"
              + appender
              + "'>"
              + settings.replace("DIR", directory.toString())
              + "</appender><logger name='other'><appender-ref ref='FILE'/></logger>"
              + "</configuration>";
      again.doConfigure(new ByteArrayInputStream(xml.getBytes(StandardCharsets.UTF_8)));
      assertThat(first.context.getLogger("other").getAppender("FILE"))
          .matches(second -> second == null || !second.isStarted());
      Reports.flush(first.context);
      assertThat(first.context.getStatusManager().getCopyOfStatusList())
          .filteredOn(status -> status.getEffectiveLevel() == Status.ERROR)
          .singleElement()
          .extracting(Status::getMessage)
          .asString()
          .contains("The log file [" + directory + "/client.log] belongs to appender [FILE]")
          .contains("goes on; appender [FILE]", "is not started. To do: ");
      first.logAndAwait("of the first, still");
      assertThat(first.file().isStarted()).isTrue();
    }
    assertThat(directory.resolve("client.log")).content().contains("still");
    try (Configured next = new Configured(appender, directory, settings)) {
      assertThat(next.file().isStarted()).as("the owner has stopped").isTrue();
    }
  }

  @Test
  void shouldLeaveTwoPoliciesInOneAppenderToLogbacksWarning() {
    String settings =
        "<file>DIR/client.log</file><rollingPolicy"
            + " class='io.spillway.rolling.TimeBasedRollingPolicy'>"
            + "<fileNamePattern>DIR/a.%d.log</fileNamePattern></rollingPolicy>"
            + sized("b.%d.%i.log", "")
            + ENCODER;
    try (Configured configured = new Configured(Configured.SPILLWAY, directory, settings)) {
      for (int i = 0; i < 40; i++) {
        configured.logAndAwait("event " + i + " with a text that makes the line longer");
      }
      assertThat(configured.complaints())
          .isNotEmpty()
          .allMatch(
              c ->
                  c.matches(
                      "A rolling policy of type TimeBasedRollingPolicy was already set\\."
                          + "|Note that TimeBasedRollingPolicy doubles .*|See also .*"));
      assertThat(directory.resolve("b." + LocalDate.now() + ".0.log")).exists();
      Object first = ((RollingFileAppender<?>) configured.file()).getRollingPolicy();
      assertThat(first).isInstanceOf(SizeAndTimeBasedRollingPolicy.class);
    }
  }

  /** Logback reports an ERROR and takes the file all the same. */
  @ParameterizedTest
  @ValueSource(strings = {"ch.qos.logback.core.rolling.", "io.spillway.rolling."})
  void shouldTakeAFileThatIsSetAfterThePolicy(String policies) {
    String settings =
        sized("app.%d.%i.log", "").replace("io.spillway.rolling.", policies)
            + "<file>DIR/app.log</file>";
    try (Configured configured = new Configured(Configured.STOCK, directory, settings + ENCODER)) {
      for (int i = 0; i < 30; i++) {
        configured.logAndAwait("event " + i + " with a text that makes the line longer");
      }
      assertThat(configured.complaints()).anyMatch(c -> c.startsWith("File property must be set"));
    }
    assertThat(Tree.names(directory))
        .containsExactlyInAnyOrder("app.log", "app." + LocalDate.now() + ".0.log");
  }

  /** Such a directory cannot be created: Logback does not roll over either. */
  @Test
  void shouldWriteOnBelowAParentOfADirectoryThatIsMissing() {
    String settings = "<file>DIR/app.log</file>" + sized("missing/../app.%d.%i.log", "");
    try (Configured configured =
        new Configured(Configured.SPILLWAY, directory, settings + ENCODER)) {
      for (int i = 0; i < 40; i++) {
        configured.logAndAwait("event " + i + " with a text that makes the line longer");
      }
      assertThat(configured.complaints())
          .anyMatch(c -> c.contains("Cannot roll over"))
          .noneMatch(c -> c.contains("policy threw"));
    }
    assertThat(directory.resolve("app.log")).content().hasLineCount(40);
  }

  @Test
  void shouldWarnOfAnAuxiliaryDateThatHidesArchivesFromRetention() {
    String settings =
        "<file>DIR/app.log</file><rollingPolicy"
            + " class='io.spillway.rolling.TimeBasedRollingPolicy'><fileNamePattern>"
            + "DIR/%d{yyyyMMdd}/app-%d{yyyyMMdd_HHmmss, aux}.log</fileNamePattern>"
            + "<maxHistory>5</maxHistory></rollingPolicy>"
            + ENCODER;
    try (Configured configured = new Configured(Configured.STOCK, directory, settings)) {
      configured.file();
      assertThat(configured.complaints())
          .singleElement()
          .asString()
          .contains("[maxHistory] deletes nothing", "finer", "To do: ");
    }
  }

  /** As in Logback: the archive of the period before the silence is too old at once. */
  @Test
  void shouldDeleteTheArchiveOfBeforeALongSilence() {
    String settings =
        "<file>DIR/app.log</file><rollingPolicy class='POLICIESTimeBasedRollingPolicy'>"
            + "<fileNamePattern>DIR/app.%d.log.gz</fileNamePattern><maxHistory>3</maxHistory>"
            + "</rollingPolicy>"
            + ENCODER;
    for (String policies : List.of("ch.qos.logback.core.rolling.", "io.spillway.rolling.")) {
      Path logs = directory.resolve(policies);
      try (Configured configured =
          new Configured(Configured.STOCK, logs, settings.replace("POLICIES", policies))) {
        configured.logAndAwait("before");
        var policy =
            (ch.qos.logback.core.rolling.TimeBasedRollingPolicy<?>)
                ((RollingFileAppender<?>) configured.file()).getRollingPolicy();
        policy
            .getTimeBasedFileNamingAndTriggeringPolicy()
            .setCurrentTime(System.currentTimeMillis() + Duration.ofDays(10).toMillis());
        configured.logAndAwait("after");
        configured.awaitIdle();
      }
      if (policies.startsWith("io")) { // with Logback's the archive may come after the deletion
        assertThat(Tree.of(logs)).isEqualTo(java.util.Map.of("app.log", "after\n"));
      }
    }
  }
}
