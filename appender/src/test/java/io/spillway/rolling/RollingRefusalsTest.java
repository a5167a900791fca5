package io.spillway.rolling;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.rolling.RollingFileAppender;
import io.spillway.testkit.Configured;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.YearMonth;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What cannot work is refused at start, by setting, value and remedy, in either appender. */
@Timeout(60)
class RollingRefusalsTest {
  private static final String PACKAGE = "io.spillway.rolling.";
  private static final String SIZE = trigger("SizeBasedTriggeringPolicy", "");
  private static final String FILE = "<file>DIR/app.log</file>";
  private static final String ENCODER = "<encoder><pattern>%msg%n</pattern></encoder>";

  @TempDir Path directory;

  private static String policy(String name, String settings) {
    return "<rollingPolicy class='" + PACKAGE + name + "'>" + settings + "</rollingPolicy>";
  }

  private static String trigger(String name, String settings) {
    return "<triggeringPolicy class='" + PACKAGE + name + "'>" + settings + "</triggeringPolicy>";
  }

  private static String window(String settings) {
    return FILE + policy("FixedWindowRollingPolicy", settings) + SIZE;
  }

  private static String timed(String settings) {
    return FILE + policy("TimeBasedRollingPolicy", settings);
  }

  private static String sized(String settings) {
    return FILE + policy("SizeAndTimeBasedRollingPolicy", settings);
  }

  private static String pattern(String pattern) {
    return "<fileNamePattern>DIR/" + pattern + "</fileNamePattern>";
  }

  /** Both appenders refuse with such a message, stay unstarted, create nothing and never throw. */
  private void assertRefused(String settings, String... fragments) {
    for (String appender : List.of(Configured.STOCK, Configured.SPILLWAY)) {
      try (Configured configured = new Configured(appender, directory, settings + ENCODER)) {
        Appender<ILoggingEvent> file = configured.appender("FILE");
        assertThat(file == null || !file.isStarted())
            .as(() -> appender + " not started; " + configured.statuses())
            .isTrue();
        assertThat(configured.complaints())
            .as(appender)
            .anySatisfy(message -> assertThat(message).contains(fragments));
        configured.logger.info("goes nowhere, and throws nothing");
        assertThat(directory.resolve("app.log")).doesNotExist();
      }
    }
  }

  @Test
  void shouldRefusePatternsWithoutWhatTheyNeed() {
    assertRefused(
        window(pattern("app.log.gz")),
        "[fileNamePattern] has the value [" + directory + "/app.log.gz]; allowed: names with %i",
        "To do: add %i");
    assertRefused(
        window(pattern("app.%i.%d.log")), "allowed: names without %d", "SizeAndTimeBasedRolling");
    assertRefused(timed(pattern("app.log.gz")), "allowed: names with %d", "To do: add %d");
    assertRefused(
        timed(pattern("app.%d{yyyy, aux}.log.gz")), "names with %d that is not auxiliary");
    assertRefused(
        timed(pattern("app.%d.%i.log")), "allowed: names without %i", "SizeAndTimeBasedRolling");
    assertRefused(
        sized(pattern("app.%d.log") + "<maxFileSize>1MB</maxFileSize>"),
        "allowed: names with %i",
        "add %i");
    for (String open : List.of("%d{yyyy-MM-dd", "%d{", "%d{yyyy-MM-dd.log.gz", "%d{yyyy.%i.gz")) {
      assertRefused(
          timed(pattern("app." + open)), "here is [{] without [}]", "To do: correct the pattern");
    }
    assertRefused(
        sized(pattern("app.%d.%i{.gz") + "<maxFileSize>1MB</maxFileSize>"),
        "here is [{] without [}]",
        "To do: correct the pattern");
    for (String policy : List.of(window(""), timed(""), sized("<maxFileSize>1MB</maxFileSize>"))) {
      assertRefused(
          policy, "Setting [fileNamePattern] has the value []; allowed: names such as", "set it");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "app.%d{yyyy}.log | no period of a month or less",
        "app.%d{yyyy-MM-dd_hh}.log | gives different periods the same name",
        "app.%d{yyyy-MM-dd_KK}.log | gives different periods the same name",
        "app.%d{nonsense}.log | and here is ",
        "app.%d{yyyy-MM-dd, Nowhere/Land}.log | and here is ",
        "app.%d_%q.log | unknown token [%d_]",
        "app.%d.100% | [%] begins a token",
        "app.%d( | what Logback does not understand",
        "app.%d//%d{HH, aux}.log | such strange names",
        "app.%d/../x.log | such strange names",
      })
  void shouldRefuseDatesAndTokensThatCannotBe(String pattern, String why) {
    assertRefused(timed(pattern(pattern)), "Setting [fileNamePattern]", why, "To do: correct");
  }

