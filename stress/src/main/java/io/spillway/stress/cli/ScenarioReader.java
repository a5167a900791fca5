package io.spillway.stress.cli;

import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.exc.InvalidFormatException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.spillway.stress.plan.Trial;
import io.spillway.stress.plan.Trials;
import io.spillway.stress.report.Figure;
import io.spillway.stress.report.RefusedException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
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

  private final String name;
  private final Path directory;

  /** Names of the trials with the sizes given for each; no sizes if that is left open. */
  private final Map<String, List<Long>> trials = new LinkedHashMap<>();

  private final TrialNames names = TrialNames.besideBuiltIn();
  private Scenario scenario;

  private ScenarioReader(String name, Path directory) {
    this.name = name;
    this.directory = directory;
  }

  /**
   * Finds and reads a scenario.
   *
   * @param nameOrFile the name of a built-in scenario, which takes precedence, or a file
   * @throws RefusedException if there is no such scenario, or if a field is wrong; the message says
   *     where and what to do
   */
  static Scenario find(String nameOrFile) throws IOException {
    if (Scenario.BUILT_IN.contains(nameOrFile)) {
      try (InputStream in =
          ScenarioReader.class.getResourceAsStream(FOLDER + nameOrFile + ".json")) {
        return new ScenarioReader(nameOrFile, Path.of("")).read(in.readAllBytes());
      }
    }
    Path file = Path.of(nameOrFile);
    if (!Files.isRegularFile(file) || !Files.isReadable(file)) {
      throw new RefusedException(
          "--scenario '"
              + nameOrFile
              + "' is not a readable file; allowed: "
              + String.join(", ", Scenario.BUILT_IN)
              + ", or a file as stress/SCENARIOS.md describes it");
    }
    return new ScenarioReader(nameOrFile, file.toAbsolutePath().getParent())
        .read(Files.readAllBytes(file));
  }

  private Scenario read(byte[] json) throws IOException {
    scenario = new Scenario(name, directory, content(json));
    check();
    return scenario;
  }

  private Scenario.Content content(byte[] json) throws IOException {
    return parsed(name, mapper -> mapper.readValue(json, Scenario.Content.class));
  }

  /** Reads JSON as a value of some type. */
  interface Reading<T> {
    T by(JsonMapper mapper) throws IOException;
  }

  /**
   * Returns the value that is read from the scenario of that name.
   *
   * @throws RefusedException if the JSON is wrong; the message says where and what is allowed
   */
  static <T> T parsed(String name, Reading<T> reading) throws IOException {
    try {
      T content = reading.by(MAPPER);
      if (content == null) {
        throw refused(
            name, "it says nothing; allowed: an object, such as {\"description\": \"...\"}");
      }
      return content;
    } catch (UnrecognizedPropertyException e) {
      throw refused(
          name,
          "there is no field '"
              + path(e)
              + "'; allowed here: "
              + e.getKnownPropertyIds().stream().map(String::valueOf).sorted().toList());
    } catch (JsonMappingException e) {
      throw refused(name, e.getPath().isEmpty() ? why(e) : "field '" + path(e) + "': " + why(e));
    } catch (JsonProcessingException e) {
      String where = e.getLocation() == null ? "" : " (line " + e.getLocation().getLineNr() + ")";
      throw refused(name, "it is no JSON: " + e.getOriginalMessage() + where);
    }
  }

  private static RefusedException refused(String name, String why) {
    return new RefusedException("scenario " + name + ": " + why);
  }

  private static String why(JsonMappingException e) {
    if (e.getCause() instanceof TypeConversionException unit) {
      return unit.getMessage();
    }
    if (e.getOriginalMessage().startsWith("Trailing token")) {
      return "something follows after its end; allowed: one object {...}";
    }
    if (e instanceof MismatchedInputException mismatch && mismatch.getTargetType() != null) {
      String value =
          e instanceof InvalidFormatException wrong ? "'" + wrong.getValue() + "'" : "it";
      return value + " is not " + kind(mismatch.getTargetType());
    }
    return e.getOriginalMessage();
  }

  private static String kind(Class<?> type) {
    if (type == Integer.class || type == Long.class) {
      return "a whole number";
    }
    if (type == String.class) {
      return "a text or number";
    }
    return List.class.isAssignableFrom(type) ? "a list [...]" : "an object {...}";
  }

  /** Returns the path of a field, such as {@code trials[2].sizes[0]}. */
  private static String path(JsonMappingException e) {
    return e.getPath().stream()
        .map(
            part ->
                part.getFieldName() == null
                    ? "[" + part.getIndex() + "]"
                    : "." + part.getFieldName())
        .collect(Collectors.joining())
        .replaceFirst("^\\.", "");
  }

  /** Checks all fields; refuses a wrong one with its name, its value and what is allowed. */
  private void check() {
    Scenario.Content content = scenario.content();
    text("description", content.description(), "one line that says what the scenario shows");
    atLeastOne("sizes", content.sizes());
    atLeastOne("trials", content.trials());
    for (int i = 0; i < scenario.trials().size(); i++) {
      trial("trials[" + i + "]", scenario.trials().get(i));
    }
    if (scenario.trials().isEmpty()) {
      Trials.DEFAULT.forEach(name -> trials.put(name, sizes(null)));
    }
    if (content.published() != null) {
      published(content.published());
    }
  }

  private void trial(String path, Scenario.Choice trial) {
    atLeastOne(path + ".sizes", trial.sizes());
    require(
        (trial.appender() == null) != (trial.configuration() == null),
        path,
        "needs either an 'appender', one of those that 'list' shows, or a 'configuration', a file");
    if (trial.configuration() != null) {
      require(
          Files.isReadable(scenario.directory().resolve(trial.configuration())),
          path + ".configuration",
          quoted(trial.configuration())
              + "; allowed: a readable logback.xml, relative to "
              + scenario.directory().toAbsolutePath());
      trials.put(names.of(Path.of(trial.configuration())), sizes(trial));
      return;
    }
    List<String> known = Trials.builtIn().stream().map(Trial::name).toList();
    require(
        known.contains(trial.appender()),
        path + ".appender",
        quoted(trial.appender()) + "; allowed: " + String.join(", ", known));
    require(
        trials.put(trial.appender(), sizes(trial)) == null,
        path + ".appender",
        quoted(trial.appender()) + " is there twice; several sizes go into one 'sizes'");
  }

  private void published(Scenario.Published published) {
    text("published.source", published.source(), "who published the figures, and of what");
    require(
        published.figures() != null && !published.figures().isEmpty(),
        "published.figures",
        "is missing or empty; allowed: at least one figure");
    for (int i = 0; i < published.figures().size(); i++) {
      Scenario.Row row = published.figures().get(i);
      String path = "published.figures[" + i + "]";
      text(path + ".what", row.what(), "what the figure is of");
      text(path + ".published", row.published(), "the figure as it was published, with its unit");
      require(
          row.figure() != null && Figure.named(row.figure()).isPresent(),
          path + ".figure",
          quoted(row.figure()) + "; allowed: " + Arrays.toString(Figure.values()));
      require(
          row.of() != null, path + ".of", "is missing; allowed: {\"trial\": ..., \"size\": ...}");
      place(path + ".of", row.of());
      if (row.lessThan() != null) {
        place(path + ".lessThan", row.lessThan());
      }
    }
  }

  private void place(String path, Scenario.Place place) {
    require(
        place.trial() != null && trials.containsKey(place.trial()),
        path + ".trial",
        quoted(place.trial()) + "; allowed: a trial of this scenario, of " + trials.keySet());
    List<Long> sizes = trials.get(place.trial());
    require(
        place.size() == null ? sizes.size() < 2 : sizes.isEmpty() || sizes.contains(place.size()),
        path + ".size",
        quoted(place.size()) + "; allowed: one of its sizes, in bytes " + sizes);
  }

  private List<Long> sizes(Scenario.Choice trial) {
    boolean own = trial != null && trial.sizes() != null;
    List<Long> sizes = own ? trial.sizes() : scenario.content().sizes();
    return sizes == null ? List.of() : sizes;
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
