package io.spillway.stress.cli;

import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import io.spillway.stress.plan.PlannedTrial;
import io.spillway.stress.report.RunResult;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A scenario of {@code run}: its content and its origin.
 *
 * @param name the name of a built-in scenario, or the path of a file as it was given
 * @param directory the base of its relative paths
 * @param content its fields, checked
 */
record Scenario(String name, Path directory, Content content) {

  /** Names of the built-in scenarios. */
  static final List<String> BUILT_IN =
      List.of("push-marketing", "price-api", "ingest-one-core", "request-log", "small-container");

  /** The trial of a service without a log. */
  static final String NO_LOG = "none";

  /** Returns the name of a field for messages. */
  String field(String path) {
    return "scenario " + name + ", field '" + path + "'";
  }

  /** Returns whether the trials are those of a service. */
  boolean isOfService() {
    return content.service() != null;
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
    Set<String> names = trials.stream().map(PlannedTrial::name).collect(Collectors.toSet());
    List<RunResult.Published> figures = new ArrayList<>();
    for (Row row : published == null ? List.<Row>of() : published.figures()) {
      boolean known = row.lessThan() == null || names.contains(row.lessThan());
      String of = known && names.contains(row.of()) ? row.of() : null;
      figures.add(
          new RunResult.Published(
              row.what(), row.published(), row.figure(), of, row.lessThan(), null));
    }
    String source = published == null ? null : published.source();
    return new RunResult.Scenario(name, content.description(), source, figures);
  }

  /**
   * The fields of a scenario file, as {@code SCENARIOS.md} documents them. A null field leaves the
   * option of the same name at its value.
   *
   * @param description what the scenario shows, for readers; never null
   * @param sizes of trials that name none
   * @param trials that replace the default ones
   * @param service the service whose requests make the log calls, or null
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
      Service service,
      Published published) {}

  /**
   * A trial of a built-in appender or of a configuration file.
   *
   * @param appender the name of an appender that {@code list} shows, for a service also {@link
   *     #NO_LOG}, or null
   * @param configuration a file, relative to the scenario's directory, or null; not for a service
   * @param sizes file sizes in bytes, or null for those of the scenario
   * @param variant what a trial of a service replaces, or null
   */
  record Choice(
      String appender,
      String configuration,
      @JsonDeserialize(contentConverter = Units.Size.class) List<Long> sizes,
      Variant variant) {

    /** Returns the name of a built-in appender's trial. */
    String name() {
      return variant == null || variant.name() == null ? appender : variant.name();
    }
  }

  /**
   * What a trial of a service replaces; null fields replace nothing.
   *
   * @param name the trial's name in the report, or null for that of the appender
   * @param subject whether its limits decide, or null for as usual with the appender
   * @param work settings of the work beside those of the service
   */
  record Variant(
      String name,
      Boolean subject,
      @JsonDeserialize(converter = Units.Heap.class) String heap,
      Integer connections,
      Map<String, String> work) {}

  /** The limits of the options {@code --max-...}. */
  record Bounds(
      @JsonDeserialize(converter = Units.Millis.class) Double maxHeld,
      @JsonDeserialize(converter = Units.Millis.class) Double maxP999,
      Long maxLoss) {}

  /**
   * A service under load by HTTP: {@code threads} are those for requests, {@code rate} is of
   * requests.
   *
   * @param kind which of the services
   * @param connections of the client
   * @param warmUp seconds of load before anything is measured
   * @param cpus processors that the service may use, as for {@code taskset -c}, or null for all
   * @param search the limit of the 99th percentile in a search for the highest rate, or null
   * @param stall when the disk of the log stands still, or null
   * @param work settings of the work for a request
   */
  record Service(
      String kind,
      Integer connections,
      Integer warmUp,
      String cpus,
      @JsonDeserialize(converter = Units.Millis.class) Double search,
      Stall stall,
      Map<String, String> work) {}

  /** The disk stands still after so many seconds from the first event, for so many. */
  record Stall(int after, int seconds) {}

  /** Published figures, and who published them about what. */
  record Published(String source, List<Row> figures) {}

  /**
   * A published figure.
   *
   * @param what what the figure measures
   * @param published the figure as it was published, with its unit
   * @param figure the measured figure that is set beside it, by its name in tables
   * @param of the trial in which that figure is measured, by its name in the report
   * @param lessThan a trial whose figure the measured one is compared with, or null for the figure
   *     itself
   */
  record Row(String what, String published, String figure, String of, String lessThan) {}
}
