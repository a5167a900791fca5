package io.spillway.stress.report;

import com.fasterxml.jackson.annotation.JsonValue;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Turns figures into checks, and checks into a verdict with its reasons. A trial is judged by its
 * effect on the application, whatever the appender does to cause it: time that application threads
 * are held up, response times measured from the moment each call is due, stops of the whole JVM.
 */
public final class Judge {

  /**
   * The limit for the processor time of a call, averaged over all calls; a sink that writes to its
   * file in the call takes a tenth of the limit.
   */
  private static final double MOST_CPU_MICROS = 500;

  private static final double STALL_CPU_MICROS = 5_000;

  /**
   * A figure is a stall at this multiple of its limit, but not below the absolute minima that
   * follow.
   */
  private static final double STALL_TIMES = 10;

  private static final double STALL_HELD_SECONDS = 10; // a minute
  private static final double STALL_P999_MILLIS = 500;

  /** Time off the processor counts as chance up to this multiple of the control's. */
  private static final double CONTROL_TIMES = 2;

  /** A delay of the machine explains a delay of calls up to this multiple. */
  private static final double NOISE_TIMES = 10;

  /**
   * Above this share of the processors taken by other processes, a delay of the machine explains a
   * delay of calls of any length.
   */
  private static final double STARVED = 0.5;

  private static final double MINUTE = 60;
  private static final String HELD_UP = "application threads held up inside logging";
  private static final String NOT_MADE = "log calls that were due and not made";
  private static final String LOST = "events lost";
  private static final String STOPPED = "time that all threads of the JVM stood still";

  private final Limits limits;
  private final int rotations;

  /**
   * Creates a judge.
   *
   * @param limits the limits of the run
   * @param rotations the number of rotations that a trial must show
   */
  public Judge(Limits limits, int rotations) {
    this.limits = limits;
    this.rotations = rotations;
  }

