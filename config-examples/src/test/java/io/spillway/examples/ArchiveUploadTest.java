package io.spillway.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.core.util.Duration;
import io.spillway.examples.testkit.LogFiles;
import io.spillway.examples.upload.RunCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
      example.expect("The archive listener has not taken");
      example.root().info("of today");
      await()
          .atMost(Example.PATIENCE)
          .until(() -> example.hasWarned("The archive listener has not taken"));
      assertThat(logs.resolve(archive)).exists();
      Files.createDirectory(store);
      await().atMost(Example.PATIENCE).until(() -> list().contains(archive));
    }
    assertThat(LogFiles.lines(store, "app\\..*\\.log\\.gz")).isEqualTo(List.of("of yesterday"));
  }

  private List<String> list() throws IOException {
    Path list = logs.resolve("app.log.taken");
    return Files.exists(list) ? Files.readAllLines(list) : List.of();
  }

  @ParameterizedTest
  @CsvSource({"1 millisecond, true", "24 hours, true", "25 hours, false", "0, false"})
  void shouldRefuseATimeoutOutOfItsBounds(String timeout, boolean taken) {
    LoggerContext context = new LoggerContext();
    RunCommand command = new RunCommand();
    command.setContext(context);
    command.setCommand("true");
    command.setTimeout(Duration.valueOf(timeout));
    command.start();
    assertThat(command.isStarted()).isEqualTo(taken);
    assertThat(context.getStatusManager().getCopyOfStatusList())
        .hasSize(taken ? 0 : 1)
        .allMatch(status -> status.getMessage().contains("allowed: 1 millisecond to 24 hours"));
  }

  @Test
  void shouldEndTheCommandThatRunsAtAStop() throws Exception {
    RunCommand command = new RunCommand();
    command.setCommand("tail -f");
    command.start();
    FutureTask<Void> call =
        new FutureTask<>(
            () -> {
              command.archived(Files.createFile(logs.resolve("archive")));
              return null;
            });
    new Thread(call, "upload").start();
    await().atMost(Example.PATIENCE).until(() -> ProcessHandle.current().children().count() > 0);
    command.stop();
    assertThatThrownBy(() -> call.get(Example.PATIENCE.toSeconds(), TimeUnit.SECONDS))
        .hasRootCauseInstanceOf(IOException.class)
        .hasMessageContaining("exit code");
  }
}
