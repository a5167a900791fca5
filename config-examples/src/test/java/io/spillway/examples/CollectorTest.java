package io.spillway.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.spi.ILoggingEvent;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.examples.testkit.LogFiles;
import io.spillway.metrics.SpillwayMetrics;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The real tail follows the log across rotations, and gets every line once. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "skipped, this is for the tail of coreutils")
class CollectorTest {
  private static final int ROTATIONS = 5;
  private static final int EVENTS = 1_000;

  @TempDir Path directory;

  /** A program that sees the names takes a file whose name it does not know for a deleted one. */
  @ParameterizedTest
  @CsvSource({"vector.yaml, include", "filebeat.yml, paths"})
  void shouldKnowAFileByEachNameThatItHas(String file, String setting) throws Exception {
    Matcher globs =
        Pattern.compile("^ +" + setting + ": \\[(.+)]$", Pattern.MULTILINE)
            .matcher(Files.readString(Path.of("collector", file)));
    assertThat(globs.find()).isTrue();
    List<PathMatcher> known =
        Stream.of(globs.group(1).split(", "))
            .map(glob -> FileSystems.getDefault().getPathMatcher("glob:" + glob))
            .toList();
    Path active = Path.of("/app/logs/app.log");
    Path rolled = active.resolveSibling("app.2026-11-23.0.log");
    assertThat(List.of(active, rolled))
        .allMatch(log -> known.stream().anyMatch(glob -> glob.matches(log)));
    Path segment = active.resolveSibling("app.log.spill/0000000000000001-00000001.bytes");
    assertThat(known).noneMatch(glob -> glob.matches(segment));
    assertThat(known).noneMatch(glob -> glob.matches(segment.getParent()));
  }

  @Test
  void shouldBeFollowedAcrossRotations() throws Exception {
    Path logs = Files.createDirectory(directory.resolve("logs"));
    Path active = logs.resolve("app.log");
    Path collected = directory.resolve("collected");
    Traffic traffic;
    Process tail;
    try (Example example = new Example("collector", logs)) {
      SpillwayRollingFileAppender<ILoggingEvent> appender = example.file(example.root(), "FILE");
      SpillwayMetrics metrics = appender.getMetrics();
      traffic = new Traffic(example.root());
      BlockedFile blocked = new BlockedFile(appender);
      example.expect(BlockedFile.REPORT);
      traffic.overflow(metrics);
      blocked.lift();
      traffic.awaitDelivered(metrics);

      tail = tail(active, collected);
      try {
        awaitCollected(collected, logs); // else it may open the file only after a rollover
        for (int i = 0; i < ROTATIONS; i++) {
          traffic.log(EVENTS);
          traffic.awaitDelivered(metrics);
          Object inode = inode(active);
          appender.rollover();
          traffic.log(1);
          traffic.awaitDelivered(metrics);

          String rolled = "app\\.\\d{4}-\\d{2}-\\d{2}\\." + i + "\\.log";
          assertThat(LogFiles.names(logs))
              .filteredOn(name -> name.matches(rolled))
              .singleElement()
              .satisfies(name -> assertThat(inode(logs.resolve(name))).isEqualTo(inode));
          assertThat(inode(active)).isNotEqualTo(inode);
          awaitCollected(collected, logs);
        }
      } finally {
        tail.destroy();
        tail.waitFor();
      }
      assertThat(metrics.getRollovers()).isEqualTo(ROTATIONS);
    }
    traffic.assertComplete(LogFiles.lines(collected));
  }

  private static void awaitCollected(Path collected, Path logs) {
    await()
        .atMost(Example.PATIENCE)
        .untilAsserted(() -> assertThat(Files.size(collected)).isEqualTo(sizeOfAllLogs(logs)));
  }

  private Process tail(Path followed, Path output) throws IOException {
    return new ProcessBuilder("tail", "-n", "+1", "-s", "0.05", "-F", followed.toString())
        .redirectOutput(output.toFile())
        .redirectError(directory.resolve("tail.txt").toFile())
        .start();
  }

  private static Object inode(Path file) throws IOException {
    return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
  }

  private static long sizeOfAllLogs(Path logs) throws IOException {
    long size = 0;
    for (String name : LogFiles.names(logs)) {
      size += name.endsWith(".log") ? Files.size(logs.resolve(name)) : 0;
    }
    return size;
  }
}
