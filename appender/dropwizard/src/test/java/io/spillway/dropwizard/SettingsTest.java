package io.spillway.dropwizard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.status.Status;
import io.dropwizard.configuration.ConfigurationException;
import io.dropwizard.configuration.FileConfigurationSourceProvider;
import io.dropwizard.core.Configuration;
import io.dropwizard.core.server.AbstractServerFactory;
import io.dropwizard.logging.common.DefaultLoggingFactory;
import io.dropwizard.request.logging.LogbackAccessRequestLogFactory;
import io.dropwizard.util.DataSize;
import io.spillway.examples.testkit.ForkedApp;
import io.spillway.examples.testkit.SinkGate;
import io.spillway.metrics.LossCause;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each setting does what it says, and says what is wrong with it. */
@Tag("slow")
class SettingsTest {
  @TempDir private Path logs;

  private LogUnderTest log(String... settings) throws IOException, ConfigurationException {
    return new LogUnderTest(with(settings));
  }

  /** With a file, and archives by date, unless the settings have their own. */
  private List<String> with(String... settings) {
    List<String> all = new ArrayList<>(List.of(settings));
    addUnlessThere(all, "currentLogFilename: " + logs + "/app.log");
    if (!all.contains("archive: false")) {
      addUnlessThere(all, "archivedLogFilenamePattern: " + logs + "/app.%d.log");
    }
    return all;
  }

  private static void addUnlessThere(List<String> settings, String setting) {
    String name = setting.substring(0, setting.indexOf(':') + 1);
    if (settings.stream().noneMatch(other -> other.startsWith(name))) {
      settings.add(setting);
    }
  }

  private List<String> lines() throws IOException {
    return Files.readAllLines(logs.resolve("app.log"));
  }

  /** What Dropwizard finds when it reads its configuration. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          queueSize: 0             | queueSize must be greater than or equal to 1
          maxSpillSize: much       | maxSpillSize; Cannot construct instance
          spillModus: ALWAYS       | Unrecognized field at: logging.appenders.[0].spillModus
          maxFileSize: 1MiB        | when specifying maxFileSize, archivedLogFilenamePattern must contain %i
          """)
  void shouldSayWhatTheConfigurationHasWrong(String setting, String message) {
    assertThatThrownBy(() -> log(setting))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining(message);
  }

  /** What the appender refuses: the same for the appender of a logger, which is not validated. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          maxSpillSize: 10KiB      | [maxSpillSize] has the value [10240]; allowed: a size such as 64 MB, 1 MB or more
          maxSpillSize:            | [maxSpillSize] has the value [null]; allowed: a size
          spillMode: SOMETIMES     | [spillMode] has the value [SOMETIMES]; allowed: one of [OVERFLOW, ALWAYS]
          spillSync: 0ms           | [spillSync] has the value [0ms]; allowed: OS, or a time of 1 millisecond or more
          spillSync: often         | [spillSync] has the value [often]; allowed: OS, or a time
          spillSync:               | [spillSync] has the value [null]; allowed: OS, or a time
          maxFlushTime: 500us      | [maxFlushTime] has the value [500us]; allowed: a time of 1 millisecond or more
          maxFlushTime: 5m         | [maxFlushTime] has the value [5m]; allowed: a time of 1 millisecond or more
          maxFlushTime: soon       | [maxFlushTime] has the value [soon]; allowed: a time
          whenFull: PANIC          | [whenFull] has the value [PANIC]; allowed: one of [BLOCK, DROP, DROP_OLDEST]
          whenFullKeepLevel: WARN  | [whenFullKeepLevel] has the value [WARN]; allowed: no value while whenFull is BLOCK
          queueSize: 20000000      | [queueSize] has the value [20000000]; allowed: a number from 1 to 16777216
          messageRate: 100ms       | [messageRate] has the value [100 milliseconds]; allowed: none
          """)
  void shouldSayWhatIsWrong(String setting, String message) {
    assertRefused(() -> log(setting), "Setting " + message);
    assertRefused(() -> LogUnderTest.ofLogger(with(setting)), "Setting " + message);
    assertThat(logs).isEmptyDirectory();
  }

  private static void assertRefused(ThrowingCallable build, String message) {
    assertThatThrownBy(build)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("The appender [app.log] of type spillway cannot start. ")
        .hasMessageContaining(message);
  }

  /** What Dropwizard finds for other appenders only. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          queueSize: 0      | Setting [queueSize] has the value [0]; allowed: a number from 1 to
          maxFileSize: 1MiB | Missing integer token, that is %i, in FileNamePattern
          """)
  void shouldSayWhatIsWrongWithTheAppenderOfALogger(String setting, String message) {
    assertRefused(() -> LogUnderTest.ofLogger(with(setting)), message);
    assertThat(logs).isEmptyDirectory();
  }

  @ParameterizedTest
  @CsvSource({
    "archive: false, Setting [currentLogFilename] has the value [null]; allowed: a file",
    "archive: true, The FileNamePattern option must be set",
  })
  void shouldSayThatTheAppenderOfALoggerHasNoFile(String setting, String message) {
    assertThatThrownBy(() -> LogUnderTest.ofLogger(List.of(setting)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(message);
  }

  /** The request log's comes late in the start, when Dropwizard prints no status messages. */
  @ParameterizedTest
  @ValueSource(strings = {"logging", "server.requestLog"})
  void shouldEndTheStartOfAnApplication(String of) throws Exception {
    List<String> options = List.of("-Ddw." + of + ".appenders[0].spillSync=often");
    String example = Path.of("example.yml").toAbsolutePath().toString();
    try (ForkedApp app =
        ForkedApp.start(logs, options, ExampleApplication.class, "server", example)) {
      assertThat(app.awaitEnd()).isEqualTo(1);
      assertThat(app.output())
          .contains("Setting [spillSync] has the value [often]; allowed: OS, or a time of");
    }
  }

