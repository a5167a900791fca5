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
 * A scenario of {@code run}: its content and its origin. {@code SCENARIOS.md} documents the fields
 * of the content; a null field leaves the option of the same name at its value.
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

  /** Returns the configuration file of a trial. */
  Path file(Choice trial) {
    return directory.resolve(trial.configuration());
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
    if (published == null) {
      return new RunResult.Scenario(name, content.description(), null, List.of());
    }
    Set<String> names = trials.stream().map(PlannedTrial::name).collect(Collectors.toSet());
    List<RunResult.Published> figures = new ArrayList<>();
    for (Row row : published.figures()) {
      boolean known = row.lessThan() == null || names.contains(row.lessThan());
      String of = known && names.contains(row.of()) ? row.of() : null;
      figures.add(
          new RunResult.Published(
              row.what(), row.published(), row.figure(), of, row.lessThan(), null));
    }
    return new RunResult.Scenario(name, content.description(), published.source(), figures);
  }

  /** The fields of a scenario file. */
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

  /** A trial of a built-in appender or of a configuration file; the other one is null. */
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

  /** What a trial of a service replaces; null fields replace nothing. */
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

  /** A service under load by HTTP: {@code threads} serve requests, {@code rate} is of requests. */
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

  /** A published figure, and the measured figure of a trial that is set beside it. */
  record Row(String what, String published, String figure, String of, String lessThan) {}
}
