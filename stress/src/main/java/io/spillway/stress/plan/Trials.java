package io.spillway.stress.plan;

import io.spillway.stress.report.TrialResult;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

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
  private static final String NOTHING_DISCARDED = "<discardingThreshold>0</discardingThreshold>";

  private static final Map<String, Async> ASYNC = asyncSettings();

  /** The settings of an AsyncAppender, and their description. */
  private record Async(String description, String settings) {}

  private Trials() {}

  /** Returns the facts that a reader needs to interpret a run of these trials. */
  static List<String> notes(List<PlannedTrial> trials) {
    List<String> notes = new ArrayList<>();
    List<Trial> builtIn =
        trials.stream().map(PlannedTrial::trial).filter(t -> t.sandboxed() == null).toList();
    if (builtIn.stream().anyMatch(trial -> trial.configuration().contains(POLICY))) {
      notes.add(CHECKS);
    }
    if (builtIn.stream().anyMatch(trial -> trial.configuration().contains("maxFlushTime"))) {
      notes.add(FLUSHES);
    }
    for (PlannedTrial planned : trials) {
      if (planned.trial().sandboxed() != null) {
        planned.trial().sandboxed().notes().stream()
            .map(note -> planned.name() + ": " + note)
            .forEach(notes::add);
      }
    }
    return notes;
  }

  /** Returns all built-in trials in their order. */
  public static List<Trial> builtIn() {
    List<Trial> trials = new ArrayList<>();
    trials.add(async("async", FIXED_WINDOW));
    trials.add(async("async-never-block", FIXED_WINDOW));
    trials.add(
        trial(
            "spillway",
            TrialResult.Role.SUBJECT,
            "SpillwayAppender over the same RollingFileAppender",
            filled("spillway", FIXED_WINDOW, "")));
    trials.add(file("spillway-file", FIXED_WINDOW, "", "with Logback's fixed window"));
    trials.add(async("async-defaults", FIXED_WINDOW));
    trials.add(async("async-512", FIXED_WINDOW));
    trials.add(async("async-4096", FIXED_WINDOW));
    trials.add(async("async-8192", FIXED_WINDOW));
    trials.add(async("async-131072", FIXED_WINDOW));
    for (String queue : ASYNC.keySet()) {
      trials.add(async(queue, SIZE_AND_TIME));
    }
    trials.add(sync("sync", FIXED_WINDOW));
    trials.add(sync("sync-size-and-time", SIZE_AND_TIME));
    trials.addAll(logstash());
    trials.add(log4j2());
    trials.addAll(ownPolicies());
    return trials;
  }

  private static List<Trial> logstash() {
    String grace = "<shutdownGracePeriod>1 minute</shutdownGracePeriod>";
    return List.of(
        trial(
            "logstash-drop",
            TrialResult.Role.PEER,
            "logstash-logback-encoder's AsyncDisruptorAppender, which drops when its ring is full",
            filled("logstash", FIXED_WINDOW, grace)),
        trial(
            "logstash-block",
            TrialResult.Role.PEER,
            "AsyncDisruptorAppender, told to wait for room for ever",
            filled(
                "logstash",
                FIXED_WINDOW,
                "<appendTimeout>-1 millisecond</appendTimeout>\n" + grace)));
  }

  private static Trial log4j2() {
    return new Trial(
        "log4j2-async",
        TrialResult.Role.PEER,
        "Log4j 2 async loggers over RollingRandomAccessFile, what its ring does when full left as"
            + " it is",
        LoggingLibrary.LOG4J2,
        text("log4j2"),
        Map.of(),
        null);
  }

  private static List<Trial> ownPolicies() {
    return List.of(
        trial(
            "async-fixed-window",
            TrialResult.Role.PEER,
            "AsyncAppender (queue 256, discards nothing) over RollingFileAppender with Spillway's"
                + " fixed window",
            filled("async", "spillway-fixed-window", ASYNC.get("async").settings())),
        file("spillway-fixed-window", "spillway-fixed-window", "", "with Spillway's fixed window"),
        file(
            "spillway-size-and-time",
            "spillway-size-and-time",
            "",
            "with Spillway's size and time based policy"));
  }

  private static Map<String, Async> asyncSettings() {
    Map<String, Async> all = new LinkedHashMap<>();
    all.put("async", new Async("queue 256, discards nothing", queue(256)));
    all.put(
        "async-never-block",
        new Async("queue 256, neverBlock", queue(256) + "\n<neverBlock>true</neverBlock>"));
    all.put(
        "async-defaults",
        new Async("its defaults: queue 256, discards INFO and below when a fifth is left", ""));
    all.put("async-512", new Async("queue 512, discards nothing", queue(512)));
    all.put("async-4096", new Async("queue 4096, discards nothing", queue(4096)));
    all.put("async-8192", new Async("queue 8192, discards nothing", queue(8192)));
    all.put("async-131072", new Async("queue 131072, discards nothing", queue(131_072)));
    return all;
  }

  private static String queue(int size) {
    return "<queueSize>" + size + "</queueSize>\n" + NOTHING_DISCARDED;
  }

  private static Trial async(String queue, String rolling) {
    Async async = ASYNC.get(queue);
    return trial(
        rolling.equals(FIXED_WINDOW) ? queue : queue + "-" + rolling,
        TrialResult.Role.PEER,
        "AsyncAppender (" + async.description() + ") over RollingFileAppender, " + rolling,
        filled("async", rolling, async.settings()));
  }

  private static Trial sync(String name, String rolling) {
    return trial(
        name,
        TrialResult.Role.PEER,
        "RollingFileAppender alone, " + rolling,
        filled("sync", rolling, ""));
  }

  private static Trial file(String name, String rolling, String settings, String description) {
    return trial(
        name,
        TrialResult.Role.SUBJECT,
        "SpillwayRollingFileAppender " + description,
        filled("spillway-file", rolling, settings));
  }

  /** Returns a trial of an appender that misbehaves on purpose, as properties say. */
  public static Trial calibration(String name, Map<String, String> properties) {
    return new Trial(
        name,
        TrialResult.Role.PEER,
        "an appender that misbehaves on purpose: " + properties,
        filled("calibration", FIXED_WINDOW, ""),
        properties);
  }

  private static Trial trial(
      String name, TrialResult.Role role, String description, String configuration) {
    return new Trial(name, role, description, configuration, Map.of());
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
