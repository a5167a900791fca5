package io.spillway.stress.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Results made up for tests. */
public final class Results {

  private Results() {}

  /** A run of the given trials, with nothing remarkable about it. */
  public static RunResult run(TrialResult... trials) {
    List<TrialResult> list = List.of(trials);
    return new RunResult(
        RunResult.SCHEMA,
        "2026-01-31T12:00:00Z",
        60,
        70,
        List.of("run", "--size", "64MB"),
        Map.of("threads", 300, "repeats", 1),
        List.of("A note."),
        new RunResult.Machine("Linux", 2, 8L << 30, "17.0.1 Vendor", "VM 17"),
        List.of(new ReadBackFigures.Prefill(10, 1000, 1)),
        list,
        RunResult.Median.of(list),
        null,
        RunResult.verdictOf(list),
        RunResult.findingOf(list),
        RunResult.reasonsOf(list));
  }

  /** The same run with other options, and as part of that scenario, or of none. */
  public static RunResult with(
      RunResult run, Map<String, Object> options, RunResult.Scenario scenario) {
    return new RunResult(
        run.schema(),
        run.startedAt(),
        run.seconds(),
        run.estimatedSeconds(),
        run.commandLine(),
        options,
        run.notes(),
        run.machine(),
        run.prefills(),
        run.trials(),
        run.medians(),
        scenario,
        run.verdict(),
        run.finding(),
        run.reasons());
  }

  /** A subject's trial that passed; its worst call took so long, all else is fixed. */
  public static TrialResult passed(String name, int repeat, double worstCallMicros) {
    return trial(name, repeat, TrialResult.Role.SUBJECT, worstCallMicros, 0);
  }

  /** A peer whose archive was not finished in time. */
  public static TrialResult unfinished(String name, int repeat) {
    LoadFigures.Rotation rotation = new LoadFigures.Rotation(true, false, 5, 6, 0);
    return trial(name, repeat, TrialResult.Role.PEER, 10, 0, rotation);
  }

  /** A trial that lost so many events, which is all that is wrong with it. */
  public static TrialResult trial(
      String name, int repeat, TrialResult.Role role, double worstCallMicros, long lost) {
    LoadFigures.Rotation rotation = new LoadFigures.Rotation(true, true, 5, 6, 7);
    return trial(name, repeat, role, worstCallMicros, lost, rotation);
  }

  private static TrialResult trial(
      String name,
      int repeat,
      TrialResult.Role role,
      double worstCallMicros,
      long lost,
      LoadFigures.Rotation rotation) {
    LoadFigures.Calls calls =
        new LoadFigures.Calls(1000, 2.0, 5.0, 20.0, worstCallMicros, List.of());
    List<String> reasons = new ArrayList<>();
    if (lost > 0) {
      reasons.add(lost + " events lost");
    }
    return new TrialResult(
        name,
        64 << 20,
        repeat,
        role,
        "a trial",
        "<configuration/>",
        List.of("java"),
        load(calls, rotation),
        new TrialResult.Parks(
            0, 0, 0, 0, 0, Map.of(), Map.of(), List.of(), List.of(), List.of(), true),
        new TrialResult.Pauses(0, 0, 0, 0, 0, 0, List.of(), List.of()),
        new TrialResult.Heap(512 << 20, 200 << 20, 20 << 20),
        new TrialResult.Control(60, 900, 9_000, 900, 0.1, List.of(), List.of()),
        List.of(),
        new ReadBackFigures(
            new ReadBackFigures.Conservation(1000, 1000 - lost, lost, 0, 0, 0, 0, null),
            new ReadBackFigures.Prefill(10, 1000, 1),
            true,
            List.of()),
        List.of(),
        lost > 0 ? Judge.Verdict.VIOLATED : Judge.Verdict.PASSED,
        Judge.Grade.NONE,
        0.0,
        "nothing of note",
        reasons);
  }

  /** A subject's trial that was judged by these checks, and held threads up for so long. */
  static TrialResult judged(String name, List<Judge.Check> checks, double secondsPerMinute) {
    return judged(name, TrialResult.Role.SUBJECT, checks, secondsPerMinute);
  }

  static TrialResult judged(
      String name, TrialResult.Role role, List<Judge.Check> checks, double secondsPerMinute) {
    TrialResult trial = trial(name, 1, role, 10, 0);
    return new TrialResult(
        name,
        trial.sizeBytes(),
        1,
        trial.role(),
        trial.description(),
        trial.configuration(),
        trial.childCommand(),
        trial.load(),
        trial.parks(),
        trial.pauses(),
        trial.heap(),
        trial.control(),
        trial.executed(),
        trial.readBack(),
        checks,
        Judge.verdict(trial.role(), checks),
        Judge.felt(checks),
        secondsPerMinute,
        trial.finding(),
        Judge.reasons(checks));
  }

  /** A trial with so many threads inside log calls on average of each second. */
  public static TrialResult heldUp(String name, List<Double> threadsBySecond) {
    TrialResult trial = passed(name, 1, 10);
    LoadFigures load = trial.load();
    LoadFigures held =
        new LoadFigures(
            load.sentByThread(),
            load.threw(),
            load.firstThrown(),
            load.interrupted(),
            load.loadStartEpochNanos(),
            load.warmUpSeconds(),
            threadsBySecond.size(),
            load.stopSeconds(),
            load.cpuSeconds(),
            load.cpuBySecond(),
            load.cpuByThread(),
            load.callsDue(),
            load.callsMade(),
            new LoadFigures.InCalls(0, null, null, null, null, threadsBySecond, List.of()),
            load.allocation(),
            load.disk(),
            new LoadFigures.Rotation(true, true, 1, 1.5, 2),
            load.latency(),
            load.seconds(),
            load.buffers(),
            load.statusProblems());
    return new TrialResult(
        name,
        trial.sizeBytes(),
        1,
        trial.role(),
        trial.description(),
        trial.configuration(),
        trial.childCommand(),
        held,
        trial.parks(),
        trial.pauses(),
        trial.heap(),
        trial.control(),
        trial.executed(),
        trial.readBack(),
        trial.evidence(),
        trial.verdict(),
        trial.felt(),
        trial.heldUpThreadSecondsPerMinute(),
        trial.finding(),
        trial.reasons());
  }

  /** A trial whose forked JVM did not end well. */
  public static TrialResult failed(String name, String reason) {
    return new TrialResult(
        name,
        64 << 20,
        1,
        TrialResult.Role.PEER,
        "a trial",
        "<configuration/>",
        List.of("java"),
        null,
        null,
        null,
        null,
        null,
        List.of(),
        null,
        List.of(),
        Judge.Verdict.INCONCLUSIVE,
        null,
        null,
        reason,
        List.of(reason));
  }

  /** Time inside log calls that nobody would complain about. */
  public static LoadFigures.InCalls inCalls() {
    return new LoadFigures.InCalls(0.1, 0.09, 0.01, 0.02, 0.003, List.of(), List.of());
  }

  private static LoadFigures load(LoadFigures.Calls calls, LoadFigures.Rotation rotation) {
    return new LoadFigures(
        List.of(1000L),
        0,
        null,
        0,
        0,
        1,
        10,
        0.5,
        3,
        List.of(),
        List.of(),
        1000,
        1000,
        inCalls(),
        new LoadFigures.Allocation(264_000, 264),
        new LoadFigures.Disk(60 << 20, 70 << 20, 20 << 20, 10 << 20),
        rotation,
        new LoadFigures.Latency(calls, calls, calls, calls, calls, calls, calls),
        List.of(),
        List.of(),
        List.of());
  }
}
