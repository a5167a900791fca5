package io.spillway.stress.cli;

import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import io.spillway.stress.plan.PlannedTrial;
import io.spillway.stress.report.RunResult;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A scenario: what it says, and where it is from.
 *
 * @param name of a built-in one, or the path of a file as it was given
 * @param directory that its paths are relative to
 * @param content what it says, checked
 */
record Scenario(String name, Path directory, Content content) {

  /** Names of the built-in ones. */
  static final List<String> BUILT_IN = List.of("push-marketing");

  /** A field, as messages name it. */
  String field(String path) {
    return "scenario " + name + ", field '" + path + "'";
  }

  /** The trials that it names; none if it leaves them to the default. */
  List<Choice> trials() {
    return content.trials() == null ? List.of() : content.trials();
  }

  /** The sizes at which it wants an appender tried, or null if it does not say. */
  List<Long> sizesOf(String appender) {
    return trials().stream()
        .filter(trial -> appender.equals(trial.appender()) && trial.sizes() != null)
        .map(Choice::sizes)
        .findFirst()
        .orElse(null);
  }

  /** For the report of a run of these trials, which need not be those of the scenario. */
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

  /** What a trial is called in a run, or null if that has none such. */
  private static String name(Place place, List<PlannedTrial> trials) {
    return trials.stream()
        .filter(planned -> planned.trial().name().equals(place.trial()))
        .filter(planned -> place.size() == null || planned.sizeBytes() == place.size())
        .map(PlannedTrial::name)
        .findFirst()
        .orElse(null);
  }

  /**
   * What its file says, as {@code SCENARIOS.md} documents it. Whatever is null is left to the
   * options and their defaults, which have the same names.
   *
   * @param description what it shows, for readers; never null
   * @param sizes of trials that name none
   * @param trials which, instead of the default
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
   * A trial: of an appender that {@code list} shows, or of a configuration.
   *
   * @param appender its name, or null
   * @param configuration a file, relative to the scenario's, or null
   * @param sizes or null for those of the scenario
   */
  record Choice(
      String appender,
      String configuration,
      @JsonDeserialize(contentConverter = Units.Size.class) List<Long> sizes) {}

  /** The limits of the options {@code --max-...}. */
  record Bounds(
      @JsonDeserialize(converter = Units.Millis.class) Double maxPark,
      Long maxLoss,
      @JsonDeserialize(converter = Units.Millis.class) Double maxP999,
      Double maxStopped) {}

  /**
   * What others have measured.
   *
   * @param source who, of what
   */
  record Published(String source, List<Row> figures) {}

  /**
   * A published figure.
   *
   * @param what it is of
   * @param published as it was published, with its unit
   * @param figure the measured figure that is set beside it, as {@code compare} calls it
   * @param of the trial that this is measured in
   * @param lessThan a trial that it is measured against, or null for the figure itself
   */
  record Row(String what, String published, String figure, Place of, Place lessThan) {}

  /**
   * A trial of this scenario.
   *
   * @param trial its name in the report, without a size
   * @param size or null if there is but one
   */
  record Place(String trial, @JsonDeserialize(converter = Units.Size.class) Long size) {}
}
