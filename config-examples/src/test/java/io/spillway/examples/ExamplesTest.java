package io.spillway.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.rolling.RollingFileAppender;
import io.spillway.Acknowledgement;
import io.spillway.SpillwayAppender;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.examples.testkit.LogFiles;
import io.spillway.metrics.SpillwayMetrics;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Marker;
import org.slf4j.MarkerFactory;

/** The drop-ins, and the audit log: overflow to the spill, then a rollover; all of it comes out. */
class ExamplesTest {
  private static final int MORE = 1_000;
  private static final String TIME_AND_MESSAGE =
      "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d[.]\\d{3}Z event .*";

  @TempDir Path logs;

  @Test
  void shouldReplaceAsyncAppender() throws Exception {
    Traffic traffic;
    try (Example example = new Example("async-drop-in", logs)) {
      SpillwayAppender appender = (SpillwayAppender) example.root().getAppender("SPILLWAY");
      RollingFileAppender<ILoggingEvent> file =
          (RollingFileAppender<ILoggingEvent>) appender.getAppender("FILE");
      traffic = new Traffic(example.root());
      HeldAppender held = new HeldAppender(file);
      try {
        traffic.overflow(appender.getMetrics());
        assertThat(LogFiles.names(logs))
            .anyMatch(name -> name.matches("app.log.spill/.*\\.events"));
      } finally {
        held.release();
      }
      traffic.awaitDelivered(appender.getMetrics());
      file.rollover();
      traffic.log(MORE);
      traffic.awaitDelivered(appender.getMetrics());
    }
    traffic.assertComplete(LogFiles.lines(logs, "app\\.1\\.log\\.gz", "app\\.log"));
  }

  @Test
  void shouldReplaceRollingFileAppender() throws Exception {
    Traffic traffic;
    try (Example example = new Example("rolling-file-drop-in", logs)) {
      traffic = Overflow.thenRollOver(example, "FILE");
    }
    traffic.assertComplete(
        LogFiles.lines(logs, "app\\.\\d{4}-\\d{2}-\\d{2}\\.0\\.log\\.gz", "app\\.log"));
  }

  @Test
  void shouldKeepAnAuditLogThroughTheSpill() throws Exception {
    Traffic traffic;
    try (Example example = new Example("audit-log", logs)) {
      Logger logger = example.logger("audit");
      SpillwayRollingFileAppender<ILoggingEvent> audit = example.file(logger, "AUDIT");
      SpillwayMetrics metrics = audit.getMetrics();
      traffic = new Traffic(logger);
      Overflow.thenRollOver(
          example,
          audit,
          traffic,
          () ->
              await()
                  .atMost(Example.PATIENCE)
                  .until(() -> (long) metrics.value("Synced") == metrics.getAccepted()));
      assertThat(metrics.getSpilled()).as("all of it").isEqualTo(traffic.logged());
    }
    List<String> lines =
        LogFiles.lines(logs, "audit\\.\\d{4}-\\d{2}-\\d{2}\\.log\\.gz", "audit\\.log");
    assertThat(lines).allMatch(line -> line.matches(TIME_AND_MESSAGE));
    traffic.assertNumbers(lines.stream().mapToInt(Traffic::number).toArray());
  }

  /** With the marker that the code has to which the example's page leads. */
  @Test
  void shouldGoOnOnlyWithWhatIsOnRecord() throws Exception {
    String code = new Readme("CONFIGURATION.md").block("java", "Acknowledgement.received()");
    Matcher marker = Pattern.compile("MarkerFactory.getMarker\\(\"(.+?)\"\\)").matcher(code);
    assertThat(marker.find()).as(code).isTrue();
    Path javadoc =
        Readme.PROJECT.resolve("appender/src/main/java/io/spillway/Acknowledgement.java");
    assertThat(Files.readString(javadoc)).contains(code.lines().map(" * "::concat).toList());
    try (Example example = new Example("audit-log", logs)) {
      Logger logger = example.logger("audit");
      SpillwayMetrics metrics = example.file(logger, "AUDIT").getMetrics();
      Marker onRecord = MarkerFactory.getMarker(marker.group(1));
      long received = Acknowledgement.received();
      for (int number = 1; number <= 20; number++) {
        logger.info(onRecord, "transfer {} approved", number);
        assertThat((long) metrics.value("Synced")).as("when the call returns").isEqualTo(number);
      }
      assertThat((long) metrics.value("AcknowledgedCalls")).isEqualTo(20);
      assertThat(Acknowledgement.received()).isEqualTo(received + 20);
      assertThat(Acknowledgement.missed()).isZero();
    }
  }
}
