package io.spillway.stress.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Two runs side by side.
 *
 * @param trials those that are in both, in the order of the old run
 * @param onlyBefore trials of the old run that the new one lacks
 * @param onlyAfter trials of the new run that the old one lacks
 * @param conditions what differs in options or machine, so that figures may differ for it
 */
public record Comparison(
    List<TrialComparison> trials,
    List<String> onlyBefore,
    List<String> onlyAfter,
    List<String> conditions) {

  private static final Set<String> NO_CONDITION = Set.of("out", "keep", "repeats");

  /** Compares two runs. */
  public static Comparison of(RunResult before, RunResult after) {
    Map<String, List<TrialResult>> old = byName(before);
    Map<String, List<TrialResult>> now = byName(after);
    List<TrialComparison> trials = new ArrayList<>();
    old.forEach(
        (name, repeats) -> {
          if (now.containsKey(name)) {
            trials.add(TrialComparison.of(name, repeats, now.get(name)));
          }
        });
    return new Comparison(trials, missing(old, now), missing(now, old), conditions(before, after));
  }

  /**
   * 1 if a figure is worse by more than the noise or a trial that passed is violated; else 3 if a
   * trial could not be compared or is inconclusive; else 0, also where the noise is unknown.
   */
  public int exitCode() {
    if (trials.stream().anyMatch(TrialComparison::worse)) {
      return 1;
    }
    boolean whole = onlyBefore.isEmpty() && onlyAfter.isEmpty();
    return whole && trials.stream().allMatch(TrialComparison::conclusive) ? 0 : 3;
  }

  private static Map<String, List<TrialResult>> byName(RunResult run) {
    return run.trials().stream()
        .collect(Collectors.groupingBy(TrialResult::name, LinkedHashMap::new, Collectors.toList()));
  }

  private static List<String> missing(Map<String, ?> from, Map<String, ?> in) {
    return from.keySet().stream().filter(name -> !in.containsKey(name)).toList();
  }

  private static List<String> conditions(RunResult before, RunResult after) {
    List<String> conditions = new ArrayList<>();
    Set<String> options = new LinkedHashSet<>(before.options().keySet());
    options.addAll(after.options().keySet());
    options.removeAll(NO_CONDITION);
    for (String option : options) {
      add(conditions, option, before.options().get(option), after.options().get(option));
    }
    Machine old = before.machine();
    Machine now = after.machine();
    add(conditions, "system", old.os(), now.os());
    add(conditions, "processors", old.processors(), now.processors());
    add(conditions, "memory in bytes", old.memoryBytes(), now.memoryBytes());
    add(conditions, "Java", old.java(), now.java());
    add(conditions, "JVM", old.jvm(), now.jvm());
    return conditions;
  }

  private static void add(List<String> conditions, String what, Object before, Object after) {
    if (!Objects.equals(before, after)) {
      conditions.add(what + ": " + before + ", now " + after);
    }
  }
}