  /** With such names {@code maxHistory} takes each old archive for one of the last periods. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "app.%d{SSS}.log.gz",
        "app.%d{ss}.log.gz",
        "app.%d{mm}.log.gz",
        "app.%d{HH}.log.gz",
        "app.%d{HH, UTC}.log",
        "app.%d{HH-mm}.log",
        "app.%d{EEE_HH}.log",
        "app.%d{dd_HH}.log",
        "app.%d{DDD_HH}.log",
        "app.%d{ww-EEE}.log",
        "app.%d{MM-dd_HH}.log",
        "app.%d{MM}.log",
        "%d{dd, aux}/app.%d{HH}.log",
      })
  void shouldRefuseDatesThatRepeat(String pattern) {
    String why = "gives different periods the same name";
    assertRefused(
        timed(pattern(pattern)), "Setting [fileNamePattern]", why, "To do: correct the date");
    assertRefused(
        sized(pattern(pattern.replace(".log", ".%i.log")) + "<maxFileSize>1MB</maxFileSize>"),
        "Setting [fileNamePattern]",
        why,
        "the year and each unit down to the period, for example yyyy-MM-dd_HH");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "%d{yyyy-MM-dd, aux}/app.%d{HH}.log.gz",
        "app.%d{HH}.%d{yyyy-DDD, aux}.log.gz",
        "%d{yyyy, aux}/app.%d{MM}.log.gz",
        "app.%d{yyyy-MM}.log",
        "app.%d{YYYY-ww}.log",
        "app.%d{YYYY-ww-EEE}.log",
        "app.%d{yyyy-MM-dd_a}.log",
        "app.%d{yyyy-MM-dd_HH-mm-ss-SSS, Europe/Berlin}.log",
      })
  void shouldAcceptDatesThatDoNotRepeat(String pattern) {
    assertThat(complaintsOf(timed(pattern(pattern)))).isEmpty();
  }

  /** A file that is rolled over when a text changes needs no text that never repeats. */
  @Test
  void shouldAcceptATriggerWhoseDatesRepeat() {
    String trigger = trigger("SizeOrTimeBasedTriggeringPolicy", "<datePattern>HH</datePattern>");
    assertThat(
            complaintsOf(
                FILE + policy("FixedWindowRollingPolicy", pattern("app.%i.log")) + trigger))
        .isEmpty();
  }

  /** Logback's manual has this pattern for weeks, so it is not refused. */
  @ParameterizedTest
  @ValueSource(strings = {"app.%d{yyyy-ww}.log", "app.%d{yyyy-'W'ww, UTC}.log.gz"})
  void shouldWarnOfWeeksOfTheWrongYear(String pattern) {
    assertThat(complaintsOf(timed(pattern(pattern))))
        .singleElement()
        .asString()
        .contains("Setting [fileNamePattern] has the value [", "-12-31", "To do:", "[YYYY]");
  }

  /** Returns the errors and warnings of either appender, which starts all the same. */
  private List<String> complaintsOf(String settings) {
    List<String> complaints = new ArrayList<>();
    for (String appender : List.of(Configured.STOCK, Configured.SPILLWAY)) {
      try (Configured configured = new Configured(appender, directory, settings + ENCODER)) {
        configured.file();
        complaints.addAll(configured.complaints());
      }
    }
    return complaints.stream().distinct().toList();
  }

  @Test
  void shouldRefuseNumbersAndSizesThatCannotBe() {
    String gz = pattern("app.%i.log.gz");
    assertRefused(window(gz + "<maxIndex>x</maxIndex>"), "[maxIndex] has the value [x]");
    assertRefused(
        window(gz + "<compressionLevel>10</compressionLevel>"),
        "Setting [compressionLevel] has the value [10]; allowed: a whole number from 1 to 9");
    assertRefused(
        window(pattern("app.%i.log") + "<compressionLevel>5</compressionLevel>"),
        "[compressionLevel] has the value [5]; allowed: none",
        "remove the setting");
    assertRefused(
        window(gz + "<compressionCpuShare>0</compressionCpuShare>"),
        "[compressionCpuShare] has the value [0]; allowed: a whole number from 1 to 100");
    for (String delay : List.of("soon", "-5 minutes", "0.5 ms", "99999999999999")) {
      assertRefused(
          window(gz + "<maxRandomDelay>" + delay + "</maxRandomDelay>"),
          "[maxRandomDelay] has the value [" + delay + "]; allowed: a time");
    }
    String daily = pattern("app.%d.log.gz");
    assertRefused(timed(daily + "<maxHistory>-1</maxHistory>"), "[maxHistory] has the value [-1]");
    assertRefused(
        timed(daily + "<totalSizeCap>much</totalSizeCap>"), "[totalSizeCap] has the value [much]");
    assertRefused(
        timed(daily + "<cleanHistoryOnStart>maybe</cleanHistoryOnStart>"),
        "[cleanHistoryOnStart] has the value [maybe]; allowed: true or false");
    TimeBasedRollingPolicy<ILoggingEvent> unset = new TimeBasedRollingPolicy<>();
    unset.setCleanHistoryOnStart(null);
    assertThat(unset.isCleanHistoryOnStart()).isFalse();
    String both = pattern("app.%d.%i.log.gz");
    assertRefused(sized(both), "Setting [maxFileSize] has the value []; allowed: a size", "set it");
    assertRefused(
        sized(both + "<maxFileSize>10 GBs of logs</maxFileSize>"),
        "[maxFileSize] has the value [10 GBs of logs]");
  }

