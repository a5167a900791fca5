package io.spillway.stress.cli;

import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.spillway.stress.plan.Trial;
import io.spillway.stress.plan.Trials;
import io.spillway.stress.report.Figure;
import io.spillway.stress.report.RefusedException;
import io.spillway.stress.service.ServiceTrial;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import picocli.CommandLine.TypeConversionException;

/**
 * Finds, reads and checks a scenario: JSON, with comments allowed. A wrong field is refused with
 * the file, the field, its value and what is allowed; ranges of values are checked with the options
 * that the fields stand for.
 */
final class ScenarioReader {

  private static final String FOLDER = "/io/spillway/stress/scenarios/";
  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .enable(JsonReadFeature.ALLOW_JAVA_COMMENTS)
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
          .defaultSetterInfo(JsonSetter.Value.forContentNulls(Nulls.FAIL))
          .build();

  private static final int MOST_CONNECTIONS = 2_000;
  private static final int MOST_WARM_UP_SECONDS = 60;
  private static final String NAME = "[\\w., -]+";

  private final Scenario scenario;
  private final List<String> trials = new ArrayList<>();
  private final TrialNames names = new TrialNames();

  private ScenarioReader(Scenario scenario) {
    this.scenario = scenario;
  }

  /** Reads a built-in scenario or, if none has the name, a file; refuses what is wrong. */
  static Scenario find(String nameOrFile) throws IOException {
    if (Scenario.BUILT_IN.contains(nameOrFile)) {
      try (InputStream in =
          ScenarioReader.class.getResourceAsStream(FOLDER + nameOrFile + ".json")) {
        return read(nameOrFile, Path.of(""), in.readAllBytes());
      }
    }
    Path file = Path.of(nameOrFile);
    if (!Files.isRegularFile(file) || !Files.isReadable(file)) {
      String allowed = Scenario.BUILT_IN + ", or a file as stress/SCENARIOS.md describes it";
      throw new RefusedException(
          "--scenario '" + nameOrFile + "' is not a readable file; allowed: " + allowed);
    }
    return read(nameOrFile, file.toAbsolutePath().getParent(), Files.readAllBytes(file));
  }

  private static Scenario read(String name, Path directory, byte[] json) throws IOException {
    try {
      Scenario.Content content = MAPPER.readValue(json, Scenario.Content.class);
      Scenario scenario = new Scenario(name, directory, content);
      new ScenarioReader(scenario).check();
      return scenario;
    } catch (JsonProcessingException e) {
      throw new RefusedException("scenario " + name + ": " + why(e));
    }
  }

  private static String why(JsonProcessingException e) {
    if (e instanceof UnrecognizedPropertyException unknown) {
      List<String> known =
          unknown.getKnownPropertyIds().stream().map(String::valueOf).sorted().toList();
      return "there is no field '" + path(unknown) + "'; allowed here: " + known;
    }
    boolean unit = e.getCause() instanceof TypeConversionException;
    String message = unit ? e.getCause().getMessage() : e.getOriginalMessage();
    if (e instanceof JsonMappingException wrong && !wrong.getPath().isEmpty()) {
      return "field '" + path(wrong) + "': " + message;
    }
    String where = e.getLocation() == null ? "" : " (line " + e.getLocation().getLineNr() + ")";
    return "it cannot be read: " + message + where;
  }

  /** Returns the path of a field, such as {@code trials[2].sizes[0]}. */
  private static String path(JsonMappingException e) {
    StringBuilder path = new StringBuilder();
    for (JsonMappingException.Reference part : e.getPath()) {
      String field = part.getFieldName();
      path.append(field == null ? "[" + part.getIndex() + "]" : "." + field);
    }
    return path.substring(path.charAt(0) == '.' ? 1 : 0);
  }

