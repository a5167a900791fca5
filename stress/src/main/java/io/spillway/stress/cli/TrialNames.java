package io.spillway.stress.cli;

import io.spillway.stress.plan.Trial;
import io.spillway.stress.plan.Trials;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Names trials after configuration files. A trial's directory lies beside the other files of a run
 * and has the trial's name; repeats of a trial append a hyphen and a number. Therefore no name
 * equals one of those files or a built-in trial, or ends like a repeat.
 */
final class TrialNames {
  private static final int LONGEST = 60;
  private static final List<String> FILES_OF_A_RUN =
      List.of("work", "report.html", "report.md", "result.json", "junit.xml");

  private final Set<String> taken = new HashSet<>(FILES_OF_A_RUN);

  TrialNames() {
    Trials.builtIn().stream().map(Trial::name).forEach(taken::add);
  }

  /** Returns a new name: the file's without its suffix, with a number if that name is taken. */
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
