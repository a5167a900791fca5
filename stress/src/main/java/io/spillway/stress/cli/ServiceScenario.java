package io.spillway.stress.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.spillway.stress.plan.RunOptions;
import io.spillway.stress.plan.Trial;
import io.spillway.stress.plan.Trials;
import io.spillway.stress.report.RefusedException;
import io.spillway.stress.report.RunResult;
import io.spillway.stress.report.ServiceFigure;
import io.spillway.stress.report.TrialResult;
import io.spillway.stress.service.ServiceTrial;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * A scenario of a service, as {@code SCENARIOS.md} documents it: settings, one axis along which
 * they vary, and logs; each value of the axis with each log is a trial. The short form and the
 * values of the axis contain only the fields that differ, at any depth.
 *
 * @param name the name of a built-in scenario, or the path of a file as it was given
 * @param description one line for readers
 * @param calibrated the settings without the axis; the calibration with them lowers rates that are
 *     too high
 * @param trials the trials in their order
 * @param published published figures, or null
 */
record ServiceScenario(
    String name,
    String description,
    ServiceTrial calibrated,
    List<ServiceTrial> trials,
    Published published) {

  /** Names of the built-in scenarios of services. */
  static final List<String> BUILT_IN =
      List.of("price-api", "push-marketing", "ingest-one-core", "request-log", "small-container");

  private static final String FOLDER = "/io/spillway/stress/scenarios/service/";
  private static final String NONE = "none";
  private static final double MILLIS = 1e3;
  private static final double MOST_SECONDS = 3_600;
  private static final int MOST_THREADS = 10_000;
  private static final int LONGEST_NAME = 100; // a trial's directory has this name, too
  private static final String CPUS = "[0-9]{1,4}(-[0-9]{1,4})?(,[0-9]{1,4}(-[0-9]{1,4})?)*";

  /** Directories of a run that do not belong to a trial. */
  private static final Set<String> TAKEN = Set.of("work", "calibration");

  /** The fields of a scenario other than its settings. */
  record Content(
      String description, List<ObjectNode> vary, ObjectNode shortForm, Published published) {}

  /**
   * The settings of a trial.
   *
   * @param logging where the log calls go: names that {@code list} shows, or {@code none}
   * @param subject whether the trial is held to the limits; null to derive that from the log's role
   */
  record Settings(
      Application application,
      Client client,
      String cpus,
      @JsonDeserialize(converter = Units.Heap.class) String heap,
      @JsonDeserialize(converter = Units.Size.class) Long container,
      @JsonDeserialize(converter = Units.Size.class) Long rotation,
      Stall stall,
      List<String> logging,
      Boolean subject,
      Limits limits) {}

  /** The service; its kind interprets {@code work}. */
  record Application(String kind, Integer threads, Map<String, String> work) {}

  /** The requests to the service, at a {@code rate}, or in a closed loop if that is null. */
  record Client(
      @JsonDeserialize(converter = Units.Rate.class) Double rate,
      Integer connections,
      Double warmUp,
      Double seconds,
      Search search) {}

  /** Search for the highest rate at which response times keep a limit. */
  record Search(
      @JsonDeserialize(converter = Units.Millis.class) Double maxP99,
      @JsonDeserialize(converter = Units.Rate.class) Double from,
      Double step) {}

  /** A disk stall: its start after the start of measuring, and its length, in seconds. */
  record Stall(Double after, Double seconds) {}

  /** The limits of a trial. */
  record Limits(
      @JsonDeserialize(converter = Units.Millis.class) Double maxPark,
      Long maxLoss,
      @JsonDeserialize(converter = Units.Millis.class) Double maxP99) {}

  /** Published figures, and their source. */
  record Published(String source, List<Row> figures) {}

  /** A published figure, and the trial in which the figure beside it is measured. */
  record Row(String what, String published, String figure, String of) {}

  /**
   * Finds and reads a scenario of a service.
   *
   * @param shortForm whether to apply its short form
   * @throws RefusedException if there is no such scenario, or if a field is wrong
   */
  static ServiceScenario find(String nameOrFile, boolean shortForm) throws IOException {
    byte[] json;
    if (BUILT_IN.contains(nameOrFile)) {
      try (InputStream in =
          ServiceScenario.class.getResourceAsStream(FOLDER + nameOrFile + ".json")) {
        json = in.readAllBytes();
      }
    } else {
      Path file = Path.of(nameOrFile);
      if (!Files.isRegularFile(file)) {
        throw new RefusedException(
            "'"
                + nameOrFile
                + "' is not a readable file; allowed: "
                + String.join(", ", BUILT_IN)
                + ", or a file as stress/SCENARIOS.md describes it");
      }
      json = Files.readAllBytes(file);
    }
    return new Reader(nameOrFile).read(json, shortForm);
  }

  /** Returns the part of the report about this scenario, before any figure is measured. */
  RunResult.Scenario unmeasured() {
    List<RunResult.Published> rows = new ArrayList<>();
    if (published != null) {
      published.figures.forEach(
          row ->
              rows.add(
                  new RunResult.Published(
                      row.what, row.published, row.figure, row.of, null, null)));
    }
    String source = published == null ? null : published.source;
    return new RunResult.Scenario(name, description, source, rows);
  }

  /** Converts JSON into trials. */
  private static final class Reader {

    private final String name;

    Reader(String name) {
      this.name = name;
    }

    ServiceScenario read(byte[] json, boolean shortForm) throws IOException {
      ObjectNode base = ScenarioReader.parsed(name, m -> m.readValue(json, ObjectNode.class));
      ObjectNode outer = base.objectNode();
      for (String field : List.of("description", "vary", "published")) {
        if (base.has(field)) {
          outer.set(field, base.remove(field));
        }
      }
      if (base.has("short")) {
        outer.set("shortForm", base.remove("short"));
      }
      Content content = ScenarioReader.parsed(name, m -> m.treeToValue(outer, Content.class));
      require(content.description != null, "description", "is missing; allowed: one line");
      List<String> only = shortForm ? shorten(base, content) : null;
      List<ServiceTrial> trials = new ArrayList<>();
      if (content.vary == null) {
        trials.addAll(trials("", base));
      } else {
        for (ObjectNode value : content.vary) {
          require(value.path("name").isTextual(), "vary", "each needs a 'name'");
          ObjectNode varied = value.deepCopy();
          String axis = varied.remove("name").asText();
          trials.addAll(trials(axis, merge(base.deepCopy(), varied)));
        }
      }
      requireFolders(trials);
      List<String> names = trials.stream().map(ServiceTrial::name).toList();
      if (only != null) {
        require(names.containsAll(only), "short.only", only + "; allowed: some of " + names);
        trials.removeIf(trial -> !only.contains(trial.name()));
      }
      published(content.published, names);
      return new ServiceScenario(
          name, content.description, trials("", base).get(0), trials, content.published);
    }

    /** Applies the short form; returns the names of the trials that it keeps, or null for all. */
    private List<String> shorten(ObjectNode base, Content content) throws IOException {
      require(content.shortForm != null, "short", "is missing; run it without --short");
      JsonNode only = content.shortForm.remove("only");
      merge(base, content.shortForm);
      return only == null
          ? null
          : Arrays.asList(ScenarioReader.parsed(name, m -> m.treeToValue(only, String[].class)));
    }

    /** Checks that each trial has a separate directory, also where file names ignore case. */
    private void requireFolders(List<ServiceTrial> trials) {
      Set<String> folders = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
      folders.addAll(TAKEN);
      for (ServiceTrial trial : trials) {
        require(
            trial.name().length() <= LONGEST_NAME && trial.folder().length() > 1,
            "vary.name",
            "'" + trial.name() + "'; allowed: 2 to " + LONGEST_NAME + " letters and digits");
        require(
            folders.add(trial.folder()),
            "vary.name",
            "'"
                + trial.name()
                + "' is taken; allowed: names that differ in a letter or a digit, and not "
                + TAKEN);
      }
    }

    private static ObjectNode merge(ObjectNode into, ObjectNode from) {
      from.properties()
          .forEach(
              field -> {
                JsonNode known = into.get(field.getKey());
                if (known instanceof ObjectNode inner
                    && field.getValue() instanceof ObjectNode more) {
                  merge(inner, more);
                } else {
                  into.set(field.getKey(), field.getValue());
                }
              });
      return into;
    }

    private List<ServiceTrial> trials(String axis, ObjectNode settings) throws IOException {
      Settings read =
          ScenarioReader.parsed(name, mapper -> mapper.treeToValue(settings, Settings.class));
      require(
          read.application != null && read.application.kind != null,
          "application.kind",
          "is missing");
      require(read.client != null && read.client.seconds != null, "client.seconds", "is missing");
      requireRanges(read);
      require(
          ServiceTrial.KINDS.contains(read.application.kind),
          "application.kind",
          "'" + read.application.kind + "'; allowed: " + ServiceTrial.KINDS);
      List<String> logging = read.logging == null ? List.of(NONE) : read.logging;
      require(!logging.isEmpty(), "logging", "names nothing; allowed: none, or logs");
      List<ServiceTrial> trials = new ArrayList<>();
      for (String log : logging) {
        boolean told = logging.size() > 1 || axis.isEmpty();
        String separator = axis.isEmpty() ? "" : ", ";
        trials.add(trial(told ? axis + separator + log : axis, log, read));
      }
      return trials;
    }

    private void requireRanges(Settings read) {
      Client client = read.client;
      range("client.seconds", client.seconds, 1, MOST_SECONDS);
      range("client.warmUp", client.warmUp, 0, MOST_SECONDS);
      range("client.connections", client.connections, 1, MOST_THREADS);
      range("application.threads", read.application.threads, 1, MOST_THREADS);
      require(
          client.rate == null || client.rate < RunOptions.CLOSED_LOOP,
          "client.rate",
          "'max'; allowed: requests a second, or no rate: then each connection asks as soon as it"
              + " is answered");
      if (client.search != null) {
        require(client.search.maxP99 != null, "client.search.maxP99", "is missing");
        require(
            client.search.from != null && client.search.from < RunOptions.CLOSED_LOOP,
            "client.search.from",
            "is missing; allowed: requests a second");
        require(client.search.step != null, "client.search.step", "is missing");
        range("client.search.step", client.search.step, 1, MOST_SECONDS);
      }
      if (read.stall != null) {
        require(read.stall.after != null, "stall.after", "is missing");
        require(read.stall.seconds != null, "stall.seconds", "is missing");
        range("stall.after", read.stall.after, 0, client.seconds);
        range("stall.seconds", read.stall.seconds, 0, MOST_SECONDS);
      }
      require(
          read.cpus == null || read.cpus.matches(CPUS),
          "cpus",
          "'" + read.cpus + "'; allowed: numbers and ranges of processors, such as 0 or 0-1,4");
      Long loss = read.limits == null ? null : read.limits.maxLoss;
      range("limits.maxLoss", loss, 0, Long.MAX_VALUE);
      for (String setting : ServiceTrial.Application.COUNTS) {
        String value = read.application.work == null ? null : read.application.work.get(setting);
        require(
            value == null || value.matches("[0-9]{1,6}"),
            "application.work." + setting,
            "'" + value + "'; allowed: a number");
      }
    }

    private void range(String field, Number value, double least, double most) {
      require(
          value == null || (value.doubleValue() >= least && value.doubleValue() <= most),
          field,
          String.format(Locale.ROOT, "%s; allowed: %.0f to %.0f", value, least, most));
    }

    private ServiceTrial trial(String trialName, String log, Settings settings) {
      Trial built = null;
      if (!log.equals(NONE)) {
        List<Trial> known = Trials.builtIn();
        built = known.stream().filter(t -> t.name().equals(log)).findFirst().orElse(null);
        require(
            built != null,
            "logging",
            "'" + log + "'; allowed: none, " + known.stream().map(Trial::name).toList());
      }
      boolean subject =
          settings.subject == null
              ? built != null && built.role() == TrialResult.Role.SUBJECT
              : settings.subject;
      Application application = settings.application;
      Client client = settings.client;
      double rate = client.rate == null ? 0 : client.rate;
      require(
          settings.rotation == null || rate > 0,
          "rotation",
          "needs a client with a 'rate', by which it is known when it is due");
      Search search = client.search;
      Limits limits = settings.limits == null ? new Limits(null, null, null) : settings.limits;
      return new ServiceTrial(
          trialName,
          subject ? TrialResult.Role.SUBJECT : TrialResult.Role.PEER,
          new ServiceTrial.Application(
              application.kind,
              application.threads == null ? 200 : application.threads,
              application.work == null ? Map.of() : application.work),
          built,
          new ServiceTrial.Client(
              rate,
              client.connections == null ? 64 : client.connections,
              application.kind.equals("ingest"),
              client.warmUp == null ? 8 : client.warmUp,
              client.seconds,
              search == null
                  ? null
                  : new ServiceTrial.Search(search.maxP99, search.from, search.step)),
          settings.cpus,
          settings.heap == null ? "512m" : settings.heap,
          settings.container == null ? 0 : settings.container,
          settings.rotation == null ? 0 : settings.rotation,
          settings.stall == null
              ? null
              : new ServiceTrial.Stall(settings.stall.after, settings.stall.seconds),
          new ServiceTrial.Limits(
              limits.maxPark == null ? 1 : limits.maxPark / MILLIS,
              limits.maxLoss == null ? 0 : limits.maxLoss,
              limits.maxP99));
    }

    private void published(Published published, List<String> names) {
      if (published == null) {
        return;
      }
      require(published.source != null, "published.source", "is missing");
      require(published.figures != null, "published.figures", "is missing");
      for (Row row : published.figures) {
        require(
            row.figure != null && ServiceFigure.named(row.figure).isPresent(),
            "published.figures.figure",
            "'" + row.figure + "'; allowed: " + Arrays.toString(ServiceFigure.values()));
        require(
            names.contains(row.of),
            "published.figures.of",
            "'" + row.of + "'; allowed: one of " + names);
      }
    }

    private void require(boolean holds, String field, String message) {
      if (!holds) {
        throw new RefusedException("scenario " + name + ", field '" + field + "': " + message);
      }
    }
  }
}