  @Test
  void shouldBuildTheAppenderOfALogger() throws Exception {
    try (LogUnderTest log = LogUnderTest.ofLogger(with("spillMode: always"))) {
      log.logger.info("hello");
    }
    assertThat(lines()).singleElement().asString().endsWith("hello");
  }

  @Test
  void shouldAcceptTheExampleAsItStands() throws Exception {
    Configuration example =
        LogUnderTest.parse(new FileConfigurationSourceProvider(), "example.yml");
    assertRollsOverAtAGibibyte(
        ((DefaultLoggingFactory) example.getLoggingFactory()).getAppenders());
    AbstractServerFactory server = (AbstractServerFactory) example.getServerFactory();
    assertRollsOverAtAGibibyte(
        ((LogbackAccessRequestLogFactory) server.getRequestLogFactory()).getAppenders());
  }

  private static void assertRollsOverAtAGibibyte(List<?> appenders) {
    assertThat(appenders)
        .singleElement()
        .isInstanceOfSatisfying(
            SpillwayAppenderFactory.class,
            file -> assertThat(file.getMaxFileSize()).isEqualTo(DataSize.gibibytes(1)));
  }

  @Test
  void shouldSayWhatIsWrongWithSettingsTogether() {
    assertRefused(
        () -> log("whenFull: DROP_OLDEST", "whenFullKeepLevel: WARN"),
        "[whenFullKeepLevel] has the value [WARN]; allowed: no value while whenFull is DROP_OLDEST");
    assertRefused(
        () -> log("whenFull: DROP", "whenFullKeepLevel: LOUD"),
        "[whenFullKeepLevel] has the value [LOUD]; allowed: one of [TRACE, DEBUG, INFO, WARN, ERROR]");
    assertRefused(
        () ->
            log(
                "maxFileSize: 1MiB",
                "archivedFileCount: 0",
                "archivedLogFilenamePattern: " + logs + "/app.%i.log"),
        "[archivedFileCount] has the value [0]; allowed: 1 or more");
  }

  @Test
  void shouldSayWhyItCannotStart() throws Exception {
    Path file = Files.createFile(logs.resolve("file"));
    assertThatThrownBy(() -> log("spillDirectory: " + file))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("[app.log] of type spillway cannot start")
        .hasMessageContaining(file.toString());
    assertThatThrownBy(() -> log("archivedLogFilenamePattern: " + logs + "/app.log.old"))
        .hasMessageContaining("FileNamePattern [" + logs + "/app.log.old]");
  }

