package io.spillway.stress.plan;

import io.spillway.stress.report.Role;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** The trials that come with the harness. */
public final class Trials {

  /** What a reader must know to read the figures of these trials right. */
  public static final List<String> NOTES =
      List.of(
          "SizeBasedTriggeringPolicy looks at the file size every 100 ms here (checkIncrement);"
              + " Logback's default is once a minute.",
          "maxFlushTime is 60 s in every trial, so that no event is lost by stopping alone;"
              + " AsyncAppender's default is 1 s.",
          "Waits are counted under logging frames of application threads only, after "
              + "500 events from one thread have loaded the classes.");

  /** Names of those that a run without options goes through. */
  public static final List<String> DEFAULT =
      List.of("async", "async-never-block", "spillway", "spillway-file");

  private static final String FOLDER = "/io/spillway/stress/trials/";

  private Trials() {}

  /** All there are, in their order. */
  public static List<Trial> builtIn() {
    return List.of(
        trial("async", Role.PEER, "AsyncAppender, queue 256, over RollingFileAppender"),
        trial("async-never-block", Role.PEER, "the same, with neverBlock"),
        trial("spillway", Role.SUBJECT, "SpillwayAppender over the same RollingFileAppender"),
        trial("spillway-file", Role.SUBJECT, "SpillwayRollingFileAppender, the same policies"),
        trial(
            "async-fixed-window",
            Role.PEER,
            "AsyncAppender, queue 256, over RollingFileAppender with Spillway's fixed window"),
        trial(
            "spillway-fixed-window",
            Role.SUBJECT,
            "SpillwayRollingFileAppender with Spillway's fixed window"),
        trial(
            "spillway-size-and-time",
            Role.SUBJECT,
            "SpillwayRollingFileAppender with Spillway's size and time based policy"),
        trial(
            "spillway-time-based",
            Role.SUBJECT,
            "SpillwayRollingFileAppender with Spillway's time based policy, at the end of an hour"),
        trial(
            "spillway-continuous",
            Role.SUBJECT,
            "spillway-size-and-time, compressing while it is written"));
  }

  /** The appender that misbehaves on purpose, told how by properties. */
  public static Trial calibration(String name, Role role, Map<String, String> properties) {
    String description = "an appender that misbehaves on purpose: " + properties;
    return new Trial(name, role, description, text("calibration"), properties);
  }

  private static Trial trial(String name, Role role, String description) {
    return new Trial(name, role, description, text(name), Map.of());
  }

  private static String text(String name) {
    try (InputStream in = Trials.class.getResourceAsStream(FOLDER + name + ".xml")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
