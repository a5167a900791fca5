package io.spillway.internal.metrics;

import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import jdk.jfr.EventType;
import jdk.jfr.ValueDescriptor;

/** The types of our flight recorder events. */
public final class FlightEvents {
  private static final Set<String> COMMON =
      Set.of("startTime", "duration", "eventThread", "stackTrace");

  private FlightEvents() {}

  public static List<EventType> types() {
    return Stream.of(
            JfrEvents.SpillEpisode.class,
            JfrEvents.Rollover.class,
            JfrEvents.Compression.class,
            JfrEvents.Stall.class,
            JfrEvents.Loss.class)
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
}