  /** One that the format would refuse is a mistake, but the format may come. */
  @Test
  void shouldIgnoreALevelOfAFormatThatIsNotThere() {
    String bz2 = window(pattern("app.%i.log.bz2") + "<compressionLevel>5</compressionLevel>");
    try (Configured configured =
        new Configured(Configured.STOCK, directory.resolve("5"), bz2 + ENCODER)) {
      configured.file();
      assertThat(configured.complaints())
          .singleElement()
          .asString()
          .endsWith("not compressed. Until then [compressionLevel] [5] is ignored.");
    }
    assertRefused(
        window(pattern("app.%i.log.bz2") + "<compressionLevel>x</compressionLevel>"),
        "[compressionLevel] has the value [x]");
  }

  @Test
  void shouldRefuseTriggersThatCannotBe() {
    String rolling = FILE + policy("FixedWindowRollingPolicy", pattern("app.%i.log"));
    assertRefused(
        rolling + trigger("SizeBasedTriggeringPolicy", "<maxFileSize>0</maxFileSize>"),
        "Setting [maxFileSize] has the value [0]; allowed: a size such as 10MB, 1 or more");
    assertRefused(
        rolling + trigger("SizeOrTimeBasedTriggeringPolicy", "<datePattern>yyyy</datePattern>"),
        "Setting [datePattern] has the value [yyyy]",
        "no period of a month or less",
        "To do: correct it");
    assertRefused(
        rolling + trigger("SizeOrTimeBasedTriggeringPolicy", "<datePattern>xyz'</datePattern>"),
        "Setting [datePattern] has the value [xyz']");
  }

  @Test
  void shouldRefuseAMissingFileAndPrudentMode() {
    assertRefused(
        policy("FixedWindowRollingPolicy", pattern("app.%i.log.gz")) + SIZE,
        "Setting [file] has the value []; allowed: the path of the active file",
        "To do: set <file>");
    assertRefused("<prudent>true</prudent>" + window(pattern("app.%i.log")), "Setting [prudent]");
    assertRefused("<prudent>true</prudent>" + timed(pattern("app.%d.log")), "Setting [prudent]");
  }

  @Test
  void shouldRefuseANestedPolicyThatLogbackRefuses() {
    String nested =
        "<timeBasedFileNamingAndTriggeringPolicy class="
            + "'ch.qos.logback.core.rolling.SizeAndTimeBasedFNATP'>"
            + "</timeBasedFileNamingAndTriggeringPolicy>";
    assertRefused(
        timed(nested + pattern("app.%d.%i.log")),
        "Setting [timeBasedFileNamingAndTriggeringPolicy]",
        "use io.spillway.rolling.SizeAndTimeBasedRollingPolicy");
  }

  @Test
  void shouldRefuseNamesThatCollideWithTheFile() throws IOException {
    Files.createSymbolicLink(directory.resolve("link"), directory);
    assertRefused(
        "<file>DIR/link/app.3.log</file>"
            + policy("FixedWindowRollingPolicy", pattern("app.%i.log"))
            + SIZE,
        "names other than that of <file> [" + directory + "/link/app.3.log]");
    assertRefused(
        "<file>DIR/app.3.log</file>"
            + policy("FixedWindowRollingPolicy", pattern("app.%i.log"))
            + SIZE,
        "names other than that of <file> [" + directory + "/app.3.log]",
        "change one of the two");
    assertRefused(
        "<file>DIR/app."
            + YearMonth.now()
            + ".log</file>"
            + policy("TimeBasedRollingPolicy", pattern("app.%d{yyyy-MM}.log.gz")),
        "names other than that of <file>");
  }

