package io.spillway.stress.plan;

import io.spillway.stress.report.TrialResult.Role;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The built-in trials. Their configurations are composed of resources in one folder. */
public final class Trials {

  private static final String FOLDER = "/io/spillway/stress/trials/";

  private static final String POLICY = "SizeBasedTriggeringPolicy";
  private static final String CHECKS =
      POLICY
          + " looks at the file size every 100 ms here (checkIncrement); Logback's default is once"
          + " a minute.";
  private static final String FLUSHES =
      "maxFlushTime is 60 s in every trial, so that no event is lost by stopping alone;"
          + " AsyncAppender's default is 1 s.";

  /** Names of the trials of a run without options. */
  public static final List<String> DEFAULT =
      List.of(
          "async", "async-never-block", "async-131072-size-and-time", "spillway", "spillway-file");

  private static final String FIXED_WINDOW = "fixed-window";
  private static final String SIZE_AND_TIME = "size-and-time";
  private static final String GRACE = "<shutdownGracePeriod>1 minute</shutdownGracePeriod>";

  private static final Async PLAIN = Async.of("async", 256);
  private static final List<Async> ASYNC =
      List.of(
          PLAIN,
          new Async(
              "async-never-block",
              "queue 256, neverBlock",
              PLAIN.settings + "\n<neverBlock>true</neverBlock>"),
          new Async(
              "async-defaults",
              "its defaults: queue 256, discards INFO and below when a fifth is left",
              ""),
          Async.of("async-512", 512),
          Async.of("async-4096", 4096),
          Async.of("async-8192", 8192),
          Async.of("async-131072", 131_072));

  /** An AsyncAppender over Logback's RollingFileAppender. */
  private record Async(String name, String description, String settings) {

    static Async of(String name, int size) {
      return new Async(
          name,
          "queue " + size + ", discards nothing",
          "<queueSize>%d</queueSize>\n<discardingThreshold>0</discardingThreshold>"
              .formatted(size));
    }

    Trial over(String rolling) {
      return peer(
          rolling.equals(FIXED_WINDOW) ? name : name + "-" + rolling,
          "AsyncAppender (" + description + ") over RollingFileAppender, " + rolling,
          filled("async", rolling, settings));
    }
  }

  private Trials() {}

  /** Returns the facts that a reader needs to interpret a run of these trials. */
  static List<String> notes(List<PlannedTrial> trials) {
    List<String> notes = new ArrayList<>();
    List<String> builtIn =
        trials.stream()
            .map(PlannedTrial::trial)
            .filter(trial -> trial.sandboxed() == null)
            .map(Trial::configuration)
            .toList();
    if (builtIn.stream().anyMatch(configuration -> configuration.contains(POLICY))) {
      notes.add(CHECKS);
    }
    if (builtIn.stream().anyMatch(configuration -> configuration.contains("maxFlushTime"))) {
      notes.add(FLUSHES);
    }
    for (PlannedTrial planned : trials) {
      if (planned.trial().sandboxed() != null) {
        planned.trial().sandboxed().notes().forEach(n -> notes.add(planned.name() + ": " + n));
      }
    }
    return notes;
  }

  /** Returns all built-in trials in their order: the best known first. */
  public static List<Trial> builtIn() {
    List<Trial> trials = new ArrayList<>();
    ASYNC.stream().limit(2).map(async -> async.over(FIXED_WINDOW)).forEach(trials::add);
    trials.add(
        subject(
            "spillway",
            "SpillwayAppender over the same RollingFileAppender",
            filled("spillway", FIXED_WINDOW, "")));
    trials.add(file("spillway-file", FIXED_WINDOW, "Logback's fixed window"));
    ASYNC.stream().skip(2).map(async -> async.over(FIXED_WINDOW)).forEach(trials::add);
    ASYNC.stream().map(async -> async.over(SIZE_AND_TIME)).forEach(trials::add);
    for (String rolling : List.of(FIXED_WINDOW, SIZE_AND_TIME)) {
      trials.add(
          peer(
              rolling.equals(FIXED_WINDOW) ? "sync" : "sync-" + rolling,
              "RollingFileAppender alone, " + rolling,
              filled("sync", rolling, "")));
    }
    trials.add(
        peer(
            "logstash-drop",
            "logstash-logback-encoder's AsyncDisruptorAppender, which drops when its ring is full",
            filled("logstash", FIXED_WINDOW, GRACE)));
    trials.add(
        peer(
            "logstash-block",
            "AsyncDisruptorAppender, told to wait for room for ever",
            filled(
                "logstash",
                FIXED_WINDOW,
                "<appendTimeout>-1 millisecond</appendTimeout>\n" + GRACE)));
    trials.add(log4j2());
    trials.add(
        peer(
            "async-fixed-window",
            "AsyncAppender (queue 256, discards nothing) over RollingFileAppender with Spillway's"
                + " fixed window",
            filled("async", "spillway-fixed-window", PLAIN.settings)));
    trials.add(file("spillway-fixed-window", "spillway-fixed-window", "Spillway's fixed window"));
    trials.add(
        file(
            "spillway-size-and-time",
            "spillway-size-and-time",
            "Spillway's size and time based policy"));
    return trials;
  }

  private static Trial log4j2() {
    return new Trial(
        "log4j2-async",
        Role.PEER,
        "Log4j 2 async loggers over RollingRandomAccessFile, what its ring does when full left as"
            + " it is",
        Trial.Library.LOG4J2,
        text("log4j2"),
        Map.of(
            "slf4j.provider", "org.apache.logging.slf4j.SLF4JServiceProvider",
            "log4j2.contextSelector",
                "org.apache.logging.log4j.core.async.AsyncLoggerContextSelector"),
        null);
  }

  /** Returns a trial of an appender that misbehaves on purpose, as properties say. */
  static Trial calibration(String name, Map<String, String> properties) {
    return new Trial(
        name,
        Role.PEER,
        "an appender that misbehaves on purpose: " + new TreeMap<>(properties),
        filled(name.replaceFirst("-.*", ""), FIXED_WINDOW, ""),
        properties);
  }

  private static Trial file(String name, String rolling, String policies) {
    return subject(
        name, "SpillwayRollingFileAppender with " + policies, filled("spillway-file", rolling, ""));
  }

  private static Trial subject(String name, String description, String configuration) {
    return new Trial(name, Role.SUBJECT, description, configuration, Map.of());
  }

  private static Trial peer(String name, String description, String configuration) {
    return new Trial(name, Role.PEER, description, configuration, Map.of());
  }

  /** Returns the text of a resource. */
  private static String text(String name) {
    try (InputStream in = Trials.class.getResourceAsStream(FOLDER + name + ".xml")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Returns a configuration with its policies and the appender's settings filled in.
   *
   * @param rolling the policies, the name of a resource in the folder {@code rolling}
   * @param settings elements of the appender, one per line; may be empty
   */
  private static String filled(String name, String rolling, String settings) {
    return text(name)
        .replace("{{rolling}}\n", text("rolling/" + rolling))
        .replace("{{settings}}\n", settings.indent(4));
  }
}
