package io.spillway.stress.cli;

import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import io.spillway.stress.plan.PlannedTrial;
import io.spillway.stress.report.RunResult;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A scenario of {@code run}: its content and its origin.
 *
 * @param name the name of a built-in scenario, or the path of a file as it was given
 * @param directory the base of its relative paths
 * @param content its fields, checked
 */
record Scenario(String name, Path directory, Content content) {

  /** Names of the built-in scenarios. */
  static final List<String> BUILT_IN = List.of("push-marketing");

  /** Returns the name of a field for messages. */
  String field(String path) {
    return "scenario " + name + ", field '" + path + "'";
  }

  /** Returns the trials that the scenario names; empty for the default trials. */
  List<Choice> trials() {
    return content.trials() == null ? List.of() : content.trials();
  }

  /** Returns the sizes that the scenario gives for an appender, or null if it gives none. */
  List<Long> sizesOf(String appender) {
    return trials().stream()
        .filter(trial -> appender.equals(trial.appender()) && trial.sizes() != null)
        .map(Choice::sizes)
        .findFirst()
        .orElse(null);
  }

  /** Returns the scenario's part of the report on these trials, which may be other trials. */
  RunResult.Scenario figures(List<PlannedTrial> trials) {
    Published published = content.published();
    List<RunResult.Published> figures = new ArrayList<>();
    if (published != null) {
      for (Row row : published.figures()) {
        String trial = name(row.of(), trials);
        String lessThan = row.lessThan() == null ? null : name(row.lessThan(), trials);
        boolean known = row.lessThan() == null || lessThan != null;
        figures.add(
            new RunResult.Published(
                row.what(), row.published(), row.figure(), known ? trial : null, lessThan, null));
      }
    }
    String source = published == null ? null : published.source();
    return new RunResult.Scenario(name, content.description(), source, figures);
  }

  /** Returns the name of a trial in a run, or null if the run does not have it. */
  private static String name(Place place, List<PlannedTrial> trials) {
    return trials.stream()
        .filter(planned -> planned.trial().name().equals(place.trial()))
        .filter(planned -> place.size() == null || planned.sizeBytes() == place.size())
        .map(PlannedTrial::name)
        .findFirst()
        .orElse(null);
  }

  /**
   * The fields of a scenario file, as {@code SCENARIOS.md} documents them. A null field leaves the
   * option of the same name at its value.
   *
   * @param description what the scenario shows, for readers; never null
   * @param sizes of trials that name none
   * @param trials that replace the default ones
   * @param published figures to be set beside the measured ones
   */
  record Content(
      String description,
      Integer threads,
      @JsonDeserialize(converter = Units.Rate.class) Double rate,
      Integer messageSize,
      Integer duration,
      @JsonDeserialize(converter = Units.Heap.class) String heap,
      Integer repeat,
      @JsonDeserialize(contentConverter = Units.Size.class) List<Long> sizes,
      List<Choice> trials,
      Bounds limits,
      Published published) {}

  /**
   * A trial of a built-in appender or of a configuration file.
   *
   * @param appender the name of an appender that {@code list} shows, or null
   * @param configuration a file, relative to the scenario's directory, or null
   * @param sizes file sizes in bytes, or null for those of the scenario
   */
  record Choice(
      String appender,
      String configuration,
      @JsonDeserialize(contentConverter = Units.Size.class) List<Long> sizes) {}

  /** The limits of the options {@code --max-...}. */
  record Bounds(
      @JsonDeserialize(converter = Units.Millis.class) Double maxHeld,
      @JsonDeserialize(converter = Units.Millis.class) Double maxP999,
      Long maxLoss) {}

  /**
   * Published figures.
   *
   * @param source who published them, and about what
   */
  record Published(String source, List<Row> figures) {}

  /**
   * A published figure.
   *
   * @param what what the figure measures
   * @param published the figure as it was published, with its unit
   * @param figure the measured figure that is set beside it, by its name in tables
   * @param of the trial in which that figure is measured
   * @param lessThan a trial whose figure the measured one is compared with, or null for the figure
   *     itself
   */
  record Row(String what, String published, String figure, Place of, Place lessThan) {}

  /**
   * A trial of this scenario.
   *
   * @param trial its name in the report, without a size
   * @param size its file size, or null if the trial has only one
   */
  record Place(String trial, @JsonDeserialize(converter = Units.Size.class) Long size) {}
}
