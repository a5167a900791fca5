package io.spillway.stress.cli;

import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import io.spillway.stress.load.LoadSpec;
import io.spillway.stress.plan.RunOptions;
import io.spillway.stress.plan.Trial;
import io.spillway.stress.report.RefusedException;
import io.spillway.stress.report.RunResult;
import io.spillway.stress.report.TrialResult;
import io.spillway.stress.service.ServiceTrial;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
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

  static final List<String> BUILT_IN =
      List.of("push-marketing", "price-api", "ingest-one-core", "request-log", "small-container");

  /** The trial of a service without a log. */
  static final String NO_LOG = "none";

  private static final Variant AS_IT_IS = new Variant(null, null, null, null, null);
  private static final Trial SILENT =
      new Trial(
          NO_LOG,
          TrialResult.Role.PEER,
          "no log of its own",
          "<configuration><root level=\"OFF\"/></configuration>\n",
          Map.of());
  private static final String FILE_APPENDER =
      "class=\"ch.qos.logback.core.rolling.RollingFileAppender\">";

  /** Returns the name of a field for messages. */
  String field(String path) {
    return "scenario " + name + ", field '" + path + "'";
  }

  boolean isOfService() {
    return content.service() != null;
  }

  /** Returns the trials that the scenario names; empty for the default trials. */
  List<Choice> trials() {
    return content.trials() == null ? List.of() : content.trials();
  }

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
  RunResult.Scenario figures(List<Trial> trials) {
    Published published = content.published();
    if (published == null) {
      return new RunResult.Scenario(name, content.description(), null, List.of());
    }
    Set<String> names = trials.stream().map(Trial::name).collect(Collectors.toSet());
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

  /**
   * Returns the trials of a service.
   *
   * @param load the command with the options of the run and of this scenario
   * @param appenders the appenders that are chosen among the trials, or null for all
   */
  List<Trial> ofService(TrialCommand load, Map<String, Trial> known, List<String> appenders) {
    List<Trial> trials = new ArrayList<>();
    for (Choice choice : trials()) {
      if (appenders == null || appenders.contains(choice.appender())) {
        Variant variant = first(choice.variant(), AS_IT_IS);
        ServiceTrial service = service(variant, load.checked());
        Trial log = known.getOrDefault(choice.appender(), SILENT);
        Trial trial = trial(choice.name(), log, variant, service);
        boolean rolls = choice.sizes() != null || content.sizes() != null;
        List<Long> sizes = rolls ? load.sizes(choice.sizes()) : List.of(0L);
        sizes.forEach(size -> trials.add(trial.at(size, service)));
      }
    }
    if (trials.isEmpty()) {
      List<String> all = trials().stream().map(Choice::appender).toList();
      throw new RefusedException(
          field("trials") + ": none has an appender of " + appenders + ", only " + all);
    }
    return trials;
  }

  private ServiceTrial service(Variant variant, RunOptions options) {
    Service service = content.service();
    Map<String, String> work = new TreeMap<>(first(service.work(), Map.of()));
    work.putAll(first(variant.work(), Map.of()));
    return new ServiceTrial(
        new LoadSpec.Application(service.kind(), options.threads(), work),
        options.eventsPerSecond(),
        first(variant.connections(), service.connections()),
        service.warmUp(),
        variant.heap(),
        service.cpus(),
        service.search());
  }

  /** Returns the configuration of the log, with what the report says of the trial. */
  private Trial trial(String name, Trial log, Variant variant, ServiceTrial service) {
    TrialResult.Role role = log.role();
    if (variant.subject() != null) {
      role = variant.subject() ? TrialResult.Role.SUBJECT : TrialResult.Role.PEER;
    }
    String description =
        "service %s %s over %d connections; log: %s%s"
            .formatted(
                service.application().kind(),
                service.application().work(),
                service.connections(),
                log.description(),
                service.isLoggedByServer()
                    ? "; the server writes its request log, whose lines are only counted"
                    : "");
    return new Trial(name, role, description, configuration(log), Map.of());
  }

  private String configuration(Trial log) {
    Stall stall = content.service().stall();
    if (stall == null) {
      return log.configuration();
    }
    if (!log.configuration().contains(FILE_APPENDER)) {
      throw new RefusedException(
          field("service.stall") + ": is for RollingFileAppender, not for " + log.name());
    }
    String stalling =
        """
        class="io.spillway.stress.services.StallingFileAppender">
            <stallAfter>%d</stallAfter>
            <stallSeconds>%d</stallSeconds>"""
            .formatted(stall.after(), stall.seconds());
    return log.configuration().replace(FILE_APPENDER, stalling);
  }

  private static <T> T first(T given, T otherwise) {
    return Objects.requireNonNullElse(given, otherwise);
  }

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
