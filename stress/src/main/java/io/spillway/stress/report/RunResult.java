package io.spillway.stress.report;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One run of the harness: what is written to {@code result.json}.
 *
 * @param startedAt ISO-8601 instant
 * @param notes what a reader must know to read the figures correctly
 * @param trials every trial of every repeat
 * @param scenario the scenario that the trials are part of, or null
 */
public record RunResult(
    String startedAt,
    double seconds,
    List<String> commandLine,
    Map<String, Object> options,
    List<String> notes,
    Machine machine,
    List<TrialResult> trials,
    Scenario scenario,
    Verdict verdict,
    String finding) {

  /** Returns the exit code for the verdict; that for wrong options is 2. */
  public int exitCode() {
    return switch (verdict) {
      case PASSED -> 0;
      case VIOLATED -> 1;
      case INCONCLUSIVE -> 3;
    };
  }

  /**
   * Returns the verdict on a run: the worst of its subjects. Peers are shown and decide nothing; a
   * run of peers alone is inconclusive only if one of them has no figures.
   */
  public static Verdict verdictOf(List<TrialResult> trials) {
    List<TrialResult> subjects =
        trials.stream().filter(trial -> trial.role() == TrialResult.Role.SUBJECT).toList();
    if (!subjects.isEmpty()) {
      return Verdict.of(subjects.stream().map(TrialResult::verdict).toList());
    }
    boolean measured = !trials.isEmpty() && trials.stream().allMatch(TrialResult::measured);
    return measured ? Verdict.PASSED : Verdict.INCONCLUSIVE;
  }

  /** Returns what the trials have shown as one sentence: the worst broken limit, and verdicts. */
  public static String findingOf(List<TrialResult> trials) {
    String first =
        trials.stream()
            .filter(trial -> !trial.reasons().isEmpty())
            .max(Comparator.comparing(TrialResult::verdict).thenComparing(TrialResult::heldSeconds))
            .map(worst -> "With " + worst.label() + ", " + worst.firstBroken())
            .orElse("Every limit was kept");
    Map<Verdict, String> names =
        trials.stream()
            .collect(
                Collectors.groupingBy(
                    TrialResult::verdict,
                    Collectors.mapping(TrialResult::label, Collectors.joining(", "))));
    return Stream.of(Verdict.VIOLATED, Verdict.INCONCLUSIVE, Verdict.PASSED)
        .filter(names::containsKey)
        .map(verdict -> "; " + verdict + ": " + names.get(verdict))
        .collect(Collectors.joining("", first, "."));
  }

  /** Returns the trials by name: those of a name are its repeats. */
  public Map<String, List<TrialResult>> byName() {
    return trials.stream()
        .collect(Collectors.groupingBy(TrialResult::name, LinkedHashMap::new, Collectors.toList()));
  }

  /** The machine and JVM on which figures were measured. */
  public record Machine(String os, int processors, long memoryBytes, String java) {

    /** Returns the machine and JVM of the calling process. */
    public static Machine current() {
      return new Machine(
          join("os.name", "os.version", "os.arch"),
          Runtime.getRuntime().availableProcessors(),
          ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize(),
          join("java.version", "java.vendor"));
    }

    private static String join(String... properties) {
      return Stream.of(properties).map(System::getProperty).collect(Collectors.joining(" "));
    }
  }

  /**
   * A scenario, with published figures of comparable set-ups beside the measured ones.
   *
   * @param name name of the scenario, or of its file
   * @param source where the published figures are from, or null
   */
  public record Scenario(
      String name, String description, String source, List<Published> published) {

    private static final List<String> HEADER =
        List.of("what", "published", "measured", "measured as");

    /** Returns a copy of this scenario with the measured figures of a run. */
    public Scenario measured(List<TrialResult> trials) {
      return new Scenario(
          name, description, source, published.stream().map(p -> p.measured(trials)).toList());
    }

    /** Returns the table of published and measured figures, its header first. */
    List<List<String>> rows() {
      return TextTable.rows(HEADER, published.stream().map(Published::row));
    }
  }

  /**
   * A published figure and its measured counterpart.
   *
   * @param published the figure as published, with its unit
   * @param figure name of the {@link Figure} that is compared with it
   * @param trial the trial in which the counterpart is measured; null if the run has no such trial
   * @param lessThan the trial against which the counterpart is given as a difference in percent; or
   *     null for the figure itself
   * @param measured the counterpart with its unit, a median of repeats; null if not measured
   */
  public record Published(
      String what,
      String published,
      String figure,
      String trial,
      String lessThan,
      String measured) {

    private Published measured(List<TrialResult> trials) {
      return new Published(what, published, figure, trial, lessThan, text(trials));
    }

    private List<String> row() {
      String as = figure + ", " + trial + (lessThan == null ? "" : " against " + lessThan);
      return List.of(
          what,
          published,
          measured == null ? "-" : measured,
          trial == null ? "not in this run" : as);
    }

    private String text(List<TrialResult> trials) {
      Figure kind = Figure.named(figure).orElseThrow();
      List<TrialResult> of = named(trial, trials);
      if (lessThan == null) {
        return kind.text(of);
      }
      Double value = kind.median(of);
      Double base = kind.median(named(lessThan, trials));
      if (value == null || base == null || base == 0) {
        return null;
      }
      double percent = Math.floor(Math.abs(1 - value / base) * 1000) / 10; // 99.96 becomes 99.9
      return percent + " % " + (value > base ? "more" : "less");
    }

    private static List<TrialResult> named(String name, List<TrialResult> trials) {
      return trials.stream().filter(trial -> trial.name().equals(name)).toList();
    }
  }
}
