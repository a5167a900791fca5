package io.spillway.stress.plan;

import io.spillway.stress.report.Json;
import io.spillway.stress.report.LoadFigures;
import io.spillway.stress.report.ReadBackFigures;
import io.spillway.stress.report.TrialResult;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Compares what the calibration appender did on purpose with what the harness has seen: one trial
 * with many small faults of every kind, and one in which all threads are stalled at once.
 */
public final class Calibration {

  private static final String STALL = "calibration-stall";
  private static final String REPORT = "calibration.json";
  private static final String WAITS_FRAME = "io.spillway.stress.calibrate.KnownWaits.";
  private static final double MICROS = 1e6;

  /** Where in the measured load before the rotation the stall begins, and how much it takes. */
  private static final double STALL_BEGINS = 0.1;

  private static final double STALL_LASTS = 0.6;

  /** Each way to wait: the appender's name, the recorder's event, the logging frame nearest it. */
  private static final List<WayToWait> WAYS_TO_WAIT =
      List.of(
          new WayToWait(InjectedFaults.PARK, "jdk.ThreadPark", WAITS_FRAME + "park"),
          new WayToWait(
              InjectedFaults.MONITOR_ENTER,
              "jdk.JavaMonitorEnter",
              "io.spillway.stress.calibrate.MonitorHolder.enter"),
          new WayToWait(InjectedFaults.MONITOR_WAIT, "jdk.JavaMonitorWait", WAITS_FRAME + "await"),
          new WayToWait(InjectedFaults.SLEEP, "jdk.ThreadSleep", WAITS_FRAME + "sleep"));

  private record WayToWait(String kind, String event, String frame) {
    private String title() {
      return kind.toLowerCase(Locale.ROOT).replace('_', ' ');
    }
  }

  private Calibration() {}

  /** Both trials. */
  public static List<Trial> trials(RunOptions options) {
    return List.of(trial(), stall(options));
  }

  /** A trial with every fault. Being found out is what is asked of it. */
  public static Trial trial() {
    return Trials.calibration(
        "calibration",
        TrialResult.Role.PEER,
        Map.of(
            "calibration.faults",
            "park,monitor_enter,monitor_wait,sleep,drop,duplicate,swap,tear"));
  }

  /** A trial in which all threads park at once, between warm-up and rotation. */
  static Trial stall(RunOptions options) {
    double begins = options.warmUpSeconds() + STALL_BEGINS * options.aroundSeconds();
    long events = (long) (options.eventsPerSecond() * begins);
    long millis = (long) (1000 * STALL_LASTS * options.aroundSeconds());
    return Trials.calibration(
        STALL,
        TrialResult.Role.PEER,
        Map.of(
            "calibration.stallAfterEvents", Long.toString(events),
            "calibration.stallMillis", Long.toString(millis)));
  }

  /** All figures of a calibration trial, whose report lies beside the run's result. */
  public static List<CalibrationFigure> check(
      TrialResult trial, Path resultFile, RunOptions options) throws IOException {
    if (!trial.measured()) {
      return List.of(
          new CalibrationFigure("trial completed", 1, 0, trial.reasons().toString(), false));
    }
    Path report =
        resultFile.resolveSibling(TrialRunner.label(trial.name(), trial.repeat())).resolve(REPORT);
    InjectedFaults injected = Json.read(report, InjectedFaults.class);
    List<CalibrationFigure> figures = new ArrayList<>();
    if (!trial.name().startsWith(STALL)) {
      addDamage(figures, trial.readBack().conservation(), injected);
      addWaits(figures, trial.parks(), injected);
    } else {
      ReadBackFigures.Conservation events = trial.readBack().conservation();
      figures.add(CalibrationFigure.count("events damaged", 0, events.clean() ? 0 : 1));
      addStall(figures, trial, injected, options);
    }
    addCommon(figures, trial, injected);
    return figures;
  }

  private static void addDamage(
      List<CalibrationFigure> figures,
      ReadBackFigures.Conservation events,
      InjectedFaults injected) {
    long tears = injected.count(InjectedFaults.TEAR);
    long missing = injected.count(InjectedFaults.DROP) + tears;
    figures.add(CalibrationFigure.occurred("lost", missing, events.lost()));
    figures.add(
        CalibrationFigure.occurred(
            "duplicated", injected.count(InjectedFaults.DUPLICATE), events.duplicated()));
    figures.add(
        CalibrationFigure.occurred(
            "out of order", injected.count(InjectedFaults.SWAP), events.outOfOrder()));
    figures.add(CalibrationFigure.occurred("torn", tears, events.torn()));
    figures.add(CalibrationFigure.count("events nobody sent", 0, events.unknown()));
  }

