package io.spillway.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.spi.ILoggingEvent;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.examples.testkit.LogFiles;
import io.spillway.metrics.SpillwayMetrics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The real tail follows the log across rotations, and gets every line once. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "skipped, this is for the tail of coreutils")
class CollectorTest {
  private static final int ROTATIONS = 5;
  private static final int EVENTS = 1_000;

  @TempDir Path directory;

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
