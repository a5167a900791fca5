package io.spillway.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.spi.AppenderAttachable;
import ch.qos.logback.core.util.FileSize;
import io.spillway.examples.testkit.LogFiles;
import io.spillway.examples.testkit.OldArchives;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What each example keeps, to the day, 16 MB and the index: the rest is deleted. */
class RetentionTest {
  private static final String TENANT = "acme";

  @TempDir Path logs;

  @ParameterizedTest
  @CsvSource({
    "audit-log, audit.log, 'audit.'yyyy-MM-dd'.log.gz', 400",
    "collector, app.log, 'app.'yyyy-MM-dd'.0.log', 4",
    "json-logback, app.json, 'app.'yyyy-MM-dd'.0.json.gz', 14",
    "json-logstash, app.json, 'app.'yyyy-MM-dd'.0.json.gz', 14",
    "json-steno, app.steno.log, 'app.'yyyy-MM-dd'.0.steno.log.gz', 14",
    "rolling-file-drop-in, app.log, 'app.'yyyy-MM-dd'.0.log.gz', 14",
    "rolling-size-and-time, app.log, 'app.'yyyy-MM-dd'.0.log.gz', 14",
    "rolling-time-based, app.log, yyyy/MM/'app.'yyyy-MM-dd'.log.gz', 30",
    "sifting, acme/app.log, 'acme/app.'yyyy-MM-dd'.log.gz', 30",
    "small-container, app.log, 'app.'yyyy-MM-dd'.0.log.gz', 7",
    "spill-on-another-disk, app.log, 'app.'yyyy-MM-dd'.0.log.gz', 14",
  })
  void shouldDeleteWhatIsOlder(String folder, String active, String archive, int days)
      throws Exception {
    rollOver(folder, active, OldArchives.beyondHistory(logs, archive, days));
  }

  @ParameterizedTest
  @CsvSource({
    "collector, 'app.'yyyy-MM-dd'.0.log', 1GB",
    "rolling-file-drop-in, 'app.'yyyy-MM-dd'.0.log.gz', 20GB",
    "rolling-size-and-time, 'app.'yyyy-MM-dd'.0.log.gz', 100GB",
    "rolling-time-based, yyyy/MM/'app.'yyyy-MM-dd'.log.gz', 20GB",
    "small-container, 'app.'yyyy-MM-dd'.0.log.gz', 200MB",
    "spill-on-another-disk, 'app.'yyyy-MM-dd'.0.log.gz', 20GB",
  })
  void shouldDeleteWhatIsMore(String folder, String archive, String size) throws Exception {
    rollOver(
        folder, "app.log", OldArchives.beyondCap(logs, archive, FileSize.valueOf(size).getSize()));
  }

  /** By the first event, as the active file is of yesterday. */
  private void rollOver(String folder, String active, OldArchives archives) throws Exception {
    LocalDate yesterday = LocalDate.now().minusDays(1);
    Path file = logs.resolve(active);
    Files.createDirectories(file.getParent());
    Files.writeString(file, "of yesterday\n");
    Files.setLastModifiedTime(
        file,
        FileTime.from(yesterday.atTime(LocalTime.NOON).atZone(ZoneId.systemDefault()).toInstant()));
    try (Example example = load(folder + "/logback.xml")) {
      example.putMdc("tenant", TENANT);
      example.logger("audit").info("of today");
      archives.awaitSurplusGone();
    }
    archives.removeKept();
  }

  private Example load(String file) throws Exception {
    return new Example(file, Map.of("LOG_DIR", "" + logs, "SPILL_DIR", "" + logs.resolve("spool")));
  }

  @ParameterizedTest
  @CsvSource({
    "async-drop-in/logback.xml, SPILLWAY, app, 1, 5",
    "debug-log/logback.xml, DEBUG, debug, 1, 3",
    "keep-levels/logback.xml, FILE, app, 1, 5",
    "incident/before.xml, ASYNC, push, 1, 7",
    "incident/after.xml, FILE, push, 1, 7",
    "rolling-fixed-window/logback.xml, FILE, app, 1, 10",
  })
  void shouldKeepTheWindow(String file, String appender, String name, int min, int max)
      throws Exception {
    List<String> names = new ArrayList<>();
    for (int i = min; i <= max; i++) {
      names.add(name + "." + i + ".log.gz");
      plant(logs.resolve(name + "." + i + ".log.gz"), "archive " + i);
    }
    names.add(name + ".log");
    Files.writeString(logs.resolve(name + ".log"), "active\n");
    try (Example example = load(file)) {
      rollOver(example.root().getAppender(appender));
      example.root().info("of today");
      Path newest = logs.resolve(names.get(0));
      await()
          .atMost(Example.PATIENCE)
          .ignoreExceptions() // while it is not there yet
          .until(() -> LogFiles.lines(newest).equals(List.of("active")) && holdsOnly(names));
    }
    assertThat(LogFiles.names(logs)).hasSameElementsAs(names);
    for (int i = min; i < max; i++) {
      assertThat(LogFiles.lines(logs.resolve(name + "." + (i + 1) + ".log.gz")))
          .containsExactly("archive " + i);
    }
  }

  /** Beside the spill. */
  private boolean holdsOnly(List<String> names) {
    return Arrays.stream(logs.toFile().list())
        .filter(name -> !name.endsWith(".spill"))
        .sorted()
        .toList()
        .equals(names.stream().sorted().toList());
  }

  private static void plant(Path archive, String line) throws IOException {
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(archive))) {
      out.write(line.getBytes(StandardCharsets.UTF_8));
    }
  }

  private static void rollOver(Appender<ILoggingEvent> appender) {
    if (appender instanceof AppenderAttachable<?> wrapper) {
      ((RollingFileAppender<?>) wrapper.getAppender("FILE")).rollover();
    } else {
      ((RollingFileAppender<?>) appender).rollover();
    }
  }
}
