package io.spillway.stress.report;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * One run of the harness: what is written to {@code result.json}.
 *
 * @param schema name and version of this layout
 * @param startedAt ISO-8601 instant
 * @param seconds how long the run took
 * @param estimatedSeconds how long it was estimated to take before it began
 * @param commandLine arguments of the command line
 * @param options every option with its value
 * @param notes what a reader must know to read the figures correctly
 * @param machine the machine on which it ran
 * @param prefills the lines written before trials of the harness's own configurations, one entry
 *     for each length
 * @param trials every trial of every repeat
 * @param medians the medians of each trial over its repeats
 * @param scenario the scenario that the trials are part of, or null
 * @param verdict the verdict on the run
 * @param finding what was found, in one sentence
 * @param reasons why the verdict is not {@code passed}
 */
public record RunResult(
    String schema,
    String startedAt,
    double seconds,
    double estimatedSeconds,
    List<String> commandLine,
    Map<String, Object> options,
    List<String> notes,
    Machine machine,
    List<ReadBackFigures.Prefill> prefills,
    List<TrialResult> trials,
    List<Median> medians,
    Scenario scenario,
    Judge.Verdict verdict,
    String finding,
    List<String> reasons) {

  /** The layout that this version writes. */
  public static final String SCHEMA = "spillway-stress/5";

  private static final String THREADS = "application threads";

  /**
   * Returns the exit code for the verdict: 0 if passed, 1 if violated, 3 if inconclusive. The exit
   * code for wrong options is 2.
   */
  public int exitCode() {
    return switch (verdict) {
      case PASSED -> 0;
      case VIOLATED -> 1;
      case INCONCLUSIVE -> 3;
    };
  }

  /**
   * Returns the verdict on a run: violated if a subject is violated; otherwise inconclusive if a
   * trial leaves the run in doubt or there is none. A peer that only stalls of the machine leave
   * without a verdict does not leave the run in doubt.
   */
  public static Judge.Verdict verdictOf(List<TrialResult> trials) {
    if (trials.stream().anyMatch(RunResult::failsTheRun)) {
      return Judge.Verdict.VIOLATED;
    }
    boolean doubtful = trials.isEmpty() || trials.stream().anyMatch(RunResult::leavesDoubt);
    return doubtful ? Judge.Verdict.INCONCLUSIVE : Judge.Verdict.PASSED;
  }

  static boolean leavesDoubt(TrialResult trial) {
    boolean noisyPeer = trial.role() == TrialResult.Role.PEER && Judge.isNoise(trial.evidence());
    return trial.verdict() == Judge.Verdict.INCONCLUSIVE && !noisyPeer;
  }

  /** Returns the effects of the trials on application threads as one sentence, the worst first. */
  public static String findingOf(List<TrialResult> trials) {
    Map<Judge.Grade, Set<String>> names = new EnumMap<>(Judge.Grade.class);
    Set<String> excused = new LinkedHashSet<>();
    Set<String> unclear = new LinkedHashSet<>();
    double worst = 0;
    TrialResult worstTrial = null;
    for (TrialResult trial : trials) {
      if (trial.measured()) {
        boolean felt = trial.felt() != Judge.Grade.NONE;
        if (!felt && Judge.isExcused(trial.evidence())) {
          excused.add(trial.name());
        } else if (!felt && trial.verdict() == Judge.Verdict.INCONCLUSIVE) {
          unclear.add(trial.name());
        } else {
          names.computeIfAbsent(trial.felt(), grade -> new LinkedHashSet<>()).add(trial.name());
        }
        double held = trial.heldUpThreadSecondsPerMinute();
        if (trial.felt() == Judge.Grade.STALL && (worstTrial == null || held > worst)) {
          worst = held;
          worstTrial = trial;
        }
      }
    }
    List<String> parts = new ArrayList<>();
    if (worstTrial != null) {
      parts.add(
          String.format(
              Locale.ROOT,
              "With %s up to %,d threads stood in log calls at once, for %s thread-seconds in"
                  + " all",
              worstTrial.name(),
              Judge.threadsAtOnce(worstTrial.load(), worstTrial.parks()),
              rounded(worst * worstTrial.load().measuredSeconds() / 60)));
    }
    add(parts, broken(trials, null), "ended the JVM");
    add(parts, broken(trials, Judge.Grade.STALL), "kept threads in the logging library for ever");
    add(parts, names.get(Judge.Grade.STALL), "stalled " + THREADS);
    add(parts, names.get(Judge.Grade.NOTICEABLE), "held %s up noticeably");
    add(parts, excused, "held %s up while the machine itself stalled, which may be why");
    add(parts, unclear, "showed too little to tell");
    add(parts, names.get(Judge.Grade.NONE), "did not hold %s up");
    Set<String> losing =
        trials.stream()
            .filter(trial -> trial.measured() && trial.readBack().conservation().lost() > 0)
            .map(TrialResult::name)
            .collect(Collectors.toCollection(LinkedHashSet::new));
    add(parts, losing, "lost events");
    trials.stream()
        .flatMap(t -> Judge.brokenPromises(t.evidence()).stream().map(r -> t.name() + ": " + r))
        .distinct()
        .forEach(parts::add);
    return parts.isEmpty() ? "No trial gave figures." : String.join("; ", parts) + ".";
  }

  private static String rounded(double seconds) {
    return String.format(Locale.ROOT, seconds < 10 ? "%.1f" : "%,.0f", seconds);
  }

  /**
   * Returns the violated trials without figures: with grade {@code STALL} their threads never
   * returned from the logging library, with null their JVM ended.
   */
  private static Set<String> broken(List<TrialResult> trials, Judge.Grade felt) {
    return trials.stream()
        .filter(trial -> !trial.measured() && trial.verdict() == Judge.Verdict.VIOLATED)
        .filter(trial -> trial.felt() == felt)
        .map(TrialResult::name)
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  private static void add(List<String> parts, Set<String> names, String did) {
    if (names != null && !names.isEmpty()) {
      boolean named = parts.stream().anyMatch(part -> part.contains(THREADS));
      parts.add(String.join(", ", names) + " " + did.formatted(named ? "them" : THREADS));
    }
  }

  /** Returns the reasons of the trials that decide the run's verdict. */
  public static List<String> reasonsOf(List<TrialResult> trials) {
    List<String> reasons = new ArrayList<>();
    for (TrialResult trial : trials) {
      if (failsTheRun(trial) || leavesDoubt(trial)) {
        trial.reasons().forEach(reason -> reasons.add(trial.name() + ": " + reason));
      }
    }
    return reasons;
  }

  private static boolean failsTheRun(TrialResult trial) {
    return trial.role() == TrialResult.Role.SUBJECT && trial.verdict() == Judge.Verdict.VIOLATED;
  }

  /**
   * The machine and JVM on which figures were measured.
   *
   * @param os operating system, version and architecture
   * @param processors processors the JVM may use
   * @param memoryBytes physical memory
   * @param java version and vendor
   * @param jvm virtual machine name and version
   */
  public record Machine(String os, int processors, long memoryBytes, String java, String jvm) {

    /** Returns the machine and JVM of the calling process. */
    public static Machine current() {
      OperatingSystemMXBean system =
          ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
      return new Machine(
          join("os.name", "os.version", "os.arch"),
          Runtime.getRuntime().availableProcessors(),
          system.getTotalMemorySize(),
          join("java.version", "java.vendor"),
          join("java.vm.name", "java.vm.version"));
    }

    private static String join(String... properties) {
      StringBuilder joined = new StringBuilder();
      for (String property : properties) {
        joined.append(joined.length() == 0 ? "" : " ").append(System.getProperty(property));
      }
      return joined.toString();
    }
  }

  /**
   * Medians of a trial over its repeats, computed for each figure separately.
   *
   * @param name the trial's name
   * @param repeats number of repeats that have figures
   * @param rotationSeconds seconds from the trigger to the finished archive, over the repeats in
   *     which the archive was finished; null if it never was
   * @param threadsAtOnce the most threads waiting inside logging at the same moment
   * @param parkedThreadSeconds thread-seconds waited inside logging
   * @param heldUpThreadSecondsPerMinute thread-seconds held up inside logging per minute of load,
   *     from any cause
   * @param worstCallMicros slowest log call
   * @param outsideP50Micros median log call outside the rotation
   * @param outsideP999Micros 99.9th percentile of the log calls outside the rotation; null, as the
   *     next three, if there were too few
   * @param rotationP999Micros 99.9th percentile of the log calls during the rotation
   * @param outsideResponseP999Micros 99.9th percentile of the response times outside the rotation
   * @param rotationResponseP999Micros 99.9th percentile of the response times during the rotation
   * @param heapBytes most heap in use after a collection, or null if not known
   * @param lost events lost
   * @param duplicated events duplicated
   * @param outOfOrder events out of order
   * @param torn torn lines
   */
  public record Median(
      String name,
      int repeats,
      Double rotationSeconds,
      double threadsAtOnce,
      double parkedThreadSeconds,
      Double heldUpThreadSecondsPerMinute,
      double worstCallMicros,
      Double outsideP50Micros,
      Double outsideP999Micros,
      Double rotationP999Micros,
      Double outsideResponseP999Micros,
      Double rotationResponseP999Micros,
      Double heapBytes,
      double lost,
      double duplicated,
      double outOfOrder,
      double torn) {

    /** Returns the medians of each trial that has figures, in the order of first repeats. */
    public static List<Median> of(List<TrialResult> results) {
      Map<String, List<TrialResult>> byName = new LinkedHashMap<>();
      for (TrialResult result : results) {
        if (result.measured()) {
          byName.computeIfAbsent(result.name(), name -> new ArrayList<>()).add(result);
        }
      }
      List<Median> medians = new ArrayList<>();
      byName.forEach((name, repeats) -> medians.add(of(name, repeats)));
      return medians;
    }

    private static Median of(String name, List<TrialResult> repeats) {
      return new Median(
          name,
          repeats.size(),
          Figure.ROTATION.median(repeats),
          Figure.THREADS_PARKED.median(repeats),
          Figure.PARKED.median(repeats),
          Figure.HELD_UP.median(repeats),
          Figure.WORST_CALL.median(repeats),
          Figure.P50_OUTSIDE.median(repeats),
          Figure.P999_OUTSIDE.median(repeats),
          Figure.P999_ROTATING.median(repeats),
          Figure.P999_RESPONSE_OUTSIDE.median(repeats),
          Figure.P999_RESPONSE_ROTATING.median(repeats),
          Figure.HEAP.median(repeats),
          Figure.LOST.median(repeats),
          Figure.DUPLICATED.median(repeats),
          Figure.OUT_OF_ORDER.median(repeats),
          Figure.TORN.median(repeats));
    }
  }

  /**
   * A scenario, with published figures of comparable set-ups beside the measured ones.
   *
   * @param name name of the scenario, or of its file
   * @param description what the scenario shows
   * @param source where the published figures are from, or null
   * @param published the published figures, each with its measured counterpart; may be empty
   */
  public record Scenario(
      String name, String description, String source, List<Published> published) {

    /** Returns a copy of this scenario with the measured figures of a run. */
    public Scenario measured(List<TrialResult> trials) {
      return new Scenario(
          name,
          description,
          source,
          published.stream().map(figure -> figure.measured(trials)).toList());
    }
  }

  /**
   * A published figure and its measured counterpart.
   *
   * @param what what the figure is of
   * @param published the figure as published, with its unit
   * @param figure name of the {@link Figure} that is compared with it
   * @param trial the trial in which the counterpart is measured; null if the run has no such trial
   * @param lessThan the trial against which the counterpart is given as a difference in percent;
   *     null if the counterpart is the figure itself
   * @param measured the counterpart with its unit, a median if trials were repeated; null if not
   *     measured
   */
  public record Published(
      String what,
      String published,
      String figure,
      String trial,
      String lessThan,
      String measured) {

    static final List<String> HEADER = List.of("what", "published", "measured", "measured as");

    /** Returns a copy of this figure with its counterpart measured in the given trials. */
    Published measured(List<TrialResult> trials) {
      return new Published(what, published, figure, trial, lessThan, text(trials));
    }

    /** Returns the cells of the table row under {@link #HEADER}. */
    List<String> row() {
      return List.of(what, published, measured == null ? "-" : measured, measuredAs());
    }

    private String measuredAs() {
      if (trial == null) {
        return "not in this run";
      }
      return figure + ", " + trial + (lessThan == null ? "" : " against " + lessThan);
    }

    private String text(List<TrialResult> trials) {
      Figure kind = Figure.named(figure).orElseThrow();
      OptionalDouble value = median(kind, trial, trials);
      if (value.isEmpty()) {
        return null;
      }
      if (lessThan == null) {
        return kind.format(value.getAsDouble());
      }
      OptionalDouble base = median(kind, lessThan, trials);
      return base.isEmpty() || base.getAsDouble() == 0
          ? null
          : difference(value.getAsDouble() / base.getAsDouble());
    }

    /** Formats a ratio as a difference in percent, rounded down: 99.96 % becomes 99.9 %. */
    private static String difference(double ratio) {
      double percent = Math.floor(Math.abs(1 - ratio) * 1000) / 10;
      return String.format(Locale.ROOT, "%.1f %% %s", percent, ratio > 1 ? "more" : "less");
    }

    /**
     * Returns the median over the repeats with a finished rotation, as a published figure includes
     * one; empty if there are none.
     */
    private static OptionalDouble median(Figure kind, String trial, List<TrialResult> trials) {
      Double median =
          kind.median(
              trials.stream()
                  .filter(result -> result.name().equals(trial) && result.measured())
                  .filter(result -> result.load().rotation().complete())
                  .toList());
      return median == null ? OptionalDouble.empty() : OptionalDouble.of(median);
    }
  }
}
