package io.spillway.stress.plan;

import io.spillway.stress.report.Json;
import io.spillway.stress.report.LoadFigures;
import io.spillway.stress.report.ReadBackFigures;
import io.spillway.stress.report.TrialResult;
import io.spillway.stress.report.Verdict;
import io.spillway.stress.report.Waits;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Compares what the calibration appenders did on purpose with what the harness measured: one trial
 * with many small faults of every kind, one in which all threads stall at once, and some with
 * appenders that delay an application in ways that show as no wait of its threads.
 */
public final class Calibration {

  private static final String STALL = "calibration-stall";
  private static final String HURTING = "hurting-";
  private static final String FRAMES = "io.spillway.stress.calibrate.";
  private static final double MICROS = 1e6;

  /** Start and length of the stall, as shares of the measured load before the rotation. */
  private static final double STALL_BEGINS = 0.1;

  private static final double STALL_LASTS = 0.6;
  private static final long LEAST_SIZE = 16L << 20;
  private static final double AFTER_WARM_UP = 1.1;

  /** The ways to wait: the recorder's event and the innermost frame of each. */
  private enum WayToWait {
    PARK("jdk.ThreadPark", "Faults.park"),
    MONITOR_ENTER("jdk.JavaMonitorEnter", "Faults.enter"),
    MONITOR_WAIT("jdk.JavaMonitorWait", "Faults.await"),
    SLEEP("jdk.ThreadSleep", "Faults.sleep");

    private final String event;
    private final String frame;

    WayToWait(String event, String frame) {
      this.event = event;
      this.frame = FRAMES + frame;
    }
  }

  /** The ways to delay the application without a wait, each a method of the faults. */
  private enum WayToHurt {
    COLLECT("collect"),
    YIELD("lockByYield"),
    FORCE("force"),
    BURN("burn");

    private final String frame;

    WayToHurt(String method) {
      frame = FRAMES + "Faults." + method;
    }

    /** Returns the measured time of the delays; null if it is known by samples only. */
    private Double seconds(TrialResult trial) {
      return switch (this) {
        case COLLECT ->
            trial.waits().collections().stream().mapToDouble(f -> f.threadSeconds()).sum();
        case YIELD -> trial.load().heldSeconds();
        case FORCE -> trial.waits().threadSecondsByKind().getOrDefault("jdk.FileForce", 0.0);
        case BURN -> null;
      };
    }
  }

  /** What the calibration appender recorded: the number of each fault, and every wait. */
  record Injected(Map<String, Long> counts, List<Wait> waits) {

    record Wait(String kind, long startEpochNanos, long nanos) {}

    private double seconds(String kind) {
      return waits.stream().filter(w -> w.kind().equals(kind)).mapToLong(Wait::nanos).sum() / 1e9;
    }

    /** Returns the thread-seconds of waits that hold a thread up. */
    private double longSeconds() {
      long least = LoadFigures.LONG_CALL_MILLIS * 1_000_000;
      return waits.stream().mapToLong(Wait::nanos).filter(n -> n >= least).sum() / 1e9;
    }

    private double longest() {
      return waits.stream().mapToLong(Wait::nanos).max().orElse(0) / 1e9;
    }

    /** Returns how many waits include the middle of the longest one. */
    private long atOnce() {
      Wait longest = waits.stream().reduce((a, b) -> b.nanos > a.nanos ? b : a).orElseThrow();
      long middle = longest.startEpochNanos + longest.nanos / 2;
      return waits.stream()
          .filter(w -> w.startEpochNanos <= middle && middle < w.startEpochNanos + w.nanos)
          .count();
    }
  }

  private Calibration() {}

  /** Returns the trials with faults of known amounts, at a size. */
  public static List<Trial> trials(RunOptions options) {
    return List.of(trial(options), stall(options));
  }

  /** Returns the trials with appenders that delay the application; of the least possible size. */
  public static List<PlannedTrial> hurting(RunOptions options) {
    return Arrays.stream(WayToHurt.values())
        .map(
            way -> {
              Map<String, String> properties = new TreeMap<>(afterWarmUp(options));
              properties.put("calibration.faults", way.name());
              return Trials.calibration(HURTING + way.name().toLowerCase(Locale.ROOT), properties);
            })
        .map(trial -> trial.at(Math.max(LEAST_SIZE, trial.at(LEAST_SIZE).leastSizeBytes(options))))
        .toList();
  }

  /** Returns a trial with every fault; a peer, because its violations are intended. */
  static Trial trial(RunOptions options) {
    Map<String, String> properties = new TreeMap<>(afterWarmUp(options));
    properties.put(
        "calibration.faults", "park,monitor_enter,monitor_wait,sleep,drop,duplicate,swap,tear");
    return Trials.calibration("calibration", properties);
  }

  /** Returns properties that start the faults shortly after the warm-up, which does not count. */
  private static Map<String, String> afterWarmUp(RunOptions options) {
    long events = (long) (AFTER_WARM_UP * options.eventsPerSecond() * options.warmUpSeconds());
    return Map.of("calibration.fromEvent", Long.toString(events));
  }

  /** Returns a trial in which all threads park at once, between warm-up and rotation. */
  static Trial stall(RunOptions options) {
    double begins = options.warmUpSeconds() + STALL_BEGINS * options.aroundSeconds();
    long events = (long) (options.eventsPerSecond() * begins);
    long millis = (long) (1000 * STALL_LASTS * options.aroundSeconds());
    return Trials.calibration(
        STALL,
        Map.of(
            "calibration.stallAfterEvents", Long.toString(events),
            "calibration.stallMillis", Long.toString(millis)));
  }

