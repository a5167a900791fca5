package io.spillway.stress.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Turns the figures of a trial into checks, and checks into a verdict. Four figures decide: time in
 * long log calls, response time, calls not made, events damaged. A limit broken outside the seconds
 * in which the machine was late is a violation; one broken only with them is inconclusive; such
 * seconds never turn a broken limit into a kept one.
 *
 * @param limits the limits of the run
 * @param rotations the number of rotations that a trial must show
 */
public record Judge(Limits limits, int rotations) {

  private static final double MINUTE = 60;
  private static final double MILLI = 1_000;

  /** A frame that takes this share of the processors' time is named beside late responses. */
  private static final double BUSY = 0.25;

  /**
   * The limits that a configuration must keep.
   *
   * @param heldSecondsPerMinute thread-seconds in log calls of {@link LoadFigures#LONG_CALL_MILLIS}
   *     or more, in a minute of load
   * @param p999Millis 99.9th percentile of response time, in the rotation and outside it
   * @param lost events that may be lost
   */
  public record Limits(double heldSecondsPerMinute, double p999Millis, long lost) {}

  /**
   * The figures that a trial is judged by.
   *
   * @param load what the JVM of the trial reported of itself
   * @param latency its response times
   * @param waits its flight recording
   * @param control delays of the machine
   * @param readBack what reading its files back has shown
   */
  public record Seen(
      LoadFigures load, Latency latency, Waits waits, Control control, ReadBackFigures readBack) {

    /** Returns the thread-seconds a minute that threads were held up in log calls. */
    double heldPerMinute() {
      return perMinute(load.heldBySecond()::get);
    }

    /** Returns the same without what the machine explains: its delay, for each thread held up. */
    double heldPerMinuteOnTime() {
      return perMinute(
          second ->
              load.heldBySecond().get(second)
                  - control.lateSeconds(second)
                      * Math.max(1, load.heldAtOnceBySecond().get(second)));
    }

    private double perMinute(IntToDoubleFunction heldIn) {
      int from = (int) load.warmUpSeconds();
      int to = load.heldBySecond().size();
      double held = IntStream.range(from, to).mapToDouble(heldIn).map(s -> Math.max(0, s)).sum();
      return held * MINUTE / Math.max(1, to - from);
    }
  }

  /** Returns the checks of the four figures, followed by that of the rotation. */
  public List<Check> checks(Seen seen) {
    List<Check> checks = new ArrayList<>();
    checks.add(held(seen));
    Latency latency = seen.latency();
    if (isFew(latency.responseOutside()) || rotations > 0 && isFew(latency.responseRotating())) {
      checks.add(p999("over the whole load", latency.responseWhole()));
    } else {
      checks.add(p999("outside the rotation", latency.responseOutside()));
      if (rotations > 0) {
        checks.add(p999("in the rotation", latency.responseRotating()));
      }
    }
    checks.add(calls(seen.load()));
    checks.add(events(seen.readBack()));
    checks.add(rotation(seen.load().rotation()));
    return checks;
  }

  /** Returns the verdict by the checks. */
  public static Verdict verdict(List<Check> checks) {
    return Verdict.of(checks.stream().map(Check::verdict).toList());
  }

  private Check held(Seen seen) {
    double limit = limits.heldSecondsPerMinute();
    return new Check(
        "thread-seconds a minute in log calls of "
            + LoadFigures.LONG_CALL_MILLIS
            + " ms or more, up to "
            + Format.number(seen.load().heldAtOnce())
            + " threads at once",
        Format.seconds(limit),
        Format.seconds(seen.heldPerMinute()),
        timed(seen.heldPerMinute(), seen.heldPerMinuteOnTime(), limit));
  }

  private Check p999(String where, Latency.Times times) {
    String what = "p99.9 of response time " + where;
    String limit = Format.micros(limits.p999Millis() * MILLI);
    if (isFew(times)) {
      return new Check(
          what,
          limit,
          "only " + Format.number(times.count()) + " calls, fewer than 1,000",
          Verdict.INCONCLUSIVE);
    }
    double onTime = times.onTimeP999Micros() == null ? 0 : times.onTimeP999Micros();
    return new Check(
        what,
        limit,
        Format.micros(times.p999Micros()),
        timed(times.p999Micros(), onTime, limits.p999Millis() * MILLI));
  }

  private static boolean isFew(Latency.Times times) {
    return times.p999Micros() == null;
  }

  private static Verdict timed(double value, double onTime, double limit) {
    if (value <= limit) {
      return Verdict.PASSED;
    }
    return onTime > limit ? Verdict.VIOLATED : Verdict.INCONCLUSIVE;
  }

  private static Check calls(LoadFigures load) {
    long missing = load.callsDue() - load.callsMade();
    StringBuilder seen = new StringBuilder(Format.number(missing));
    seen.append(" of ").append(Format.number(load.callsDue()));
    if (load.threw() > 0) {
      seen.append("; ").append(Format.number(load.threw())).append(" threw, the first ");
      seen.append(load.firstThrown());
    }
    if (load.interrupted() > 0) {
      seen.append("; ").append(Format.number(load.interrupted())).append(" left an interrupt");
    }
    boolean kept = missing == 0 && load.threw() == 0 && load.interrupted() == 0;
    return new Check(
        "log calls that were due and not made, that threw or that interrupted their thread",
        "0",
        seen.toString(),
        kept ? Verdict.PASSED : Verdict.VIOLATED);
  }