  /**
   * The figures of a trial that it is judged by.
   *
   * @param load what the JVM of the trial reported of itself
   * @param parks the waits in its flight recording
   * @param pauses the stops of the JVM in its flight recording
   * @param executed the samples of running threads in its flight recording
   * @param readBack what reading its files back has shown
   * @param control delays of the machine, measured by another process
   */
  public record Seen(
      LoadFigures load,
      TrialResult.Parks parks,
      TrialResult.Pauses pauses,
      List<TrialResult.Parks.Frame> executed,
      ReadBackFigures readBack,
      TrialResult.Control control) {

    /** Returns the thread-seconds that application threads were held up per minute of the load. */
    public double heldUpPerMinute() {
      double seconds = load.measuredSeconds();
      return seconds <= 0 ? 0 : heldUpSeconds() * MINUTE / seconds;
    }

    /**
     * Returns the thread-seconds of waits that the flight recorder reported, or, if that is more,
     * all time off the processor beyond what the control makes likely. The control is scaled by
     * processor time, because a call that uses more processor time is also preempted for longer.
     */
    private double heldUpSeconds() {
      LoadFigures.InCalls calls = load.inCalls();
      if (calls.offCpuSeconds() == null) {
        return parks.threadSeconds();
      }
      double ratio =
          calls.controlOnCpuSeconds() > 0 ? calls.onCpuSeconds() / calls.controlOnCpuSeconds() : 1;
      double likely = CONTROL_TIMES * Math.max(1, ratio) * calls.controlOffCpuSeconds();
      return Math.max(parks.threadSeconds(), calls.offCpuSeconds() - likely);
    }

    /**
     * Returns the part of {@link #heldUpSeconds()} in the given seconds after the warm-up. If that
     * figure comes from the time in calls, each second gets the overall share of hold-ups in that
     * time; the remainder is expected by the control, or was on a processor.
     */
    private double heldUpSeconds(IntPredicate seconds) {
      LoadFigures.InCalls calls = load.inCalls();
      boolean inCalls = heldUpSeconds() > parks.threadSeconds();
      double share = inCalls ? heldUpSeconds() / calls.threadSeconds() : 1;
      List<Double> bySecond =
          inCalls ? calls.threadSecondsBySecond() : parks.threadSecondsBySecond();
      return share
          * IntStream.range((int) load.warmUpSeconds(), bySecond.size())
              .filter(seconds)
              .mapToDouble(bySecond::get)
              .sum();
    }

    /**
     * Returns by how many milliseconds the machine was late at most, in or next to seconds after
     * the warm-up in which a call was later than the given limit.
     */
    private double machineMillis(double limitMillis) {
      return load.seconds().stream()
          .filter(second -> second.second() >= (int) load.warmUpSeconds())
          .filter(second -> second.latestMicros() > 1_000 * limitMillis)
          .mapToDouble(second -> control.machineMillisAbout(second.second()))
          .max()
          .orElse(0);
    }

    /**
     * Returns the frame under which threads were held up. If threads wait for a lock of an appender
     * and another method of the appender's class was seen, that method is returned, as it is the
     * holder's; the stacks of waiting threads do not contain it.
     */
    String culprit() {
      TrialResult.Parks.Frame waiting = first(parks.byFrame());
      TrialResult.Parks.Frame seen = first(load.inCalls().byFrame());
      if (waiting == null) {
        return name(seen);
      }
      String type = waiting.frame().substring(0, waiting.frame().lastIndexOf('.') + 1);
      for (List<TrialResult.Parks.Frame> frames :
          List.of(load.inCalls().byFrame(), parks.byFrame())) {
        for (TrialResult.Parks.Frame frame : frames) {
          boolean own = !type.isEmpty() && frame.frame().startsWith(type);
          if (own && waiting.frame().endsWith(".doAppend") && !frame.equals(waiting)) {
            return frame.frame();
          }
        }
      }
      boolean more = seen != null && seen.threadSeconds() > waiting.threadSeconds();
      return name(more ? seen : waiting);
    }

    /**
     * Describes the stops of the JVM: the most expensive operation, and the frame that requested
     * collections, or else the frame in which log calls spent most time.
     */
    private String stoppers() {
      TrialResult.Parks.Frame asked = first(pauses.askedFor());
      String under = name(asked == null ? first(load.inCalls().byFrame()) : asked);
      return (pauses.stops().isEmpty() ? "" : ", mostly for " + pauses.stops().get(0).frame())
          + (under == null ? "" : ", under " + under);
    }

    private double cpuPerCallMicros() {
      Double onCpu = load.inCalls().onCpuSeconds();
      long calls = load.latency().service().count();
      return onCpu == null || calls == 0 ? 0 : onCpu * 1e6 / calls;
    }

    private double stoppedShare() {
      double seconds = load.measuredSeconds();
      return seconds <= 0 ? 0 : pauses.stoppedMillis() / 1000 / seconds;
    }

    private static TrialResult.Parks.Frame first(List<TrialResult.Parks.Frame> frames) {
      return frames.isEmpty() ? null : frames.get(0);
    }

    private static String name(TrialResult.Parks.Frame frame) {
      return frame == null ? null : frame.frame();
    }
  }

  /**
   * Returns a check for every promise, kept or broken, followed by the conditions without which a
   * trial is inconclusive.
   */
  public List<Check> checks(Seen seen) {
    LoadFigures load = seen.load();
    LoadFigures.Latency latency = load.latency();
    List<Check> checks = new ArrayList<>();
    checks.add(heldUp(seen));
    checks.add(calls(seen));
    addP999(checks, "response times", latency.response(), sides(latency, true), seen);
    addP999(checks, "log calls", latency.service(), sides(latency, false), seen);
    checks.add(stops(seen));
    checks.add(cpu(seen));
    ReadBackFigures.Conservation events = seen.readBack().conservation();
    checks.add(loss(events));
    checks.add(none(events.duplicated(), "events duplicated", ""));
    checks.add(none(events.outOfOrder(), "events out of order", ""));
    checks.add(none(events.torn(), "torn lines", ""));
    checks.add(none(events.unknown(), "events that nobody sent", ""));
    checks.add(none(load.threw(), "log calls threw", ", the first " + load.firstThrown()));
    checks.add(none(load.interrupted(), "log calls interrupted their thread", ""));
    checks.add(prefill(seen.readBack().prefillIntact()));
    checks.add(files(seen.readBack().files()));
    checks.add(rotation(load.rotation()));
    checks.add(recording(seen.parks()));
    return checks;
  }