  /** Returns all figures of a calibration trial, whose report lies beside the run's result. */
  public static List<Figure> check(TrialResult trial, Path resultFile) throws IOException {
    if (!trial.measured()) {
      return List.of(new Figure("trial completed", 1, 0, trial.finding(), false));
    }
    Path directory = resultFile.resolveSibling(TrialRunner.label(trial.name(), trial.repeat()));
    Injected injected = Json.read(directory.resolve("calibration.json"), Injected.class);
    List<Figure> figures = new ArrayList<>();
    if (trial.name().startsWith(HURTING)) {
      String way = trial.name().substring(HURTING.length()).toUpperCase(Locale.ROOT);
      addHurt(figures, WayToHurt.valueOf(way), trial, injected);
    } else {
      if (trial.name().startsWith(STALL)) {
        addStall(figures, trial, injected);
      } else {
        addDamage(figures, trial.readBack().conservation(), injected.counts());
        addWaits(figures, trial.waits(), injected);
      }
      figures.add(
          Figure.time("held up, thread-s", injected.longSeconds(), trial.load().heldSeconds()));
      figures.add(
          Figure.time(
              "worst call, us", MICROS * injected.longest(), trial.load().worstCallMicros()));
      figures.add(Figure.count("rotations missed", 0, trial.load().rotation().complete() ? 0 : 1));
    }
    figures.add(Figure.count("prefill damaged", 0, trial.readBack().prefillIntact() ? 0 : 1));
    return figures;
  }

  private static void addHurt(
      List<Figure> figures, WayToHurt way, TrialResult trial, Injected injected) {
    figures.add(Figure.count("violated", 1, trial.verdict() == Verdict.VIOLATED ? 1 : 0));
    figures.add(
        Figure.count("named: " + way.frame, 1, trial.finding().contains(way.frame) ? 1 : 0));
    figures.add(Figure.count("events damaged", 0, trial.readBack().conservation().clean() ? 0 : 1));
    if (way.seconds(trial) != null) {
      figures.add(Figure.time("delays, s", injected.seconds(way.name()), way.seconds(trial)));
    }
  }

  private static void addDamage(
      List<Figure> figures, ReadBackFigures.Conservation events, Map<String, Long> counts) {
    long tears = counts.get("TEAR");
    figures.add(Figure.occurred("lost", counts.get("DROP") + tears, events.lost()));
    figures.add(Figure.occurred("duplicated", counts.get("DUPLICATE"), events.duplicated()));
    figures.add(Figure.occurred("out of order", counts.get("SWAP"), events.outOfOrder()));
    figures.add(Figure.occurred("torn", tears, events.torn()));
    figures.add(Figure.count("events that were not sent", 0, events.unknown()));
  }

  private static void addWaits(List<Figure> figures, Waits waits, Injected injected) {
    for (WayToWait way : WayToWait.values()) {
      String title = way.name().toLowerCase(Locale.ROOT).replace('_', ' ');
      double seconds = injected.seconds(way.name());
      long times = injected.counts().get(way.name());
      long seen = waits.eventsByKind().getOrDefault(way.event, 0L);
      double seenSeconds = waits.threadSecondsByKind().getOrDefault(way.event, 0.0);
      double byFrame =
          waits.byFrame().stream()
              .filter(frame -> frame.frame().equals(way.frame))
              .mapToDouble(frame -> frame.threadSeconds())
              .sum();
      figures.add(Figure.occurred(title + ", times", times, seen));
      figures.add(Figure.time(title + ", thread-s", seconds, seenSeconds));
      figures.add(Figure.time(title + " by frame, thread-s", seconds, byFrame));
    }
  }

  private static void addStall(List<Figure> figures, TrialResult trial, Injected injected) {
    boolean clean = trial.readBack().conservation().clean();
    figures.add(Figure.count("events damaged", 0, clean ? 0 : 1));
    figures.add(Figure.occurred("threads at once", injected.atOnce(), trial.load().heldAtOnce()));
    figures.add(
        Figure.time(
            "response, worst, us",
            MICROS * injected.longest(),
            trial.latency().responseOutside().maxMicros()));
  }

  /**
   * One figure of a calibration.
   *
   * @param what its name, with its unit
   * @param done what the appender did
   * @param measured what the harness measured
   * @param deviation the difference: a number of events, or percent
   * @param ok whether both agree
   */
  public record Figure(String what, double done, double measured, String deviation, boolean ok) {

    /** The header of the table. */
    public static final List<String> HEADER =
        List.of("figure", "done", "measured", "deviation", "ok");

    private static final double TOLERANCE = 0.05;

    /** Returns a count, which must be exact. */
    static Figure count(String what, long done, long measured) {
      String deviation = String.format(Locale.ROOT, "%+d", measured - done);
      return new Figure(what, done, measured, deviation, done == measured);
    }

    /** Returns an exact count that must not be 0, because 0 would prove nothing. */
    static Figure occurred(String what, long done, long measured) {
      Figure figure = count(what, done, measured);
      return done > 0 ? figure : new Figure(what, done, measured, "never done", false);
    }

    /** Returns a time, which must agree within 5 %. */
    static Figure time(String what, double done, double measured) {
      double deviation = done > 0 ? (measured - done) / done : Double.NaN;
      String percent = String.format(Locale.ROOT, "%+.2f %%", 100 * deviation);
      return new Figure(what, done, measured, percent, Math.abs(deviation) <= TOLERANCE);
    }

    /** Returns the cells of the figure's row. */
    public List<String> row() {
      return List.of(what, number(done), number(measured), deviation, ok ? "ok" : "WRONG");
    }

    private static String number(double value) {
      String format = value == Math.rint(value) ? "%.0f" : "%.3f";
      return String.format(Locale.ROOT, format, value);
    }
  }
}
