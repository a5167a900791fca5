package io.spillway.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.spillway.examples.testkit.LogFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An archive is copied elsewhere by a command, once it can be. */
class ArchiveUploadTest {
  @TempDir Path logs;
  @TempDir Path elsewhere;

  @Test
  void shouldRunACommandForAnArchiveUntilItSucceeds() throws Exception {
    LocalDate yesterday = LocalDate.now().minusDays(1);
    Path active = Files.writeString(logs.resolve("app.log"), "of yesterday\n");
    Files.setLastModifiedTime(
        active,
        FileTime.from(yesterday.atTime(LocalTime.NOON).atZone(ZoneId.systemDefault()).toInstant()));
    Path store = elsewhere.resolve("store"); // which is away at first
    Map<String, String> properties =
        Map.of("LOG_DIR", logs.toString(), "UPLOAD_COMMAND", "cp -t " + store);
    String archive = "app." + yesterday + ".log.gz";
    try (Example example = new Example("archive-upload/logback.xml", properties)) {
      example.expect("The archive listener did not take");
      example.root().info("of today");
      await()
          .atMost(Example.PATIENCE)
          .until(() -> example.hasWarned("The archive listener did not take"));
      assertThat(logs.resolve(archive)).exists();
      Files.createDirectory(store);
      await()
          .atMost(Example.PATIENCE)
          .until(() -> LogFiles.names(logs).stream().anyMatch(name -> name.endsWith(".taken")));
    }
    assertThat(LogFiles.lines(store, "app\\..*\\.log\\.gz")).isEqualTo(List.of("of yesterday"));
    assertThat(Files.readAllLines(logs.resolve("app.dyyyy-MM-dd.log.gz.taken")))
        .containsExactly(archive);
  }
}
