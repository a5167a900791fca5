package io.spillway.internal.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.core.rolling.RollingFileAppender;
import io.spillway.metrics.LossCause;
import io.spillway.metrics.MonitoredAppender;
import io.spillway.metrics.SpillwayMetrics;
import io.spillway.testkit.Compressor;
import io.spillway.testkit.Configured;
import io.spillway.testkit.FileRig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A real flight recording tells the story of an incident. */
@Tag("own")
@Timeout(120)
class FlightRecordingTest {
  private static final String PUBLISHER = "publisher";

  @TempDir Path directory;

  private final Recording recording = new Recording();

  private List<RecordedEvent> recorded() {
    recording.stop();
    Path file = directory.resolve("recording.jfr");
    try (recording) {
      recording.dump(file);
      List<RecordedEvent> ours =
          RecordingFile.readAllEvents(file).stream()
              .filter(event -> event.getEventType().getName().startsWith("io.spillway."))
              .toList();
      assertThat(ours)
          .as("threads")
          .noneMatch(event -> PUBLISHER.equals(event.getThread().getJavaName()));
      assertThat(ours).as("stacks").allMatch(event -> event.getStackTrace() == null);
      return ours;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<RecordedEvent> of(List<RecordedEvent> events, String name) {
    return events.stream()
        .filter(event -> event.getEventType().getName().equals("io.spillway." + name))
        .toList();
  }

  private static long sum(List<RecordedEvent> events, String field) {
    return events.stream().mapToLong(event -> event.getLong(field)).sum();
  }

  private static void publish(Runnable action) throws InterruptedException {
    Thread publisher = new Thread(action, PUBLISHER);
    publisher.start();
    publisher.join();
  }

  @Test
  void shouldTellOfStallSpillAndRollover() throws Exception {
    recording.enable("io.spillway.Stall").withThreshold(Duration.ofMillis(20));
    recording.start();
    SpillwayMetrics metrics;
    try (FileRig rig = new FileRig(directory.resolve("app.log")).spill(directory.resolve("s"))) {
      rig.appender.setMemoryBuffer("64 KB");
      rig.start();
      metrics = rig.metrics();
      rig.policy.gate.shut();
      publish(() -> rig.log(5_000));
      rig.await("spilled", () -> rig.metrics().getSpilled() > 4_000);
      rig.await("begun", () -> rig.policy.gate.isHolding() && rig.metrics().getSpillEpisodes() > 0);
      long begun = System.nanoTime(); // both spans have begun; their first use may take a while
      rig.await("stood still", () -> System.nanoTime() - begun > 50_000_000);
      rig.policy.roll();
      rig.policy.gate.open();
      rig.awaitDelivered();
    }
    List<RecordedEvent> events = recorded();

    List<RecordedEvent> stalls = of(events, "Stall");
    assertThat(stalls).isNotEmpty();
    assertThat(stalls.get(0).getDuration()).isGreaterThanOrEqualTo(Duration.ofMillis(50));
    assertThat(stalls.get(0).getThread().getJavaName()).isEqualTo("spillway-deliverer-FILE");

    List<RecordedEvent> episodes = of(events, "SpillEpisode");
    assertThat(sum(episodes, "events")).isEqualTo(metrics.getSpilled());
    assertThat(episodes).hasSize((int) metrics.getSpillEpisodes());
    assertThat(episodes).allMatch(episode -> episode.getBoolean("emptied"));
    assertThat(sum(episodes, "bytes")).isGreaterThan(4_000 * 30);
    assertThat(episodes.get(0).getDuration()).isGreaterThanOrEqualTo(Duration.ofMillis(50));

    List<RecordedEvent> rollovers = of(events, "Rollover");
    assertThat(rollovers).hasSize(1);
    assertThat(rollovers.get(0).getString("file")).isEqualTo(directory + "/app.log");
    assertThat(rollovers.get(0).getLong("bytes"))
        .isEqualTo(Files.size(directory.resolve("app.log.1")));

    assertThat(events)
        .allMatch(event -> event.getString("context").equals("rig"))
        .allMatch(event -> event.getString("appender").equals("FILE"));
  }

  /** Without a file the next one has another name. */
  @Test
  void shouldNameTheFileThatWasRolledOver() throws Exception {
    recording.start();
    Path rolled;
    try (Configured configured =
        new Configured(
            Configured.SPILLWAY,
            directory,
            "<spillDirectory>DIR/s</spillDirectory>"
                + "<rollingPolicy class='io.spillway.rolling.SizeAndTimeBasedRollingPolicy'>"
                + "<fileNamePattern>DIR/app.%d{yyyy-MM}.%i.log</fileNamePattern>"
                + "<maxFileSize>1GB</maxFileSize></rollingPolicy>"
                + "<encoder><pattern>%msg%n</pattern></encoder>")) {
      publish(() -> configured.logAndAwait("one"));
      rolled = Path.of(configured.file().getFile());
      ((RollingFileAppender<?>) configured.file()).rollover();
      publish(() -> configured.logAndAwait("the next"));
      assertThat(configured.file().getFile()).isNotEqualTo(rolled.toString());
    }
    List<RecordedEvent> rollovers = of(recorded(), "Rollover");
    assertThat(rollovers).hasSize(1);
    assertThat(rollovers.get(0).getString("file")).isEqualTo(rolled.toString());
    assertThat(rollovers.get(0).getLong("bytes")).isEqualTo(Files.size(rolled));
  }

  @Test
  void shouldTellOfARolloverThatFailed() {
    recording.start();
    try (FileRig rig = new FileRig(directory.resolve("app.log")).spill(directory.resolve("s"))) {
      rig.policy.onRollover(
          () -> {
            throw new IllegalStateException("on purpose");
          });
      rig.start();
      rig.policy.roll();
      rig.log(1);
      rig.awaitDelivered();
      assertThat(rig.metrics().getRollovers()).isEqualTo(1);
      assertThat(rig.metrics().getSinkFailures()).isEqualTo(1);
    }
    assertThat(of(recorded(), "Rollover")).hasSize(1);
  }

  @Test
  void shouldTellOfLossesThatPublishersCounted() throws Exception {
    recording.start();
    SpillwayMetrics metrics;
    try (FileRig rig = new FileRig(directory.resolve("app.log")).spill(directory.resolve("s"))) {
      rig.appender.setMemoryBuffer("64 KB");
      rig.appender.setMaxSpillSize("1 MB");
      rig.appender.setWhenFull("DROP");
      rig.start();
      metrics = rig.metrics();
      rig.policy.gate.shut();
      publish(
          () -> {
            while (rig.metrics().lossOf(LossCause.QUEUE_FULL) < 1_000) {
              rig.log(1_000);
            }
          });
      rig.policy.gate.open();
      rig.awaitDelivered();
    }
    List<RecordedEvent> losses = of(recorded(), "Loss");
    assertThat(sum(losses, "events")).isEqualTo(metrics.lossOf(LossCause.QUEUE_FULL));
    assertThat(losses)
        .allMatch(loss -> loss.getString("cause").equals("QUEUE_FULL"))
        .noneMatch(loss -> loss.getBoolean("accepted"));
    assertThat(losses).extracting(loss -> loss.getString("level")).containsOnly("INFO");
  }

  @Test
  void shouldTellOfEachLevelThatMadeRoom() throws Exception {
    recording.start();
    SpillwayMetrics metrics;
    try (FileRig rig = new FileRig(directory.resolve("app.log")).spill(directory.resolve("s"))) {
      rig.appender.setMemoryBuffer("64 KB");
      rig.appender.setMaxSpillSize("1 MB");
      rig.appender.setWhenFull("DROP_OLDEST");
      rig.start();
      metrics = rig.metrics();
      rig.policy.gate.shut();
      publish(
          () -> {
            while (rig.metrics().lossOf(LossCause.EVICTED, "DEBUG") == 0) {
              rig.log(1_000);
              rig.logger.debug("debug");
            }
          });
      rig.policy.gate.open();
      rig.awaitDelivered();
    }
    List<RecordedEvent> losses = of(recorded(), "Loss");
    for (String level : List.of("DEBUG", "INFO")) {
      List<RecordedEvent> evicted =
          losses.stream()
              .filter(loss -> loss.getString("cause").equals("EVICTED"))
              .filter(loss -> loss.getString("level").equals(level))
              .toList();
      assertThat(sum(evicted, "events")).isEqualTo(metrics.lossOf(LossCause.EVICTED, level));
    }
  }

  @Test
  void shouldTellOfAnEpisodeThatAStopCutShort() {
    recording.start();
    SpillwayMetrics metrics;
    try (FileRig rig = new FileRig(directory.resolve("app.log")).spill(directory.resolve("s"))) {
      rig.appender.setMemoryBuffer("64 KB");
      rig.appender.setMaxFlushTime("10");
      rig.start();
      metrics = rig.metrics();
      rig.policy.gate.shut();
      rig.log(5_000);
      rig.await("spilled", () -> rig.metrics().getSpilled() > 4_000);
      rig.appender.stop();
    }
    List<RecordedEvent> episodes = of(recorded(), "SpillEpisode");
    assertThat(episodes).hasSize(1);
    assertThat(episodes.get(0).getBoolean("emptied")).isFalse();
    assertThat(episodes.get(0).getLong("events")).isEqualTo(metrics.getSpilled());
  }

  @Test
  void shouldTellOfACompression() throws Exception {
    recording.start();
    Path file = directory.resolve("app.log");
    long length;
    try (Configured configured =
        new Configured(
            Configured.SPILLWAY,
            directory,
            "<file>DIR/app.log</file><rollingPolicy"
                + " class='io.spillway.rolling.FixedWindowRollingPolicy'>"
                + "<fileNamePattern>DIR/app.%i.log.gz</fileNamePattern></rollingPolicy>"
                + "<triggeringPolicy class='io.spillway.rolling.SizeBasedTriggeringPolicy'>"
                + "<maxFileSize>1GB</maxFileSize></triggeringPolicy>"
                + "<encoder><pattern>%msg%n</pattern></encoder>")) {
      publish(() -> configured.logAndAwait("a line that compresses well ".repeat(10_000)));
      length = Files.size(file);
      ((RollingFileAppender<?>) configured.file()).rollover();
      publish(() -> configured.logAndAwait("next"));
      MonitoredAppender appender = (MonitoredAppender) configured.file();
      org.awaitility.Awaitility.await().until(() -> appender.getMetrics().getArchived() == 1);
    }
    Compressor.awaitEnd();
    List<RecordedEvent> compressions = of(recorded(), "Compression");
    assertThat(compressions).hasSize(1);
    RecordedEvent event = compressions.get(0);
    assertThat(event.getString("file")).isEqualTo(directory + "/app.1.log");
    assertThat(event.getString("archive")).isEqualTo(directory + "/app.1.log.gz");
    assertThat(event.getLong("fileBytes")).isEqualTo(length);
    assertThat(event.getLong("archiveBytes"))
        .isEqualTo(Files.size(directory.resolve("app.1.log.gz")));
    assertThat(event.getThread().getJavaName()).isEqualTo("spillway-compressor");
    assertThat(event.getDuration()).isPositive();
  }

  @Test
  void shouldLabelAndDescribeEverything() {
    List<EventType> types = FlightEvents.types();
    assertThat(types)
        .extracting(EventType::getName)
        .containsExactlyInAnyOrder(
            "io.spillway.SpillEpisode",
            "io.spillway.Rollover",
            "io.spillway.Compression",
            "io.spillway.Stall",
            "io.spillway.Loss");
    for (EventType type : types) {
      assertThat(type.getLabel()).isNotBlank();
      assertThat(type.getDescription()).as(type.getName()).isNotBlank();
      FlightEvents.ownFields(type)
          .forEach(
              field -> {
                assertThat(field.getLabel()).as(type + "." + field.getName()).isNotBlank();
                assertThat(field.getDescription()).as(type + "." + field.getName()).isNotBlank();
                assertThat(field.getName().toLowerCase().contains("bytes"))
                    .as(type + "." + field.getName() + " is a data amount")
                    .isEqualTo(field.getAnnotation(jdk.jfr.DataAmount.class) != null);
              });
    }
    assertThat(FlightRecorder.isAvailable()).isTrue();
  }
}