  private Check events(ReadBackFigures readBack) {
    ReadBackFigures.Conservation events = readBack.conservation();
    StringBuilder seen = new StringBuilder();
    seen.append(Format.number(events.lost())).append(" of ").append(Format.number(events.sent()));
    append(seen, events.duplicated(), "doubled");
    append(seen, events.outOfOrder(), "out of order");
    append(seen, events.torn(), "torn");
    append(seen, events.unknown(), "that nobody sent");
    if (!readBack.prefillIntact()) {
      seen.append("; lines from before the trial are missing or altered");
    }
    readBack.files().stream()
        .filter(file -> file.error() != null)
        .forEach(file -> seen.append("; ").append(file.name()).append(": ").append(file.error()));
    boolean whole =
        events.lost() <= limits.lost()
            && events.duplicated() + events.outOfOrder() + events.torn() + events.unknown() == 0
            && readBack.prefillIntact()
            && readBack.files().stream().allMatch(file -> file.error() == null);
    return new Check(
        "events lost, doubled, out of order or torn",
        Format.number(limits.lost()),
        seen.toString(),
        whole ? Verdict.PASSED : Verdict.VIOLATED);
  }

  private static void append(StringBuilder seen, long number, String what) {
    if (number > 0) {
      seen.append(", ").append(Format.number(number)).append(' ').append(what);
    }
  }

  private Check rotation(LoadFigures.Rotation rotation) {
    boolean asWanted = rotations == 0 ? !rotation.seen() : rotation.complete();
    String seen = rotation.seen() ? "not finished" : "none";
    return new Check(
        "rotation",
        rotations == 0 ? "none" : rotations + ", finished",
        rotation.complete() ? "finished in " + Format.seconds(rotation.seconds()) : seen,
        asWanted ? Verdict.PASSED : Verdict.INCONCLUSIVE);
  }

  /** Returns what was found, as one sentence, for any verdict. */
  public static String finding(Seen seen, List<Check> checks) {
    LoadFigures load = seen.load();
    List<String> parts = new ArrayList<>();
    if (checks.get(0).verdict() == Verdict.PASSED) {
      parts.add("no thread was held up");
    } else {
      String under = culprit(seen);
      parts.add(
          "up to "
              + Format.number(load.heldAtOnce())
              + " threads at once stood in log calls, for "
              + Format.number(load.heldSeconds())
              + " thread-seconds"
              + (under == null ? "" : ", mostly under " + under));
    }
    parts.add(
        "p99.9 of response time " + Format.micros(seen.latency().responseWhole().p999Micros()));
    boolean late = checks.stream().limit(3).anyMatch(c -> c.verdict() != Verdict.PASSED);
    if (late) {
      parts.addAll(causes(seen));
    }
    if (seen.readBack().conservation().lost() == 0) {
      parts.add("nothing lost");
    }
    checks.stream()
        .skip(1)
        .filter(check -> check.verdict() != Verdict.PASSED && !check.what().startsWith("p99.9"))
        .forEach(check -> parts.add(check.reason()));
    boolean excused =
        checks.get(0).verdict() == Verdict.INCONCLUSIVE
            || late && checks.stream().anyMatch(check -> isExcused(check, seen));
    if (excused) {
      parts.add(
          "the machine itself was late by up to "
              + Format.micros(seen.control().maxMillis() * MILLI));
    }
    return String.join("; ", parts);
  }

  private static boolean isExcused(Check check, Judge.Seen seen) {
    return check.what().startsWith("p99.9")
        && check.verdict() == Verdict.INCONCLUSIVE
        && !isFew(seen.latency().responseWhole());
  }

  /**
   * Returns the frame under which threads were held up. Threads that wait for an appender's lock do
   * not show what its holder does; another method of the same class that was seen does.
   */
  private static String culprit(Seen seen) {
    List<Frame> all =
        Stream.concat(seen.waits().byFrame().stream(), seen.load().running().stream())
            .sorted(Comparator.comparingDouble(Frame::threadSeconds).reversed())
            .toList();
    if (all.isEmpty()) {
      return null;
    }
    String first = all.get(0).frame();
    String type = first.substring(0, first.lastIndexOf('.') + 1);
    return first.endsWith(".doAppend")
        ? all.stream()
            .map(Frame::frame)
            .filter(frame -> frame.startsWith(type) && !frame.equals(first))
            .findFirst()
            .orElse(first)
        : first;
  }

  /** Returns what may have made calls late besides waits: collections, and a busy processor. */
  private static List<String> causes(Seen seen) {
    List<String> causes = new ArrayList<>();
    Waits waits = seen.waits();
    double measured = seen.load().measuredSeconds();
    if (waits.pauseSeconds() > measured / 100) {
      String asked =
          waits.collections().isEmpty()
              ? ""
              : ", asked for by " + waits.collections().get(0).frame();
      causes.add(
          "collections stopped all threads for " + Format.seconds(waits.pauseSeconds()) + asked);
    }
    double cpu = seen.load().processors() * seen.load().cpuBySecond().size();
    waits.executed().stream()
        .findFirst()
        .filter(frame -> frame.frame().contains(".") && frame.threadSeconds() > BUSY * cpu)
        .ifPresent(
            frame ->
                causes.add(
                    String.format(
                        Locale.ROOT,
                        "the JVM used %.1f processors, mostly under %s",
                        seen.load().processors(),
                        frame.frame())));
    return causes;
  }
}
