package io.spillway.stress.cli;

import io.spillway.stress.plan.Trial;
import io.spillway.stress.plan.Trials;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Names trials after configuration files. A name is that of a directory beside the run's other
 * files, and whoever repeats a trial adds a hyphen and a number to it; so none is like one of
 * those.
 */
final class TrialNames {
  private static final int LONGEST = 60;
  private static final List<String> FILES_OF_A_RUN =
      List.of("work", "report.html", "report.md", "result.json", "junit.xml");

  private final Set<String> taken = new HashSet<>(FILES_OF_A_RUN);

  /**
   * Begins.
   *
   * @param others names that trials have already
   */
  TrialNames(Collection<String> others) {
    taken.addAll(others);
  }

  /** None is like that of a built-in trial. */
  static TrialNames besideBuiltIn() {
    return new TrialNames(Trials.builtIn().stream().map(Trial::name).toList());
  }

  /** The file's name without its suffix; followed by a number if there is one so. */
  String of(Path configuration) {
    String plain =
        configuration
            .getFileName()
            .toString()
            .replaceFirst("\\.xml$", "")
            .replaceAll("[^A-Za-z0-9._-]", "-")
            .replaceFirst("^[._-]+", "");
    String cut = plain.substring(0, Math.min(LONGEST, plain.length()));
    String name = cut.isEmpty() ? "config" : cut.replaceFirst("-(\\d+)$", ".$1");
    String unique = name;
    for (int number = 2; !taken.add(unique.toLowerCase(Locale.ROOT)); number++) {
      unique = name + "." + number;
    }
    return unique;
  }
}