  private static List<LoadFigures.Calls> sides(LoadFigures.Latency latency, boolean response) {
    return response
        ? List.of(latency.outsideResponse(), latency.rotationResponse())
        : List.of(latency.outsideService(), latency.rotationService());
  }

  /**
   * Returns the verdict on a trial. A broken promise is a violation even if other conditions are in
   * doubt. The exception is a peer in a trial with an unmet condition, such as a missing rotation:
   * unless it stalled threads, it is inconclusive, and the run must not pass on it. Stalls of the
   * machine do not matter if all promises were kept.
   */
  public static Verdict verdict(TrialResult.Role role, List<Check> checks) {
    boolean broken = checks.stream().anyMatch(check -> check.verdict() == Verdict.VIOLATED);
    boolean doubtful =
        checks.stream()
            .anyMatch(check -> check.verdict() == Verdict.INCONCLUSIVE && !check.excused());
    boolean excused = isExcused(checks);
    boolean told = role == TrialResult.Role.SUBJECT || !doubtful || felt(checks) == Grade.STALL;
    if (broken && told) {
      return Verdict.VIOLATED;
    }
    return doubtful || excused ? Verdict.INCONCLUSIVE : Verdict.PASSED;
  }

  /**
   * Returns how much application threads are affected: the worst grade of the checks that are not
   * excused.
   */
  public static Grade felt(List<Check> checks) {
    return checks.stream()
        .filter(check -> !check.excused())
        .map(Check::grade)
        .filter(Objects::nonNull)
        .max(Comparator.naturalOrder())
        .orElse(Grade.NONE);
  }

  /** Returns whether stalls of the machine are the only reason why a trial has no verdict. */
  public static boolean isNoise(List<Check> checks) {
    return isExcused(checks)
        && checks.stream().noneMatch(c -> c.verdict() == Verdict.INCONCLUSIVE && !c.excused());
  }

  /** Returns why the verdict is not {@code passed}; empty if it is. */
  public static List<String> reasons(List<Check> checks) {
    return checks.stream().map(Check::reason).filter(reason -> reason != null).toList();
  }

  /** Returns what was found, as one sentence, for any verdict. */
  public static String finding(Seen seen, List<Check> checks) {
    Grade felt = felt(checks);
    StringBuilder text = new StringBuilder();
    if (felt != Grade.NONE) {
      text.append(felt == Grade.STALL ? "a stall: " : "noticeable: ");
      text.append(harm(seen, checks, false)).append(busiestThread(seen));
    } else if (isExcused(checks)) {
      text.append("the machine itself stalled, which may be why ");
      text.append(harm(seen, checks, true)).append(busiestThread(seen));
    } else {
      text.append("no thread was held up noticeably");
    }
    Double response = seen.load().latency().response().p999Micros();
    text.append(response == null ? "" : "; p99.9 of response times " + Figure.micros(response));
    long lost = seen.readBack().conservation().lost();
    text.append(lost == 0 ? "; nothing lost" : String.format(Locale.ROOT, "; %,d lost", lost));
    brokenPromises(checks).forEach(reason -> text.append("; ").append(reason));
    return text.toString();
  }

  /** Returns whether stalls of the machine may be why a limit was exceeded. */
  static boolean isExcused(List<Check> checks) {
    return checks.stream().anyMatch(Check::excused);
  }

  /** Returns the reasons of broken promises that concern neither time nor lost events. */
  static List<String> brokenPromises(List<Check> checks) {
    return checks.stream()
        .filter(check -> check.verdict() == Verdict.VIOLATED && check.grade() == null)
        .filter(check -> !check.what().equals(LOST))
        .map(Check::reason)
        .toList();
  }