  private void check() {
    Scenario.Content content = scenario.content();
    if (content == null) {
      throw new RefusedException("scenario " + scenario.name() + ": it says nothing");
    }
    text("description", content.description(), "one line that says what the scenario shows");
    atLeastOne("sizes", content.sizes());
    atLeastOne("trials", content.trials());
    if (scenario.isOfService()) {
      String kind = content.service().kind();
      among("service.kind", kind, ServiceTrial.KINDS.contains(kind), ServiceTrial.KINDS);
      inRange("service.connections", content.service().connections(), MOST_CONNECTIONS);
      inRange("service.warmUp", content.service().warmUp(), MOST_WARM_UP_SECONDS);
      require(!scenario.trials().isEmpty(), "trials", "is missing; a service needs its trials");
    }
    for (int i = 0; i < scenario.trials().size(); i++) {
      trial("trials[" + i + "]", scenario.trials().get(i));
    }
    if (scenario.trials().isEmpty()) {
      trials.addAll(Trials.DEFAULT);
    }
    if (content.published() != null) {
      published(content.published());
    }
  }

  private void trial(String path, Scenario.Choice trial) {
    String appender = trial.appender();
    atLeastOne(path + ".sizes", trial.sizes());
    require(
        (appender == null) != (trial.configuration() == null),
        path,
        "needs either an 'appender', one of those that 'list' shows, or a 'configuration', a file");
    require(
        scenario.isOfService() ? appender != null : trial.variant() == null,
        path,
        "a 'configuration' is not for a service, a 'variant' only for one");
    if (appender == null) {
      Path file = scenario.file(trial).toAbsolutePath();
      require(Files.isReadable(file), path + ".configuration", file + " is no readable file");
      trials.add(names.of(file));
      return;
    }
    List<String> known = Trials.builtIn().stream().map(Trial::name).toList();
    boolean silent = scenario.isOfService() && appender.equals(Scenario.NO_LOG);
    among(
        path + ".appender", appender, silent || known.contains(appender), String.join(", ", known));
    require(
        trial.name().matches(NAME) && !trials.contains(trial.name()),
        path,
        quoted(trial.name()) + " is no file name, or there twice; 'sizes' takes several sizes");
    trials.add(trial.name());
  }

  private void published(Scenario.Published published) {
    text("published.source", published.source(), "who published the figures, and of what");
    require(published.figures() != null, "published.figures", "is missing");
    for (int i = 0; i < published.figures().size(); i++) {
      Scenario.Row row = published.figures().get(i);
      String path = "published.figures[" + i + "].";
      text(path + "what", row.what(), "what the figure is of");
      text(path + "published", row.published(), "the figure as it was published, with its unit");
      boolean known = Figure.named(Objects.requireNonNullElse(row.figure(), "")).isPresent();
      among(path + "figure", row.figure(), known, Arrays.toString(Figure.values()));
      place(path + "of", row.of());
      if (row.lessThan() != null) {
        place(path + "lessThan", row.lessThan());
      }
    }
  }

  /** Checks the name of a trial, to which the report may append a size. */
  private void place(String path, String name) {
    boolean known =
        name != null && trials.stream().anyMatch(t -> name.equals(t) || name.startsWith(t + "-"));
    among(path, name, known, "a trial of this scenario, of " + trials);
  }

  private void inRange(String path, Integer value, int most) {
    among(path, value, value != null && value >= 1 && value <= most, "1 to " + most);
  }

  private void among(String path, Object value, boolean holds, Object allowed) {
    require(holds, path, quoted(value) + "; allowed: " + allowed);
  }

  private void text(String path, String value, String allowed) {
    require(value != null && !value.isBlank(), path, "is missing; allowed: " + allowed);
  }

  private void atLeastOne(String path, List<?> list) {
    require(list == null || !list.isEmpty(), path, "is empty; leave it out, or name at least one");
  }

  private static String quoted(Object value) {
    return value == null ? "it is missing" : "'" + value + "'";
  }

  private void require(boolean holds, String path, String message) {
    if (!holds) {
      throw new RefusedException(scenario.field(path) + ": " + message);
    }
  }
}
