package io.spillway.stress.report;

import io.spillway.stress.report.TrialResult.Check;
import io.spillway.stress.report.Waits.Frame;
import java.util.List;
import java.util.Map;

/** Results made up for tests: each begins with a trial in which nothing is wrong. */
public final class Results {

  static final Judge.Limits LIMITS = new Judge.Limits(1, 50, 0);
  private static final List<Double> IDLE = List.of(0.2, 0.2, 0.2, 0.2, 0.2, 0.2);

  private List<Double> held = List.of(0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
  private List<Integer> atOnce = List.of(0, 0, 0, 0, 0, 0);
  private List<Double> late = List.of(0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
  private Latency.Times outside = times(10_000, 200.0, 200.0);
  private Latency.Times rotating = times(10_000, 300.0, 300.0);
  private List<Frame> waits = List.of();
  private List<Frame> running = List.of();
  private long notMade;
  private long threw;
  private long lost;
  private LoadFigures.Rotation rotation = new LoadFigures.Rotation(true, true, 2, 4);
  private String problem = "WARN in something";

  private Results() {}

  static Results clean() {
    return new Results();
  }

  static Latency.Times times(long count, Double p999Micros, Double onTimeMicros) {
    return new Latency.Times(count, 20.0, 90.0, p999Micros, onTimeMicros, 900);
  }

  Results held(List<Double> bySecond, List<Integer> threads) {
    held = bySecond;
    atOnce = threads;
    return this;
  }

  Results late(Double... millisBySecond) {
    late = List.of(millisBySecond);
    return this;
  }

  Results response(Latency.Times beforeAndAfter, Latency.Times inRotation) {
    outside = beforeAndAfter;
    rotating = inRotation;
    return this;
  }

  Results waits(Frame... frames) {
    waits = List.of(frames);
    return this;
  }

  Results running(Frame... frames) {
    running = List.of(frames);
    return this;
  }

  Results notMade(long calls) {
    notMade = calls;
    return this;
  }

  Results threw(long calls) {
    threw = calls;
    return this;
  }

  Results lost(long events) {
    lost = events;
    return this;
  }

  Results rotation(boolean seen, boolean complete) {
    rotation = new LoadFigures.Rotation(seen, complete, seen ? 2 : 0, complete ? 4 : 0);
    return this;
  }

  Results problem(String text) {
    problem = text;
    return this;
  }

  Judge.Seen seen() {
    LoadFigures load =
        new LoadFigures(
            List.of(500L, 10_000L),
            threw,
            threw == 0 ? null : "java.lang.IllegalStateException: odd",
            0,
            0,
            1,
            6,
            IDLE,
            20_000,
            20_000 - notMade,
            900,
            held,
            atOnce,
            held.stream().map(seconds -> seconds > 1 ? 100 : 1).toList(),
            running,
            rotation,
            List.of(problem));
    Latency latency = new Latency(outside, rotating, outside, outside, rotating);
    Waits recorded = new Waits(Map.of(), Map.of(), waits, List.of(), List.of(), 0, true);
    double worst = late.stream().mapToDouble(d -> d).max().orElse(0);
    ReadBackFigures readBack =
        new ReadBackFigures(
            new ReadBackFigures.Conservation(10_500, 10_500 - lost, lost, 0, 0, 0, 0),
            new ReadBackFigures.Prefill(10, 1000, 1),
            true,
            List.of(new ReadBackFigures.LeftFile("app.1.log.gz", 2_000, true, null)));
    return new Judge.Seen(load, latency, recorded, new Control(worst, late), readBack);
  }

  TrialResult trial(String name, int repeat, TrialResult.Role role) {
    Judge.Seen seen = seen();
    List<Check> checks = new Judge(LIMITS, 1).checks(seen);
    return new TrialResult(
        name,
        64 << 20,
        repeat,
        role,
        "a trial",
        "<configuration/>",
        List.of("java", "-cp", "x"),
        seen.load(),
        seen.latency(),
        seen.waits(),
        seen.control(),
        seen.readBack(),
        null,
        checks,
        Judge.verdict(checks),
        Judge.finding(seen, checks));
  }

  TrialResult subject(String name) {
    return trial(name, 1, TrialResult.Role.SUBJECT);
  }

  TrialResult peer(String name) {
    return trial(name, 1, TrialResult.Role.PEER);
  }

  /** A trial whose JVM did not get to its end. */
  static TrialResult failed(String name, TrialResult.Role role, Verdict verdict) {
    List<Check> checks = List.of(new Check("trial", "runs to its end", "it ended", verdict));
    return new TrialResult(
        name,
        1,
        1,
        role,
        "d",
        "c",
        List.of(),
        null,
        null,
        null,
        null,
        null,
        null,
        checks,
        verdict,
        "it ended");
  }

  static RunResult run(TrialResult... trials) {
    return run(null, trials);
  }

  static RunResult run(RunResult.Scenario scenario, TrialResult... trials) {
    List<TrialResult> all = List.of(trials);
    return new RunResult(
        "2026-01-31T12:00:00Z",
        60,
        List.of("run", "--size", "64MB"),
        Map.of("threads", 300),
        List.of("A note."),
        new RunResult.Machine("Linux", 2, 8L << 30, "17.0.1 Vendor"),
        all,
        scenario == null ? null : scenario.measured(all),
        RunResult.verdictOf(all),
        RunResult.findingOf(all));
  }
}