  /** Describes the first check with the worst grade. */
  private static String harm(Seen seen, List<Check> checks, boolean excused) {
    String worst =
        checks.stream()
            .filter(check -> check.excused() == excused && check.grade() != null)
            .reduce((one, other) -> other.grade().compareTo(one.grade()) > 0 ? other : one)
            .orElseThrow()
            .what();
    String under = seen.culprit() == null ? "" : ", mostly under " + seen.culprit();
    long atOnce = threadsAtOnce(seen.load(), seen.parks());
    return switch (worst) {
      case HELD_UP ->
          "threads were held up in log calls for "
              + Figure.threadSeconds(seen.heldUpSeconds())
              + (atOnce > 1
                  ? String.format(Locale.ROOT, ", up to %,d of them at once", atOnce)
                  : "")
              + under;
      case NOT_MADE -> notMade(seen.load()) + (isHeldUp(checks) ? under : "");
      case STOPPED ->
          String.format(
                  Locale.ROOT,
                  "all threads of the JVM stood still for %.1f %% of the time",
                  100 * seen.stoppedShare())
              + seen.stoppers();
      default -> "log calls were answered late";
    };
  }

  /**
   * Returns the most threads that were in log calls at once, also outside waits that the flight
   * recorder reported.
   */
  static long threadsAtOnce(LoadFigures load, TrialResult.Parks parks) {
    return Math.max(load.mostInCalls(), parks.threadsAtOnce());
  }

  private static boolean isHeldUp(List<Check> checks) {
    return checks.stream().anyMatch(c -> c.what().equals(HELD_UP) && c.grade() != Grade.NONE);
  }

  private static String notMade(LoadFigures load) {
    return String.format(
        Locale.ROOT,
        "%,d of %,d log calls that were due were not made",
        load.callsDue() - load.callsMade(),
        load.callsDue());
  }

  private Check heldUp(Seen seen) {
    TrialResult.Parks parks = seen.parks();
    LoadFigures.InCalls calls = seen.load().inCalls();
    double perMinute = seen.heldUpPerMinute();
    double limit = limits.parkMillisPerMinute() / 1000;
    String allowed = Figure.threadSeconds(limit) + " a minute";
    StringBuilder what = new StringBuilder();
    what.append(perMinute > 0 ? Figure.threadSeconds(perMinute) + " a minute" : "none");
    if (parks.events() > 0) {
      what.append(
          String.format(
              Locale.ROOT,
              "; %,d waits, %s, the longest %s",
              parks.events(),
              Figure.threadSeconds(parks.threadSeconds()),
              Figure.micros(parks.maxSeconds() * 1e6)));
    }
    if (calls.offCpuSeconds() != null) {
      what.append(
          String.format(
              Locale.ROOT,
              "; off the processor %s (control %s), on it %s (control %s)",
              Figure.threadSeconds(calls.offCpuSeconds()),
              Figure.threadSeconds(calls.controlOffCpuSeconds()),
              Figure.threadSeconds(calls.onCpuSeconds()),
              Figure.threadSeconds(calls.controlOnCpuSeconds())));
    }
    Grade grade = grade(perMinute, limit, Math.max(STALL_TIMES * limit, STALL_HELD_SECONDS));
    String under = seen.culprit() == null ? "" : ", mostly under " + seen.culprit();
    return Check.graded(
        HELD_UP,
        allowed,
        what.toString(),
        grade,
        isHoldUpExcused(seen),
        "application threads were held up inside logging for "
            + Figure.threadSeconds(perMinute)
            + " in a minute (allowed: "
            + Figure.threadSeconds(limit)
            + "): "
            + what
            + under
            + busiestThread(seen));
  }

  private static Check calls(Seen seen) {
    LoadFigures load = seen.load();
    long missing = load.callsDue() - load.callsMade();
    return Check.graded(
        NOT_MADE,
        "0",
        String.format(Locale.ROOT, "%,d of %,d", missing, load.callsDue()),
        missing == 0 ? Grade.NONE : Grade.STALL,
        false,
        notMade(load) + " even after the end of the load" + busiestThread(seen));
  }