  @ParameterizedTest
  @CsvSource({
    // what A has, and B may not
    "app.log, app.%i.log, b.log, app.%i.log",
    "app.log, app.%i.log, b.log, app.%i.log.gz",
    "app.log, app.%i.log, app.log, b.%i.log",
    "app.log, app.%i.log, app.5.log, b.%i.log",
    "app.7.log, a.%i.log, b.log, app.%i.log",
    // through a link to the same directory
    "app.log, app.%i.log, b.log, link/app.%i.log",
    "link/app.log, app.%i.log, app.log, b.%i.log",
    "link/app.7.log, a.%i.log, b.log, app.%i.log",
    "app.7.log, a.%i.log, b.log, link/app.%i.log",
    // through a link where the pattern of the other has a number
    "app.log, %i/app.1.log, b.log, 1/app.%i.log",
  })
  void shouldRefuseWhatAnotherAppenderUses(String file, String names, String file2, String names2)
      throws IOException {
    Files.createSymbolicLink(directory.resolve("link"), directory);
    Files.createSymbolicLink(
        directory.resolve("1"), Files.createDirectory(directory.resolve("elsewhere")));
    for (String appender : List.of(Configured.STOCK, Configured.SPILLWAY)) {
      String a = appender("A", appender, file, names);
      String b = appender("B", appender, file2, names2);
      String refs = "<root><appender-ref ref='A'/><appender-ref ref='B'/></root>";
      try (Configured both = new Configured(a + b + refs)) {
        assertThat(both.appender("A").isStarted()).as(() -> "" + both.statuses()).isTrue();
        assertThat(both.appender("B") == null || !both.appender("B").isStarted())
            .as(() -> "" + both.statuses())
            .isTrue();
        both.context.getStatusManager().clear();
      }
    }
  }

  private String appender(String name, String type, String file, String names) {
    String spill = "<spillDirectory>" + directory + "/spill</spillDirectory>";
    return ("<appender name='" + name + "' class='" + type + "'>")
        + (type.equals(Configured.SPILLWAY) ? spill : "")
        + ("<file>" + directory + "/" + file + "</file>")
        + policy("FixedWindowRollingPolicy", pattern(names)).replace("DIR", directory.toString())
        + SIZE
        + "<encoder><pattern>%msg%n</pattern></encoder></appender>";
  }

  /** Once, whatever is rolled over. */
  @ParameterizedTest
  @CsvSource({"app.%i.log.gz, maxRandomDelay", "app.%i.log, compression"})
  void shouldWarnOfWhatHasNoEffectOnAFileThatIsCompressedWhileItIsWritten(
      String names, String setting) {
    String settings =
        "<compression>CONTINUOUS</compression>"
            + window(pattern(names) + "<maxRandomDelay>1 day</maxRandomDelay>");
    try (Configured configured =
        new Configured(Configured.SPILLWAY, directory, settings + ENCODER)) {
      for (int i = 0; i < 3; i++) {
        configured.logAndAwait("message");
        ((RollingFileAppender<?>) configured.file()).rollover();
      }
      configured.logAndAwait("message");
      assertThat(configured.complaints())
          .singleElement()
          .asString()
          .contains("Setting [" + setting + "] has no effect");
    }
  }

  @Test
  void shouldNameTheOtherAppender() {
    String a = appender("A", Configured.STOCK, "app.log", "app.%i.log");
    String b = appender("B", Configured.STOCK, "b.log", "app.%i.log.gz");
    String refs = "<root><appender-ref ref='A'/><appender-ref ref='B'/></root>";
    try (Configured both = new Configured(a + b + refs)) {
      assertThat(both.complaints())
          .anyMatch(m -> m.contains("names that appender [A] does not use") && m.contains("To do"));
    }
  }

  @Test
  void shouldLetGoOfTheNamesWhenStopped() {
    String a = appender("A", Configured.STOCK, "app.log", "app.%i.log");
    String b = appender("B", Configured.STOCK, "b.log", "app.%i.log");
    String ref = "<root><appender-ref ref='A'/></root>";
    try (Configured first = new Configured(a + ref)) {
      first.appender("A").stop();
      FixedWindowRollingPolicy other = new FixedWindowRollingPolicy();
      RollingRig rig = new RollingRig(RollingRig.Host.STOCK, directory.resolve("b.log"));
      other.setContext(first.context);
      other.setFileNamePattern(directory + "/app.%i.log");
      try (rig) {
        rig.with(other, new OnDemand()).start();
        rig.log(b.substring(0, 5));
      }
    }
  }
}
