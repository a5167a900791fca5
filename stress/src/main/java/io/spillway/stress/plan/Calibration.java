package io.spillway.stress.plan;

import io.spillway.stress.report.Json;
import io.spillway.stress.report.Judge;
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
import java.util.TreeMap;

/**
 * Compares what the calibration appender did on purpose with what the harness measured: one trial
 * with many small faults of every kind, one in which all threads stall at once, and six with
 * appenders that delay an application in ways that show as no park of its threads.
 */
public final class Calibration {

  private static final String STALL = "calibration-stall";
  private static final String REPORT = "calibration.json";
  private static final String HURT = "hurt.json";
  private static final String WAITS_FRAME = "io.spillway.stress.calibrate.KnownWaits.";
  private static final double MICROS = 1e6;

  /** Start and length of the stall, as shares of the measured load before the rotation. */
  private static final double STALL_BEGINS = 0.1;

  private static final double STALL_LASTS = 0.6;
  private static final long LEAST_SIZE = 16L << 20;
  private static final double AFTER_WARM_UP = 1.1;

  /** Each way to wait: the appender's name, the recorder's event, the innermost logging frame. */
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

  /** A way to delay the application: the trial, the appender's class, settings and method. */
  private record WayToHurt(String name, String type, String settings, String method) {
    private String frame() {
      return "io.spillway.stress.calibrate." + type + "." + method;
    }
  }

  private static final String BURN = "hurting-burn";
  private static final String FORCE = "hurting-force";
  private static final String WORK = "hurting-work";
  private static final String DUMP = "hurting-dump";
  private static final String COLLECT = "hurting-collect";

  private static final List<WayToHurt> WAYS_TO_HURT =
      List.of(
          new WayToHurt(COLLECT, "HurtingAppender", "<way>collect</way>", "collect"),
          new WayToHurt("hurting-yield", "HurtingAppender", "<way>yield</way>", "lockByYield"),
          new WayToHurt(FORCE, "ForcingAppender", "<file>${figures}/forced.txt</file>", "append"),
          new WayToHurt(BURN, "HurtingAppender", "<way>burn</way>", "burn"),
          new WayToHurt(WORK, "HurtingAppender", "<way>work</way>", "work"),
          new WayToHurt(DUMP, "HurtingAppender", "<way>dump</way>", "dump"));

  /** Returns the trials with faults of known amounts. */
  public static List<Trial> trials(RunOptions options) {
    return List.of(trial(options), stall(options));
  }

  /**
   * Returns the trials with appenders that delay the application in ways that show as no park. The
   * delays do not depend on the file size, so the least size for one rotation is used.
   */
  public static List<PlannedTrial> hurting(RunOptions options) {
    return WAYS_TO_HURT.stream()
        .map(way -> Trials.hurting(way.name(), way.type(), way.settings(), afterWarmUp(options)))
        .map(trial -> trial.at(Math.max(LEAST_SIZE, trial.at(LEAST_SIZE).leastSizeBytes(options))))
        .toList();
  }