  /**
   * Adds a check outside the rotation and one in it, and one over the whole load if either side has
   * too few calls for a percentile.
   */
  private void addP999(
      List<Check> checks,
      String of,
      LoadFigures.Calls all,
      List<LoadFigures.Calls> sides,
      Seen seen) {
    List<String> when = List.of("outside the rotation", "in the rotation");
    boolean few = false;
    for (int i = 0; i < sides.size(); i++) {
      checks.add(p999("p99.9 of " + of + " " + when.get(i), sides.get(i), seen));
      few |= sides.get(i).count() > 0 && sides.get(i).p999Micros() == null;
    }
    if (few) {
      checks.add(p999("p99.9 of " + of + " over the whole load", all, seen));
    }
  }

  private Check p999(String what, LoadFigures.Calls calls, Seen seen) {
    String allowed = millis(limits.p999Millis());
    if (calls.p999Micros() == null) {
      String few = String.format(Locale.ROOT, "too few: %,d calls", calls.count());
      return new Check(
          what,
          allowed,
          calls.count() == 0 ? "no calls" : few + ", the worst " + Figure.micros(calls.maxMicros()),
          Verdict.PASSED,
          null,
          false,
          null);
    }
    double millis = calls.p999Micros() / 1000;
    double stall = Math.max(STALL_TIMES * limits.p999Millis(), STALL_P999_MILLIS);
    String measured = millis(millis);
    return Check.graded(
        what,
        allowed,
        measured,
        grade(millis, limits.p999Millis(), stall),
        isExcused(millis, seen.machineMillis(limits.p999Millis()), seen.control()),
        what + " was " + measured + " (allowed: " + allowed + ")" + busiestThread(seen));
  }

  /**
   * Describes the thread or frame that takes most processor time, if it takes at least a quarter of
   * the JVM's; empty otherwise.
   */
  private static String busiestThread(Seen seen) {
    LoadFigures load = seen.load();
    double cpu = load.loadCpuSeconds();
    double most = cpu / 4; // samples of 300 threads are few
    String where = null;
    if (!seen.executed().isEmpty() && seen.executed().get(0).threadSeconds() >= most) {
      most = seen.executed().get(0).threadSeconds();
      where = "under " + seen.executed().get(0).frame();
    }
    for (LoadFigures.ThreadCpu thread : load.cpuByThread()) {
      if (thread.frame() != null && thread.seconds() >= most) {
        most = thread.seconds();
        where = "by thread " + thread.thread() + ", mostly under " + thread.frame();
      }
    }
    if (where == null || cpu <= 0) {
      return "";
    }
    return String.format(
        Locale.ROOT,
        "; the JVM took %.1f processors, %.0f %% of that %s",
        cpu / load.loadSeconds(),
        100 * Math.min(most, cpu) / cpu, // a thread may have begun before the load
        where);
  }

  private Check stops(Seen seen) {
    TrialResult.Pauses pauses = seen.pauses();
    double percent = 100 * seen.stoppedShare();
    double limit = limits.stoppedPercent();
    String what =
        String.format(
            Locale.ROOT,
            "%.2f %%: %s, the longest %s; %,d collections",
            percent,
            millis(pauses.stoppedMillis()),
            millis(pauses.longestStopMillis()),
            pauses.collections());
    Grade grade = grade(percent, limit, STALL_TIMES * limit);
    return Check.graded(
        STOPPED,
        BigDecimal.valueOf(limit).stripTrailingZeros().toPlainString() + " %",
        what,
        grade,
        isExcused(
            pauses.longestStopMillis(), seen.machineMillis(limits.p999Millis()), seen.control()),
        "all threads of the JVM stood still for " + what + seen.stoppers());
  }

