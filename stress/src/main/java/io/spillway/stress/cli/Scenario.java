package io.spillway.stress.cli;

import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import java.util.List;

/**
 * What a scenario file says, as {@code SCENARIOS.md} documents it. Whatever is null is left to the
 * options and their defaults, which have the same names.
 *
 * @param description what it shows, for readers; never null
 * @param sizes of trials that name none
 * @param trials which, instead of the default
 * @param published figures to be set beside the measured ones
 */
record Scenario(
    String description,
    Integer threads,
    @JsonDeserialize(converter = ScenarioUnits.Rate.class) Double rate,
    Integer messageSize,
    Integer duration,
    String heap,
    Integer repeat,
    @JsonDeserialize(contentConverter = ScenarioUnits.Size.class) List<Long> sizes,
    List<Choice> trials,
    Bounds limits,
    Published published) {

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
      @JsonDeserialize(contentConverter = ScenarioUnits.Size.class) List<Long> sizes) {}

  /** The limits of the options {@code --max-...}. */
  record Bounds(
      @JsonDeserialize(converter = ScenarioUnits.Millis.class) Double maxPark,
      Long maxLoss,
      @JsonDeserialize(converter = ScenarioUnits.Millis.class) Double maxP999) {}

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
  record Place(String trial, @JsonDeserialize(converter = ScenarioUnits.Size.class) Long size) {}
}