  private static void addWaits(
      List<CalibrationFigure> figures, TrialResult.Parks parks, InjectedFaults injected) {
    for (WayToWait way : WAYS_TO_WAIT) {
      String title = way.title();
      double threadSeconds = injected.threadSeconds(way.kind());
      figures.add(
          CalibrationFigure.occurred(
              title + ", times",
              injected.count(way.kind()),
              parks.eventsByKind().getOrDefault(way.event(), 0L)));
      figures.add(
          CalibrationFigure.time(
              title + ", thread-s",
              threadSeconds,
              parks.threadSecondsByKind().getOrDefault(way.event(), 0.0)));
      figures.add(
          CalibrationFigure.time(
              title + " by frame, thread-s", threadSeconds, underFrame(parks, way.frame())));
    }
  }

  private static double underFrame(TrialResult.Parks parks, String frame) {
    return parks.byFrame().stream()
        .filter(f -> f.frame().equals(frame))
        .mapToDouble(TrialResult.Parks.Frame::threadSeconds)
        .sum();
  }

  /**
   * A call that was due within the stall is answered at its end. So of all calls, due at an even
   * rate, a part {@code q} is answered after the stall's length less {@code q * all / rate}.
   */
  private static void addStall(
      List<CalibrationFigure> figures,
      TrialResult trial,
      InjectedFaults injected,
      RunOptions options) {
    TrialResult.Parks parks = trial.parks();
    long busiest = injected.busiestEpochNanos();
    long threads = injected.waitingAt(busiest);
    int second = (int) ((busiest - trial.load().loadStartEpochNanos()) / 1_000_000_000L);
    figures.add(CalibrationFigure.occurred("threads at once", threads, parks.threadsAtOnce()));
    figures.add(
        CalibrationFigure.occurred(
            "threads at once, in their second",
            threads,
            second < parks.threadsAtOnceBySecond().size()
                ? parks.threadsAtOnceBySecond().get(second)
                : 0));
    double stall = injected.longestSeconds() * MICROS;
    LoadFigures.Calls response = trial.load().latency().outsideResponse();
    double all = response.count() / options.eventsPerSecond() * MICROS;
    figures.add(
        CalibrationFigure.time(
            "worst call, us", stall, trial.load().latency().outsideService().maxMicros()));
    figures.add(CalibrationFigure.time("response, worst, us", stall, response.maxMicros()));
    figures.add(
        CalibrationFigure.time("response, p99.9, us", stall - 0.001 * all, response.p999Micros()));
    figures.add(
        CalibrationFigure.time("response, p99, us", stall - 0.01 * all, response.p99Micros()));
  }

  private static void addCommon(
      List<CalibrationFigure> figures, TrialResult trial, InjectedFaults injected) {
    TrialResult.Parks parks = trial.parks();
    figures.add(
        CalibrationFigure.occurred("waits, times", injected.waits().size(), parks.events()));
    figures.add(
        CalibrationFigure.time("waits, thread-s", injected.threadSeconds(), parks.threadSeconds()));
    figures.add(
        CalibrationFigure.time("longest wait, s", injected.longestSeconds(), parks.maxSeconds()));
    figures.add(
        CalibrationFigure.time(
            "in the right second, thread-s",
            injected.threadSeconds(),
            inTheRightSecond(parks, injected, trial.load().loadStartEpochNanos())));
    figures.add(
        CalibrationFigure.count("calls timed", calls(trial), timed(trial.load().latency())));
    figures.add(
        CalibrationFigure.count("prefill damaged", 0, trial.readBack().prefillIntact() ? 0 : 1));
    figures.add(
        CalibrationFigure.count("rotations missed", 0, trial.load().rotation().complete() ? 0 : 1));
  }

  /** What was measured in each second, as far as it was done in that second. */
  private static double inTheRightSecond(
      TrialResult.Parks parks, InjectedFaults injected, long loadStartEpochNanos) {
    double right = 0;
    for (int second = 0; second < parks.threadSecondsBySecond().size(); second++) {
      right +=
          Math.min(
              parks.threadSecondsBySecond().get(second),
              injected.threadSecondsIn(second, loadStartEpochNanos));
    }
    return right;
  }

  /** Of the application threads; the last one was gone before calls were timed. */
  private static long calls(TrialResult trial) {
    List<Long> sent = trial.load().sentByThread();
    return sent.subList(0, sent.size() - 1).stream().mapToLong(Long::longValue).sum();
  }

  private static long timed(LoadFigures.Latency latency) {
    return latency.warmUpService().count()
        + latency.outsideService().count()
        + latency.rotationService().count();
  }
}
