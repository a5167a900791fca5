package io.spillway.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.spillway.SpillwayRollingFileAppender;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The examples of policies roll over and compress as a user would paste them. */
class RollingExamplesTest {
  private static final int EVENTS = 10_000;
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @TempDir Path logs;

  @Test
  void shouldKeepAFixedWindow() throws Exception {
    logTwiceWithARolloverBetween("rolling-fixed-window", "app.1.log.gz");
  }

  @Test
  void shouldKeepAnArchiveADayInADirectoryAMonth() throws Exception {
    String today = LocalDate.now().toString();
    String month = today.substring(0, 7).replace('-', '/');
    // the compression is put off by up to ten minutes, the rollover is not
    logTwiceWithARolloverBetween("rolling-time-based", month + "/app." + today + ".log");
  }

  @Test
  void shouldCompressWhatIsWritten() throws Exception {
    String today = LocalDate.now().toString();
    logTwiceWithARolloverBetween("rolling-size-and-time", "app." + today + ".0.log.gz");
  }

  private void logTwiceWithARolloverBetween(String folder, String rolled) throws Exception {
    try (Example example = new Example(folder, logs)) {
      Logger logger = example.logger("ROOT");
      SpillwayRollingFileAppender<ILoggingEvent> appender =
          (SpillwayRollingFileAppender<ILoggingEvent>) logger.getAppender("FILE");
      log(logger, 0);
      assertThat(appender.awaitDelivered(PATIENCE)).isTrue();
      appender.rollover();
      log(logger, EVENTS);
      assertThat(appender.awaitDelivered(PATIENCE)).isTrue();
      await().atMost(PATIENCE).until(() -> Files.exists(logs.resolve(rolled)));
      await()
          .atMost(PATIENCE)
          .until(
              () -> !rolled.endsWith(".gz") || appender.getMetrics().getArchiveBacklogFiles() == 0);
      assertThat(appender.getMetrics().getRollovers()).isEqualTo(1);
    }
    List<String> lines = new ArrayList<>(lines(logs.resolve(rolled)));
    assertThat(lines).hasSize(EVENTS);
    lines.addAll(lines(logs.resolve("app.log")));
    assertThat(lines).hasSize(2 * EVENTS);
    for (int i = 0; i < lines.size(); i++) {
      assertThat(lines.get(i)).endsWith(" event " + i);
    }
  }

  private static void log(Logger logger, int from) {
    for (int i = from; i < from + EVENTS; i++) {
      logger.info("event {}", i);
    }
  }

  private static List<String> lines(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file);
        InputStream plain = file.toString().endsWith(".gz") ? new GZIPInputStream(in) : in;
        BufferedReader reader =
            new BufferedReader(new InputStreamReader(plain, StandardCharsets.UTF_8))) {
      return reader.lines().toList();
    }
  }
}
