package io.spillway.stress.plan;

import io.spillway.stress.report.Json;
import io.spillway.stress.report.LoadFigures;
import io.spillway.stress.report.ReadBackFigures;
import io.spillway.stress.report.TrialResult;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
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
          new WayToWait(Injected.PARK, "jdk.ThreadPark", WAITS_FRAME + "park"),
          new WayToWait(
              Injected.MONITOR_ENTER,
              "jdk.JavaMonitorEnter",
              "io.spillway.stress.calibrate.MonitorHolder.enter"),
          new WayToWait(Injected.MONITOR_WAIT, "jdk.JavaMonitorWait", WAITS_FRAME + "await"),
          new WayToWait(Injected.SLEEP, "jdk.ThreadSleep", WAITS_FRAME + "sleep"));

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
  public static List<Figure> check(TrialResult trial, Path resultFile, RunOptions options)
      throws IOException {
    if (!trial.measured()) {
      return List.of(new Figure("trial completed", 1, 0, trial.reasons().toString(), false));
    }
    Path report =
        resultFile.resolveSibling(TrialRunner.label(trial.name(), trial.repeat())).resolve(REPORT);
    Injected injected = Json.read(report, Injected.class);
    List<Figure> figures = new ArrayList<>();
    if (!trial.name().startsWith(STALL)) {
      addDamage(figures, trial.readBack().conservation(), injected);
      addWaits(figures, trial.parks(), injected);
    } else {
      ReadBackFigures.Conservation events = trial.readBack().conservation();
      figures.add(Figure.count("events damaged", 0, events.clean() ? 0 : 1));
      addStall(figures, trial, injected, options);
    }
    addCommon(figures, trial, injected);
    return figures;
  }

  private static void addDamage(
      List<Figure> figures, ReadBackFigures.Conservation events, Injected injected) {
    long tears = injected.count(Injected.TEAR);
    long missing = injected.count(Injected.DROP) + tears;
    figures.add(Figure.occurred("lost", missing, events.lost()));
    figures.add(
        Figure.occurred("duplicated", injected.count(Injected.DUPLICATE), events.duplicated()));
    figures.add(
        Figure.occurred("out of order", injected.count(Injected.SWAP), events.outOfOrder()));
    figures.add(Figure.occurred("torn", tears, events.torn()));
    figures.add(Figure.count("events nobody sent", 0, events.unknown()));
  }

  private static void addWaits(List<Figure> figures, TrialResult.Parks parks, Injected injected) {
    for (WayToWait way : WAYS_TO_WAIT) {
      String title = way.title();
      double threadSeconds = injected.threadSeconds(way.kind());
      figures.add(
          Figure.occurred(
              title + ", times",
              injected.count(way.kind()),
              parks.eventsByKind().getOrDefault(way.event(), 0L)));
      figures.add(
          Figure.time(
              title + ", thread-s",
              threadSeconds,
              parks.threadSecondsByKind().getOrDefault(way.event(), 0.0)));
      figures.add(
          Figure.time(
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
      List<Figure> figures, TrialResult trial, Injected injected, RunOptions options) {
    TrialResult.Parks parks = trial.parks();
    long busiest = injected.busiestEpochNanos();
    long threads = injected.waitingAt(busiest);
    int second = (int) ((busiest - trial.load().loadStartEpochNanos()) / 1_000_000_000L);
    figures.add(Figure.occurred("threads at once", threads, parks.threadsAtOnce()));
    figures.add(
        Figure.occurred(
            "threads at once, in their second",
            threads,
            second < parks.threadsAtOnceBySecond().size()
                ? parks.threadsAtOnceBySecond().get(second)
                : 0));
    double stall = injected.longestSeconds() * MICROS;
    LoadFigures.Calls response = trial.load().latency().outsideResponse();
    double all = response.count() / options.eventsPerSecond() * MICROS;
    figures.add(
        Figure.time("worst call, us", stall, trial.load().latency().outsideService().maxMicros()));
    figures.add(Figure.time("response, worst, us", stall, response.maxMicros()));
    figures.add(Figure.time("response, p99.9, us", stall - 0.001 * all, response.p999Micros()));
    figures.add(Figure.time("response, p99, us", stall - 0.01 * all, response.p99Micros()));
  }

  private static void addCommon(List<Figure> figures, TrialResult trial, Injected injected) {
    TrialResult.Parks parks = trial.parks();
    figures.add(Figure.occurred("waits, times", injected.waits().size(), parks.events()));
    figures.add(Figure.time("waits, thread-s", injected.threadSeconds(), parks.threadSeconds()));
    figures.add(Figure.time("longest wait, s", injected.longestSeconds(), parks.maxSeconds()));
    figures.add(
        Figure.time(
            "in the right second, thread-s",
            injected.threadSeconds(),
            inTheRightSecond(parks, injected, trial.load().loadStartEpochNanos())));
    figures.add(Figure.count("calls timed", calls(trial), timed(trial.load().latency())));
    figures.add(Figure.count("prefill damaged", 0, trial.readBack().prefillIntact() ? 0 : 1));
    figures.add(Figure.count("rotations missed", 0, trial.load().rotation().complete() ? 0 : 1));
  }

  /** What was measured in each second, as far as it was done in that second. */
  private static double inTheRightSecond(
      TrialResult.Parks parks, Injected injected, long loadStartEpochNanos) {
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

  /**
   * One figure of a calibration.
   *
   * @param what its name, with its unit
   * @param done what the appender did
   * @param measured what the harness saw
   * @param deviation from one to the other: a number of events, or percent
   * @param ok whether they agree
   */
  public record Figure(String what, double done, double measured, String deviation, boolean ok) {

    /** Names of the cells of a row. */
    public static final List<String> HEADER =
        List.of("figure", "done", "measured", "deviation", "ok");

    private static final double TOLERANCE = 0.05;

    /** A count, which must be exact. */
    static Figure count(String what, long done, long measured) {
      String deviation = String.format(Locale.ROOT, "%+d", measured - done);
      return new Figure(what, done, measured, deviation, done == measured);
    }

    /** A count of something that must have happened, or its figure would show nothing. */
    static Figure occurred(String what, long done, long measured) {
      Figure figure = count(what, done, measured);
      return done > 0 ? figure : new Figure(what, done, measured, "never done", false);
    }

    /** A time, which must come out within 5 %. */
    static Figure time(String what, double done, double measured) {
      double deviation = done > 0 ? (measured - done) / done : Double.NaN;
      String percent = String.format(Locale.ROOT, "%+.2f %%", 100 * deviation);
      return new Figure(what, done, measured, percent, Math.abs(deviation) <= TOLERANCE);
    }

    /** The cells of its row. */
    public List<String> row() {
      return List.of(what, number(done), number(measured), deviation, ok ? "ok" : "WRONG");
    }

    private static String number(double value) {
      return value == Math.rint(value)
          ? String.format(Locale.ROOT, "%.0f", value)
          : String.format(Locale.ROOT, "%.3f", value);
    }
  }

  /**
   * What the calibration appender did on purpose, as it wrote it down. Its sums are the plain ones,
   * and share no code with those they are compared with.
   *
   * @param counts how often it did what
   * @param waits every wait of an application thread
   */
  record Injected(Map<String, Long> counts, List<Wait> waits) {

    static final String PARK = "PARK";
    static final String MONITOR_ENTER = "MONITOR_ENTER";
    static final String MONITOR_WAIT = "MONITOR_WAIT";
    static final String SLEEP = "SLEEP";
    static final String DROP = "DROP";
    static final String DUPLICATE = "DUPLICATE";
    static final String SWAP = "SWAP";
    static final String TEAR = "TEAR";

    private static final double SECOND = 1e9;

    /**
     * One wait.
     *
     * @param kind how
     * @param startEpochNanos when it began, nanoseconds since 1970
     * @param nanos how long it took
     */
    record Wait(String kind, long startEpochNanos, long nanos) {
      private long endEpochNanos() {
        return startEpochNanos + nanos;
      }
    }

    /** How often it did what the kind says. */
    long count(String kind) {
      return counts.get(kind);
    }

    /** Thread-seconds waited in the way the kind says. */
    double threadSeconds(String kind) {
      return waits.stream().filter(w -> w.kind().equals(kind)).mapToLong(Wait::nanos).sum()
          / SECOND;
    }

    /** Thread-seconds waited in all. */
    double threadSeconds() {
      return waits.stream().mapToLong(Wait::nanos).sum() / SECOND;
    }

    /** The longest wait. */
    double longestSeconds() {
      return waits.stream().mapToLong(Wait::nanos).max().orElse(0) / SECOND;
    }

    /** Thread-seconds waited in one second, counted from the given moment. */
    double threadSecondsIn(int second, long startEpochNanos) {
      long from = startEpochNanos + second * (long) SECOND;
      long to = from + (long) SECOND;
      long sum = 0;
      for (Wait wait : waits) {
        long begin = Math.max(from, wait.startEpochNanos());
        sum += Math.max(0, Math.min(to, wait.endEpochNanos()) - begin);
      }
      return sum / SECOND;
    }

    /** The moment at which most threads wait: the beginning of one of the waits. */
    long busiestEpochNanos() {
      return waits.stream()
          .map(Wait::startEpochNanos)
          .max(Comparator.comparingLong(this::waitingAt))
          .orElse(0L);
    }

    /** How many threads wait at a moment. */
    long waitingAt(long epochNanos) {
      return waits.stream()
          .filter(w -> w.startEpochNanos() <= epochNanos && epochNanos < w.endEpochNanos())
          .count();
    }
  }
}