  private static Check cpu(Seen seen) {
    double micros = seen.cpuPerCallMicros();
    boolean known = seen.load().inCalls().onCpuSeconds() != null;
    return Check.graded(
        "processor time of a log call, on average",
        Figure.micros(MOST_CPU_MICROS),
        known ? Figure.micros(micros) : "not known",
        grade(micros, MOST_CPU_MICROS, STALL_CPU_MICROS),
        false,
        "a log call took "
            + Figure.micros(micros)
            + " of processor time on average"
            + (seen.culprit() == null ? "" : ", mostly under " + seen.culprit()));
  }

  private static Grade grade(double value, double limit, double stall) {
    if (value <= limit) {
      return Grade.NONE;
    }
    return value >= stall ? Grade.STALL : Grade.NOTICEABLE;
  }

  private Check loss(ReadBackFigures.Conservation events) {
    String allowed = String.format(Locale.ROOT, "%,d", limits.lost());
    String lost = String.format(Locale.ROOT, "%,d", events.lost());
    return Check.promise(
        LOST,
        allowed,
        String.format(Locale.ROOT, "%s of %,d", lost, events.sent()),
        events.lost() <= limits.lost(),
        lost + " events lost (allowed: " + allowed + ")");
  }

  private static Check none(long number, String what, String more) {
    String seen = String.format(Locale.ROOT, "%,d", number);
    return Check.promise(what, "0", seen, number == 0, seen + " " + what + more);
  }

  private static Check prefill(boolean intact) {
    return Check.promise(
        "lines that were in the file before the trial",
        "all, unaltered",
        intact ? "all, unaltered" : "missing or altered",
        intact,
        "lines that were in the file before the trial are missing or altered");
  }

  private static Check files(List<ReadBackFigures.LeftFile> files) {
    List<ReadBackFigures.LeftFile> broken =
        files.stream().filter(file -> file.error() != null).toList();
    return Check.promise(
        "files that cannot be read to their end",
        "0",
        String.format(Locale.ROOT, "%,d of %,d", broken.size(), files.size()),
        broken.isEmpty(),
        broken.stream()
            .map(file -> file.name() + " cannot be read to its end: " + file.error())
            .collect(Collectors.joining("; ")));
  }

  private Check rotation(LoadFigures.Rotation rotation) {
    boolean wanted = rotations > 0;
    boolean several = rotations > 1;
    String number = several ? Integer.toString(rotations) : "one";
    String seen = "none";
    if (rotation.complete()) {
      seen =
          number
              + ", "
              + Figure.seconds(rotation.seconds())
              + (several
                  ? " until the last archive was finished"
                  : " until its archive was finished");
    } else if (rotation.seen()) {
      seen = several ? "not all finished" : "one, not finished";
    }
    String reason =
        several
            ? "rotations began, but not all " + number + " were finished in time"
            : "the rotation began, but its archive was not finished in time";
    if (rotation.seen() != wanted) {
      reason = wanted ? "no rotation was seen" : "there was a rotation";
    }
    boolean asWanted = rotation.seen() == wanted && (!wanted || rotation.complete());
    return Check.condition(
        "rotation", wanted ? number + ", finished" : "none", seen, asWanted, reason);
  }

  private static Check recording(TrialResult.Parks parks) {
    return Check.condition(
        "flight recording",
        "complete",
        parks.complete() ? "complete" : "lost data",
        parks.complete(),
        "the flight recording lost data, so waits may be missing");
  }

  private static double worstMillis(Seen seen) {
    return seen.load().latency().worstCallMicros() / 1000;
  }

  /**
   * Returns whether a process that only slept was late at the same time, so that the machine
   * explains the delay of calls.
   *
   * @param millis the delay of calls in milliseconds
   * @param machine the delay of the sleeping process at the same time, in milliseconds
   */
  private boolean isExcused(double millis, double machine, TrialResult.Control control) {
    boolean starved = control.othersShare() > STARVED;
    return isNoise(machine) && (starved || millis <= NOISE_TIMES * machine);
  }

  private boolean isNoise(double machineMillis) {
    return machineMillis > limits.p999Millis();
  }