  /** Returns a trial with every fault; a peer, because its violations are intended. */
  public static Trial trial(RunOptions options) {
    Map<String, String> properties = new TreeMap<>(afterWarmUp(options));
    properties.put(
        "calibration.faults", "park,monitor_enter,monitor_wait,sleep,drop,duplicate,swap,tear");
    return Trials.calibration("calibration", TrialResult.Role.PEER, properties);
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
        TrialResult.Role.PEER,
        Map.of(
            "calibration.stallAfterEvents", Long.toString(events),
            "calibration.stallMillis", Long.toString(millis)));
  }

  /** Returns all figures of a calibration trial, whose report lies beside the run's result. */
  public static List<Figure> check(TrialResult trial, Path resultFile, RunOptions options)
      throws IOException {
    if (!trial.measured()) {
      return List.of(new Figure("trial completed", 1, 0, trial.reasons().toString(), false));
    }
    Path directory = resultFile.resolveSibling(TrialRunner.label(trial.name(), trial.repeat()));
    for (WayToHurt way : WAYS_TO_HURT) {
      if (trial.name().startsWith(way.name())) {
        return hurt(way, trial, Json.read(directory.resolve(HURT), Hurt.class));
      }
    }
    Path report = directory.resolve(REPORT);
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

  /** The report of an appender that delays the application: number and sum of the delays. */
  record Hurt(long times, double seconds) {}

  /**
   * Checks that the trial is violated and felt as a stall, that the report names the appender's
   * method, and that the measured time is that of the delays.
   */
  private static List<Figure> hurt(WayToHurt way, TrialResult trial, Hurt hurt) {
    boolean named = trial.reasons().stream().anyMatch(reason -> reason.contains(way.frame()));
    return List.of(
        Figure.count("violated", 1, trial.verdict() == Judge.Verdict.VIOLATED ? 1 : 0),
        Figure.count("felt as a stall", 1, trial.felt() == Judge.Grade.STALL ? 1 : 0),
        Figure.count("named: " + way.frame(), 1, named ? 1 : 0),
        Figure.count("events damaged", 0, trial.readBack().conservation().clean() ? 0 : 1),
        amount(way, trial, hurt));
  }

  private static Figure amount(WayToHurt way, TrialResult trial, Hurt hurt) {
    if (!way.name().equals(DUMP)) {
      return Figure.time(measure(way), hurt.seconds(), measured(way, trial));
    }
    long dumps =
        trial.pauses().stops().stream()
            .filter(stop -> stop.frame().equals("ThreadDump"))
            .mapToLong(TrialResult.Parks.Frame::events)
            .sum();
    return Figure.occurred("stops for thread dumps", hurt.times(), dumps);
  }

  private static String measure(WayToHurt way) {
    return switch (way.name()) {
      case COLLECT -> "collections asked for, s";
      case FORCE -> "forcing to the disk, thread-s";
      case WORK -> "processor time inside log calls, s";
      case BURN -> "processor time of its threads, s";
      default -> "inside log calls, thread-s";
    };
  }

  private static double measured(WayToHurt way, TrialResult trial) {
    return switch (way.name()) {
      case COLLECT -> seconds(trial.pauses().askedFor());
      case FORCE -> trial.parks().threadSecondsByKind().getOrDefault("jdk.FileForce", 0.0);
      case WORK -> trial.load().inCalls().onCpuSeconds();
      case BURN ->
          trial.load().cpuByThread().stream()
              .filter(thread -> thread.thread().equals("burner"))
              .mapToDouble(LoadFigures.ThreadCpu::seconds)
              .sum();
      default -> trial.load().inCalls().threadSeconds();
    };
  }

  private static double seconds(List<TrialResult.Parks.Frame> frames) {
    return frames.stream().mapToDouble(TrialResult.Parks.Frame::threadSeconds).sum();
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
    figures.add(Figure.count("events that were not sent", 0, events.unknown()));
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
    double perThread = options.eventsPerSecond() / options.threads();
    figures.add(
        Figure.time("worst call, us", stall, trial.load().latency().outsideService().maxMicros()));
    figures.add(Figure.time("response, worst, us", stall, response.maxMicros()));
    figures.add(
        Figure.time(
            "response, p99.9, us",
            MICROS * injected.leastOfSlowest(0.001 * response.count(), perThread),
            response.p999Micros()));
    figures.add(
        Figure.time(
            "response, p99, us",
            MICROS * injected.leastOfSlowest(0.01 * response.count(), perThread),
            response.p99Micros()));
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

  /** Returns the measured time that was also waited in the same second. */
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

  /** Returns the calls of application threads; the last thread, of the warm-up, is not timed. */
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
      return value == Math.rint(value)
          ? String.format(Locale.ROOT, "%.0f", value)
          : String.format(Locale.ROOT, "%.3f", value);
    }
  }

  /**
   * What the calibration appender recorded of its faults. The sums here share no code with those
   * that they are compared with.
   *
   * @param counts the number of each fault
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
     * @param kind the way of waiting
     * @param startEpochNanos its start, in nanoseconds since 1970
     * @param nanos its length
     */
    record Wait(String kind, long startEpochNanos, long nanos) {
      private long endEpochNanos() {
        return startEpochNanos + nanos;
      }
    }

    /** Returns the number of faults of a kind. */
    long count(String kind) {
      return counts.get(kind);
    }

    /** Returns the thread-seconds waited in one way. */
    double threadSeconds(String kind) {
      return waits.stream().filter(w -> w.kind().equals(kind)).mapToLong(Wait::nanos).sum()
          / SECOND;
    }

    /** Returns the thread-seconds waited in all ways. */
    double threadSeconds() {
      return waits.stream().mapToLong(Wait::nanos).sum() / SECOND;
    }

    /** Returns the length of the longest wait. */
    double longestSeconds() {
      return waits.stream().mapToLong(Wait::nanos).max().orElse(0) / SECOND;
    }

    /** Returns the thread-seconds waited in one second, counted from the given time. */
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

    /** Returns the time at which most threads wait: the start of one of the waits. */
    long busiestEpochNanos() {
      return waits.stream()
          .map(Wait::startEpochNanos)
          .max(Comparator.comparingLong(this::waitingAt))
          .orElse(0L);
    }

    /**
     * Returns the shortest response time, in seconds, among the given number of slowest calls, when
     * most threads waited. A thread's calls are due at an even rate; those due while it waits are
     * answered when its wait ends, which on a busy machine differs between threads.
     */
    double leastOfSlowest(double calls, double callsPerSecondOfAThread) {
      long busiest = busiestEpochNanos();
      double[] longestFirst =
          waits.stream()
              .filter(w -> w.startEpochNanos() <= busiest && busiest < w.endEpochNanos())
              .mapToDouble(w -> -w.nanos() / SECOND)
              .sorted()
              .map(negative -> -negative)
              .toArray();
      double sum = 0;
      double least = 0;
      for (int threads = 1; threads <= longestFirst.length; threads++) {
        sum += longestFirst[threads - 1];
        least = (sum - calls / callsPerSecondOfAThread) / threads;
        if (threads == longestFirst.length || least >= longestFirst[threads]) {
          break; // calls of the other threads were answered sooner
        }
      }
      return Math.max(0, least);
    }

    /** Returns how many threads wait at a time. */
    long waitingAt(long epochNanos) {
      return waits.stream()
          .filter(w -> w.startEpochNanos() <= epochNanos && epochNanos < w.endEpochNanos())
          .count();
    }
  }
}
