package io.spillway.internal.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.core.ContextBase;
import io.spillway.internal.metrics.FlightEvents.Jfr;
import io.spillway.metrics.LossCause;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import jdk.jfr.DataAmount;
import jdk.jfr.EventType;
import jdk.jfr.Recording;
import jdk.jfr.ValueDescriptor;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A real flight recording has what happened. */
@Tag("own")
@Timeout(120)
public class FlightEventsTest {
  private static final Set<String> COMMON =
      Set.of("startTime", "duration", "eventThread", "stackTrace");

  @TempDir Path directory;

  /** In the order of OPERATIONS.md. */
  public static List<EventType> types() {
    return Stream.of(
            Jfr.Stall.class,
            Jfr.SpillEpisode.class,
            Jfr.Rollover.class,
            Jfr.Compression.class,
            Jfr.Loss.class)
        .map(EventType::getEventType)
        .toList();
  }

  /** Those that the flight recorder does not add to every event, by name. */
  public static List<ValueDescriptor> ownFields(EventType type) {
    return type.getFields().stream()
        .filter(field -> !COMMON.contains(field.getName()))
        .sorted(Comparator.comparing(ValueDescriptor::getName)) // the JDKs have orders of their own
        .toList();
  }

  private List<RecordedEvent> recorded(Recording recording) throws IOException {
    recording.stop();
    Path file = directory.resolve("recording.jfr");
    recording.dump(file);
    return RecordingFile.readAllEvents(file).stream()
        .filter(event -> event.getEventType().getName().startsWith("io.spillway."))
        .toList();
  }

  @Test
  void shouldRecordEachWithItsFields() throws Exception {
    ContextBase context = new ContextBase();
    context.setName("shop");
    FlightEvents early = new FlightEvents(context, "EARLY"); // before there is a recorder
    List<RecordedEvent> events;
    try (Recording recording = new Recording()) {
      recording.enable("io.spillway.Stall").withThreshold(Duration.ofMillis(20));
      recording.start();
      early.stall().stalled(1); // below the threshold
      FlightEvents flight = new FlightEvents(context, "FILE");
      flight.stall().stalled(2);
      FlightEvents.Span stall = flight.stall();
      long begun = System.nanoTime();
      while (System.nanoTime() - begun < 30_000_000) {
        LockSupport.parkNanos(1_000_000);
      }
      stall.stalled(3);
      flight.spill().spilled(40, 400, true);
      flight.spill().spilled(50, 500, false);
      flight.rollover().rolledOver("/logs/app.log", 60);
      FlightEvents.compression().compressed("/logs/app.1.log", "/logs/app.1.log.gz", 70, 7);
      Counters counters = new Counters();
      counters.lost(LossCause.EVICTED, 8, true);
      counters.recordLosses(flight);
      counters.recordLosses(flight);
      counters.dropped(LossCause.QUEUE_FULL);
      counters.lost(LossCause.EVICTED, 9, false);
      counters.recordLosses(flight);
      events = recorded(recording);
    }
    assertThat(events).as("stacks").allMatch(event -> event.getStackTrace() == null);
    assertThat(events)
        .filteredOn(event -> !event.getEventType().getName().endsWith("Compression"))
        .allMatch(event -> event.getString("context").equals("shop"))
        .allMatch(event -> event.getString("appender").equals("FILE"));
    assertThat(events.stream().filter(event -> event.getEventType().getName().endsWith("Stall")))
        .singleElement()
        .satisfies(event -> assertThat(event.getDuration()).isGreaterThan(Duration.ofMillis(20)));
    assertThat(events.stream().map(FlightEventsTest::text))
        .containsExactlyInAnyOrder(
            "Stall events=3",
            "SpillEpisode bytes=400 emptied=true events=40",
            "SpillEpisode bytes=500 emptied=false events=50",
            "Rollover bytes=60 file=/logs/app.log",
            "Compression archive=/logs/app.1.log.gz archiveBytes=7 file=/logs/app.1.log fileBytes=70",
            "Loss accepted=true cause=EVICTED events=8",
            "Loss accepted=true cause=EVICTED events=9",
            "Loss accepted=false cause=QUEUE_FULL events=1");
  }

  private static String text(RecordedEvent event) {
    StringBuilder text =
        new StringBuilder(event.getEventType().getName().replace("io.spillway.", ""));
    for (ValueDescriptor field : ownFields(event.getEventType())) {
      if (!Set.of("context", "appender").contains(field.getName())) {
        Object value = event.getValue(field.getName());
        text.append(' ').append(field.getName()).append('=').append(value);
      }
    }
    return text.toString();
  }

  @Test
  void shouldDescribeEverything() {
    for (EventType type : types()) {
      assertThat(type.getLabel()).isNotBlank();
      assertThat(type.getCategoryNames()).containsExactly("Spillway");
      assertThat(type.getDescription()).as(type.getName()).isNotBlank();
      for (ValueDescriptor field : ownFields(type)) {
        String name = type.getName() + "." + field.getName();
        assertThat(field.getAnnotation(DataAmount.class) != null)
            .as(name + " is a data amount")
            .isEqualTo(field.getName().toLowerCase().contains("bytes"));
      }
    }
  }
}