  /**
   * Returns whether the machine explains the hold-ups: without the seconds in which the machine was
   * late, the rest must keep the limit.
   */
  private boolean isHoldUpExcused(Seen seen) {
    TrialResult.Control control = seen.control();
    IntPredicate noisy = second -> isNoise(control.machineMillisAbout(second));
    double worst = Math.max(seen.parks().maxSeconds() * 1000, worstMillis(seen));
    double machine =
        IntStream.range(
                (int) seen.load().warmUpSeconds(), (int) Math.ceil(seen.load().loadSeconds()))
            .filter(second -> seen.heldUpSeconds(s -> s == second) > 0)
            .mapToDouble(control::machineMillisAbout)
            .max()
            .orElse(0);
    double left = seen.heldUpSeconds() - seen.heldUpSeconds(noisy);
    return isExcused(worst, machine, control)
        && left * MINUTE / seen.load().measuredSeconds() <= limits.parkMillisPerMinute() / 1000;
  }

  private static String millis(double millis) {
    return Figure.micros(millis * 1000);
  }

  /**
   * The limits that a configuration must keep.
   *
   * @param parkMillisPerMinute how long application threads may be held up inside logging, in
   *     thread-milliseconds a minute of load
   * @param lost events that may be lost
   * @param p999Millis 99.9th percentile of log calls, service and response times, in the rotation
   *     and outside it
   * @param stoppedPercent percentage of the load's time in which all threads may stand still
   */
  public record Limits(
      double parkMillisPerMinute, long lost, double p999Millis, double stoppedPercent) {}

  /** How much a configuration affects the threads of an application. */
  public enum Grade {
    /** Every limit was kept. */
    NONE,
    /** A limit was exceeded. */
    NOTICEABLE,
    /** A limit was exceeded by so much that users of the application complain. */
    STALL;

    @JsonValue
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** The result of a trial. */
  public enum Verdict {
    /** The conditions of the trial were met, and no promise was broken. */
    PASSED,
    /** At least one promise was broken. */
    VIOLATED,
    /** The trial did not show enough for a verdict. */
    INCONCLUSIVE;

    @JsonValue
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * One criterion of a verdict with the value that was seen: the evidence.
   *
   * @param what the name of the criterion
   * @param allowed the limit, or the required value, as text
   * @param seen the value that was seen, as text
   * @param verdict {@code violated} if it breaks a promise, {@code inconclusive} if it makes the
   *     trial inconclusive
   * @param grade how much application threads are affected, or null if the criterion is not one of
   *     time
   * @param excused whether its limit was exceeded while the machine stalled, which may be the cause
   * @param reason a sentence for the verdict, or null if it passed
   */
  public record Check(
      String what,
      String allowed,
      String seen,
      Verdict verdict,
      Grade grade,
      boolean excused,
      String reason) {

    static Check promise(String what, String allowed, String seen, boolean held, String reason) {
      Verdict verdict = held ? Verdict.PASSED : Verdict.VIOLATED;
      return new Check(what, allowed, seen, verdict, null, false, held ? null : reason);
    }

    /** Returns a check of a condition; a trial that does not meet the condition is inconclusive. */
    static Check condition(String what, String allowed, String seen, boolean met, String reason) {
      Verdict verdict = met ? Verdict.PASSED : Verdict.INCONCLUSIVE;
      return new Check(what, allowed, seen, verdict, null, false, met ? null : reason);
    }

    /**
     * Returns a check of a graded figure. A machine that stalled excuses an exceeded limit; a limit
     * that was kept passes in any case.
     */
    static Check graded(
        String what, String allowed, String seen, Grade grade, boolean noisy, String reason) {
      if (grade == Grade.NONE) {
        return new Check(what, allowed, seen, Verdict.PASSED, grade, false, null);
      }
      return noisy
          ? new Check(
              what,
              allowed,
              seen,
              Verdict.INCONCLUSIVE,
              grade,
              true,
              reason + "; the machine itself stalled another process meanwhile, so it may be why")
          : new Check(what, allowed, seen, Verdict.VIOLATED, grade, false, reason);
    }
  }
}
