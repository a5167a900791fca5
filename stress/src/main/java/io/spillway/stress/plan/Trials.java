package io.spillway.stress.plan;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.spillway.stress.report.TrialResult;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The built-in trials: a table, and the templates of their configurations beside it. */
public final class Trials {

  private static final String FOLDER = "/io/spillway/stress/trials/";

  /** What a reader must know; each note begins with the word in a configuration that it is on. */
  private static final List<String> NOTES =
      List.of(
          "checkIncrement is 100 ms: how often Logback's SizeBasedTriggeringPolicy looks at the file"
              + " size; its default is a minute.",
          "maxFlushTime is 60 s wherever there is one, so that no event is lost by stopping alone;"
              + " AsyncAppender's default is 1 s.");

  /** Names of the trials of a run without options. */
  public static final List<String> DEFAULT =
      List.of(
          "async", "async-never-block", "async-131072-size-and-time", "spillway", "spillway-file");

  private static final List<Trial> BUILT_IN = Stream.of(table()).map(Row::trial).toList();

  private Trials() {}

  /** Returns all built-in trials in their order. */
  public static List<Trial> builtIn() {
    return BUILT_IN;
  }

  /** Returns the facts that a reader needs to interpret a run of these trials. */
  static List<String> notes(List<Trial> trials) {
    List<String> notes = new ArrayList<>();
    for (String note : NOTES) {
      String word = note.split(" ")[0];
      if (trials.stream()
          .anyMatch(t -> t.sandboxed() == null && t.configuration().contains(word))) {
        notes.add(note);
      }
    }
    for (Trial trial : trials) {
      if (trial.sandboxed() != null) {
        trial.sandboxed().notes().forEach(note -> notes.add(trial.name() + ": " + note));
      }
    }
    return notes;
  }

  /** Returns a trial of an appender that misbehaves on purpose, as its settings say. */
  static Trial calibration(String name, Map<String, String> settings) {
    Map<String, String> properties = new TreeMap<>();
    settings.forEach((setting, value) -> properties.put("calibration." + setting, value));
    return new Trial(
        name,
        TrialResult.Role.PEER,
        "an appender that misbehaves on purpose: " + properties,
        filled("calibration", "fixed-window", List.of()),
        properties);
  }

  /**
   * A row of the table. What may be missing: {@code rolling} and {@code settings}, for which the
   * template has places, {@code library} and {@code properties}.
   *
   * @param template the name of the resource with the configuration
   * @param rolling the policies, the name of a resource in the folder {@code rolling}
   * @param settings elements of the appender
   */
  private record Row(
      String name,
      TrialResult.Role role,
      String description,
      String template,
      String rolling,
      List<String> settings,
      String library,
      Map<String, String> properties) {

    Trial trial() {
      return new Trial(
          name,
          role,
          description,
          Objects.requireNonNullElse(library, Trial.LOGBACK),
          filled(template, rolling, Objects.requireNonNullElse(settings, List.of())),
          Objects.requireNonNullElse(properties, Map.of()),
          null,
          0,
          null);
    }
  }

  private static String filled(String template, String rolling, List<String> settings) {
    return text(template + ".xml")
        .replace("{{rolling}}\n", rolling == null ? "" : text("rolling/" + rolling + ".xml"))
        .replace("{{settings}}\n", String.join("\n", settings).indent(4));
  }

  private static Row[] table() {
    try {
      return new ObjectMapper().readValue(text("trials.json"), Row[].class);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String text(String resource) {
    try (InputStream in = Trials.class.getResourceAsStream(FOLDER + resource)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