  /** Path.of throws for it, as for what a JVM without a locale cannot write into a file name. */
  @Test
  void shouldSayWhichSettingNamesAFileThatCannotBe() {
    assertThatThrownBy(
            () -> log("currentLogFilename: \"" + logs + "/a\\0b.log\"", "archive: false"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("of type spillway cannot start")
        .hasMessageContaining("Setting [file]");
  }

  @Test
  void shouldTakeSizesAndTheSpillDirectory() throws Exception {
    Path spill = logs.resolve("elsewhere");
    try (LogUnderTest log =
        log("queueSize: 20000", "maxSpillSize: 5MiB", "spillDirectory: " + spill)) {
      assertThat(log.metrics().getRingCapacity()).isEqualTo(32_768);
      assertThat(log.metrics().getSpillCapacityBytes()).isEqualTo(5 << 20);
      assertThat(spill).isDirectory();
    }
  }

  @Test
  void shouldHaveSpillwaysDefaults() throws Exception {
    try (LogUnderTest log = log()) {
      assertThat(log.metrics().getRingCapacity()).isEqualTo(16_384);
      assertThat(log.metrics().getSpillCapacityBytes()).isEqualTo(1 << 30);
      assertThat(log.appender.getName()).isEqualTo("app.log");
      log.logger.info("hello");
      log.awaitDelivered();
      assertThat(log.metrics().getSpilled()).isZero();
      assertThat(logs.resolve("app.log.spill")).isDirectory();
    }
  }

  @Test
  void shouldSpillAlwaysAndSync() throws Exception {
    try (LogUnderTest log = log("spillMode: always", "spillSync: 10ms")) {
      log.logger.info("hello");
      log.awaitDelivered();
      assertThat(log.metrics().getSpilled()).isEqualTo(1);
      Awaitility.await().until(() -> (long) log.metrics().value("Synced") == 1);
    }
  }

  @ParameterizedTest
  @CsvSource({"whenFull: DROP", "neverBlock: true"})
  void shouldDropWhenAllIsFull(String setting) throws Exception {
    try (LogUnderTest log = log(setting, "maxSpillSize: 1MiB")) {
      SinkGate<ILoggingEvent> gate = SinkGate.before(log.appender);
      gate.shut();
      String text = "x".repeat(100);
      Awaitility.await()
          .until(
              () -> {
                IntStream.range(0, 1_000).forEach(i -> log.logger.info(text));
                return log.metrics().lossOf(LossCause.QUEUE_FULL) > 0;
              });
      gate.open();
    }
  }

  @Test
  void shouldKeepALevelAndDropTheOthers() throws Exception {
    try (LogUnderTest log =
        log("whenFull: drop", "whenFullKeepLevel: warn", "maxSpillSize: 1MiB")) {
      SinkGate<ILoggingEvent> gate = SinkGate.before(log.appender);
      gate.shut();
      String text = "x".repeat(100);
      Awaitility.await()
          .until(
              () -> {
                IntStream.range(0, 1_000).forEach(i -> log.logger.info(text));
                return log.metrics().getDropped() > 0
                    && (long) log.metrics().value("SpillBytes")
                        > log.metrics().getSpillCapacityBytes() / 2;
              });
      Thread warner = new Thread(() -> log.logger.warn(text));
      warner.start();
      Awaitility.await().until(() -> log.metrics().getBlockedCalls() == 1);
      gate.open();
      warner.join();
    }
    assertThat(lines()).filteredOn(line -> line.contains("WARN")).hasSize(1);
  }

  @Test
  void shouldDropTheOldest() throws Exception {
    try (LogUnderTest log = log("whenFull: drop_oldest", "maxSpillSize: 4MiB")) {
      SinkGate<ILoggingEvent> gate = SinkGate.before(log.appender);
      gate.shut();
      String text = "x".repeat(100);
      Awaitility.await()
          .until(
              () -> {
                IntStream.range(0, 1_000).forEach(i -> log.logger.info(text));
                return log.metrics().lossOf(LossCause.EVICTED) > 0;
              });
      gate.open();
    }
  }

  @Test
  void shouldDiscardUpToInfoBelowTheThreshold() throws Exception {
    try (LogUnderTest log = log("discardingThreshold: 16385")) {
      log.logger.info("dropped");
      log.logger.warn("kept");
      log.awaitDelivered();
      assertThat(log.metrics().lossOf(LossCause.DISCARDED)).isEqualTo(1);
    }
    assertThat(lines()).singleElement().asString().endsWith("kept");
  }

  @Test
  void shouldStopAfterMaxFlushTimeAndDeliverAtTheNextStart() throws Exception {
    try (LogUnderTest log = log("maxFlushTime: 1ms")) {
      SinkGate<ILoggingEvent> gate = SinkGate.before(log.appender);
      gate.shut();
      log.logger.info("later");
      long start = System.nanoTime();
      log.appender.stop();
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(1));
      gate.open();
    }
    try (LogUnderTest log = log()) {
      log.awaitDelivered();
    }
    assertThat(lines()).singleElement().asString().endsWith("later");
  }

  @Test
  void shouldPrintAndFilterAsDropwizardDoes() throws Exception {
    try (LogUnderTest log =
        log("threshold: WARN", "logFormat: '%level %method %msg%n'", "timeZone: system")) {
      log.logger.info("no");
      log.logger.warn("yes");
    }
    assertThat(lines()).containsExactly("WARN shouldPrintAndFilterAsDropwizardDoes yes");
  }

  @Test
  void shouldHaveCallerDataForALayoutThatHidesItsPattern() throws Exception {
    try (LogUnderTest log = log("layout: {type: caller}")) {
      log.logger.info("hello");
    }
    assertThat(lines()).containsExactly("shouldHaveCallerDataForALayoutThatHidesItsPattern hello");
  }

  @Test
  void shouldLetTheFileGrowWithoutArchives() throws Exception {
    try (LogUnderTest log = log("archive: false")) {
      log.logger.info("one");
      log.appender.rollover();
      log.logger.info("two");
      log.awaitDelivered();
      assertThat(log.appender.getContext().getStatusManager().getCopyOfStatusList())
          .allMatch(status -> status.getLevel() == Status.INFO);
    }
    assertThat(lines()).hasSize(2);
    assertThat(logs).isDirectoryContaining("glob:**/app.log");
  }

  @Test
  void shouldKeepAFixedWindow() throws Exception {
    try (LogUnderTest log =
        log(
            "maxFileSize: 1KiB",
            "archivedFileCount: 2",
            "archivedLogFilenamePattern: " + logs + "/app.%i.log")) {
      for (int i = 0; i < 4; i++) {
        log.logger.info("x".repeat(1_100));
        log.awaitDelivered();
      }
      assertThat(log.metrics().getRollovers()).isEqualTo(3);
    }
    assertThat(logs.resolve("app.1.log")).exists();
    assertThat(logs.resolve("app.2.log")).exists();
    assertThat(logs.resolve("app.3.log")).doesNotExist();
  }

  @Test
  void shouldRollBySizeAndDateAndCompress() throws Exception {
    String today = LocalDate.now().toString();
    Path archive = logs.resolve("app." + today + ".0.log.gz");
    Path old = Files.createFile(logs.resolve("app." + LocalDate.now().minusDays(10) + ".0.log.gz"));
    try (LogUnderTest log =
        log(
            "maxFileSize: 1KiB",
            "archivedFileCount: 3",
            "totalSizeCap: 1MiB",
            "archivedLogFilenamePattern: " + logs + "/app.%d.%i.log.gz")) {
      log.logger.info("x".repeat(1_100));
      log.awaitDelivered();
      log.logger.info("y");
      Awaitility.await().until(() -> Files.exists(archive) && Files.notExists(old));
    }
    assertThat(lines()).singleElement().asString().endsWith("y");
  }

  @Test
  void shouldPrintTimesInItsTimeZone() throws Exception {
    try (LogUnderTest log = log("timeZone: Pacific/Kiritimati")) { // 14 hours ahead of UTC
      log.logger.info("hello");
    }
    String there = LocalDate.now(ZoneOffset.ofHours(14)).toString();
    assertThat(lines()).singleElement().asString().contains("[" + there);
  }
}
