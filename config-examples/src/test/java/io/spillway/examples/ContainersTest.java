package io.spillway.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.examples.AppJvm.Answer;
import io.spillway.examples.testkit.LogFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Applications as they run in containers: whole JVMs, Logback configured by itself. */
@Timeout(120)
class ContainersTest {
  private static final int MORE = 1_000;
  private static final Duration LONGER_THAN_BY_DEFAULT = Duration.ofMillis(1_500); // maxFlushTime
  private static final String DAY = "\\d{4}-\\d{2}-\\d{2}";

  @TempDir Path logs;

  /** On a volume as Kubernetes makes it: others may write there, and Logback prints warnings. */
  @Test
  void shouldGoOnWhileNobodyReadsTheConsole() throws Exception {
    Files.setPosixFilePermissions(logs, PosixFilePermissions.fromString("rwxrwxrwx"));
    try (AppJvm app = new AppJvm("console", logs)) {
      Answer stalled = app.tell(App.LONG, 4_000);
      assertThat(stalled.spilled()).isPositive();
      assertThat(LogFiles.names(logs)).anyMatch(name -> name.matches("console.spill/.*\\.events"));
      int logged = app.tell(App.SHORT, MORE).logged();
      assertThat(logged).isEqualTo(stalled.logged() + MORE);
      app.endMain(); // with nearly everything still to be printed
      app.assertAliveFor(LONGER_THAN_BY_DEFAULT);

      List<String> lines = app.readToEnd();

      assertComplete(lines, logged);
      assertThat(LogFiles.names(logs)).isEmpty();
    }
  }

  @Test
  void shouldLoseNothingInASmallHeap() throws Exception {
    try (AppJvm app = new AppJvm("small-container", logs, "-Xmx128m")) {
      BlockedFile blocked = new BlockedFile(logs.resolve("app.log"));
      Answer stalled = app.tell(App.LONG, 16_000);
      assertThat(stalled.spilled()).isPositive();
      assertThat(LogFiles.names(logs)).anyMatch(name -> name.matches("app.log.spill/.*\\.bytes"));
      blocked.lift();
      app.tell(App.SHORT, MORE);
      int logged = app.tell(App.SETTLE).logged();
      app.endMain();

      assertThat(app.readToEnd()).as("printed, as by Logback about a problem").isEmpty();
      List<String> lines =
          LogFiles.lines(
              logs,
              "app\\." + DAY + "\\.0\\.log\\.gz",
              "app\\." + DAY + "\\.1\\.log\\.gz",
              "app\\.log");
      assertComplete(lines, logged);
    }
  }

  private static void assertComplete(List<String> lines, int logged) {
    assertThat(lines.stream().mapToInt(Traffic::numberOfLine).toArray())
        .isEqualTo(IntStream.range(0, logged).toArray());
  }
}
