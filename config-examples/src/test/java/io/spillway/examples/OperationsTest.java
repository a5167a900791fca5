package io.spillway.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.spi.ILoggingEvent;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.examples.testkit.LogFiles;
import io.spillway.metrics.SpillwayMetrics;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What operations do with a log: logrotate, containers that are killed, and who may read it. */
@Timeout(120)
class OperationsTest {
  private static final int EVENTS = 1_000;
  private static final long STOP_SECONDS =
      71; // compression, spill, file; maxFlushTime comes on top

  @TempDir Path logs;

  private static SpillwayMetrics metrics(Example example) {
    return example.file(example.root(), "FILE").getMetrics();
  }

  @Test
  void shouldLoseNothingWhenLogrotateRenames() throws Exception {
    Traffic traffic;
    Path renamed = logs.resolve("app.log.1");
    try (Example example = new Example("logrotate", logs)) {
      traffic = new Traffic(example.root());
      traffic.log(EVENTS);
      Files.move(logs.resolve("app.log"), renamed);
      traffic.log(EVENTS);
      traffic.awaitDelivered(metrics(example));
    }
    List<String> lines = new ArrayList<>(LogFiles.lines(renamed));
    lines.addAll(LogFiles.lines(logs.resolve("app.log")));
    traffic.assertComplete(lines);
  }

  @Test
  void shouldGoOnWithoutAHoleAfterCopytruncate() throws Exception {
    Path log = logs.resolve("app.log");
    Path copy = logs.resolve("app.log.1");
    Traffic traffic;
    try (Example example = new Example("logrotate", logs)) {
      traffic = new Traffic(example.root());
      traffic.log(EVENTS);
      traffic.awaitDelivered(metrics(example));
      Files.copy(log, copy);
      try (FileChannel file = FileChannel.open(log, StandardOpenOption.WRITE)) {
        file.truncate(0);
      }
      traffic.log(EVENTS);
      traffic.awaitDelivered(metrics(example));
    }
    assertThat(Files.readString(log)).doesNotContain("\0");
    List<String> lines = new ArrayList<>(LogFiles.lines(copy));
    lines.addAll(LogFiles.lines(log));
    traffic.assertComplete(lines); // nothing was written between copy and truncation
  }

  @Test
  void shouldDeliverWhatAKilledContainerHadSpilled() throws Exception {
    int logged;
    BlockedFile blocked;
    try (AppJvm app = new AppJvm("kubernetes", logs)) {
      blocked = new BlockedFile(logs.resolve("app.log"));
      AppJvm.Answer answer = app.tell(App.LONG, EVENTS);
      logged = answer.logged();
      assertThat(answer.spilled()).isEqualTo(logged); // spillMode ALWAYS; the ring is empty
    } // SIGKILL
    blocked.lift();
    try (AppJvm app = new AppJvm("kubernetes", logs)) {
      app.tell(App.SETTLE);
      app.endMain();
      app.readToEnd();
    }
    int[] numbers =
        LogFiles.lines(logs.resolve("app.log")).stream().mapToInt(Traffic::numberOfLine).toArray();
    assertThat(numbers).isEqualTo(java.util.stream.IntStream.range(0, logged).toArray());
  }

  /**
   * The grace period covers preStop and a stop, also of a file that closes slowly; the log is on
   * the volume, where a new pod opens nothing of the spill to the group.
   */
  @Test
  void shouldFitTheDeployment() throws Exception {
    String yaml = Files.readString(Path.of("kubernetes/deployment.yaml"));
    long grace = number(yaml, "terminationGracePeriodSeconds: ");
    long sleep = number(yaml, "sleep, '");
    try (Example example = new Example("kubernetes", logs)) {
      Object flush =
          io.spillway.examples.testkit.Internals.read(
              example.root().getAppender("FILE"), "core.pipeline.config.maxFlushNanos");
      assertThat(grace).isGreaterThan(sleep + STOP_SECONDS + (Long) flush / 1_000_000_000L);
    }
    assertThat(yaml).contains("{name: LOG_DIR, value: /var/log/shop}", "mountPath: /var/log/shop");
    assertThat(yaml).contains("fsGroup: ", "fsGroupChangePolicy: OnRootMismatch");
  }

  private static long number(String text, String behind) {
    String rest = text.substring(text.indexOf(behind) + behind.length());
    return Long.parseLong(rest.replaceFirst("(?s)\\D.*", ""));
  }

  @Test
  void shouldSpillMaskedTextThatNobodyElseReadsAndDeleteIt() throws Exception {
    Path spill = logs.resolve("private/spill");
    Map<String, String> places = Map.of("LOG_DIR", "" + logs, "SPILL_DIR", "" + spill);
    String card = "4929123412345678";
    String text = "x".repeat(3_000);
    try (Example example = new Example("data-at-rest/logback.xml", places)) {
      SpillwayRollingFileAppender<ILoggingEvent> appender = example.file(example.root(), "FILE");
      BlockedFile blocked = new BlockedFile(appender);
      example.expect(BlockedFile.REPORT);
      for (int i = 0; i < 4_000; i++) {
        example.root().info("card {} {}", card, text);
      }
      await().atMost(Example.PATIENCE).until(() -> appender.getMetrics().getRingUsed() == 0);
      assertThat(appender.getMetrics().getSpilled()).isPositive();

      String spilled = "";
      for (Path file : files(spill)) {
        spilled += Files.readString(file, java.nio.charset.StandardCharsets.ISO_8859_1);
        assertThat(permissions(file)).as("" + file).isEqualTo("rw-------");
        assertThat(permissions(file.getParent())).isEqualTo("rwx------");
      }
      assertThat(spilled).contains("card 4929********5678").doesNotContain(card);
      blocked.lift();
      await().atMost(Example.PATIENCE).until(() -> appender.getMetrics().getPending() == 0);
    }
    assertThat(spill).doesNotExist();
    assertThat(Files.readString(logs.resolve("app.log")))
        .contains("card 4929********5678")
        .doesNotContain(card);
  }

  private static List<Path> files(Path directory) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      return all.filter(Files::isRegularFile).toList();
    }
  }

  private static String permissions(Path file) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
  }

  @Test
  void shouldLimitWhatIsRepeatedBeforeTheRing() throws Exception {
    try (Example example = new Example("rate-limit", logs)) {
      for (int i = 0; i < EVENTS; i++) {
        example.root().error("order {} failed", i);
        example.root().debug("retry of {}", i);
      }
      example.root().info("goes on");
      await().atMost(Example.PATIENCE).until(() -> metrics(example).getPending() == 0);
      assertThat(metrics(example).getAccepted()).isEqualTo(1 + 5 + 1);
      assertThat(metrics(example).getDropped()).as("nothing was lost").isZero();
    }
    assertThat(LogFiles.lines(logs.resolve("app.log"))).hasSize(1 + 5 + 1);
  }
}
