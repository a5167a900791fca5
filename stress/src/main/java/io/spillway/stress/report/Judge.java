package io.spillway.stress.report;

import io.spillway.stress.report.TrialResult.Check;
import io.spillway.stress.report.Waits.Frame;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Turns the figures of a trial into checks, and checks into a verdict. Four figures decide: time in
 * long log calls, response time, calls not made, events damaged. A limit broken outside the seconds
 * in which the machine was late is a violation; one broken only with them is inconclusive; such
 * seconds never turn a broken limit into a kept one.
 *
 * @param rotations the number of rotations that a trial must show
 */
public record Judge(Limits limits, int rotations) {

  private static final String P999 = "p99.9 of response time ";
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

  /** The figures that a trial is judged by. */
  public record Seen(
      LoadFigures load, Latency latency, Waits waits, Control control, ReadBackFigures readBack) {

    /**
     * Returns the thread-seconds a minute that threads were held up in log calls; on time, without
     * what the machine explains: its delay, for each thread that was held up in that second.
     */
    double heldPerMinute(boolean onTime) {
      int from = (int) load.warmUpSeconds();
      int to = load.heldBySecond().size();
      double held = 0;
      for (int second = from; second < to; second++) {
        int threads = load.heldThreadsBySecond().get(second);
        double excused = onTime ? control.lateSeconds(second) * threads : 0;
        held += Math.max(0, load.heldBySecond().get(second) - excused);
      }
      return held * MINUTE / Math.max(1, load.measuredSeconds());
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
    double held = seen.heldPerMinute(false);
    return new Check(
        "thread-seconds a minute in log calls of %d ms or more"
            .formatted(LoadFigures.LONG_CALL_MILLIS),
        Format.seconds(limit),
        Format.seconds(held)
            + ", from "
            + Format.seconds(seen.load().measuredSeconds())
            + " of load",
        timed(held, seen.heldPerMinute(true), limit));
  }

  private Check p999(String where, Latency.Times times) {
    double limit = limits.p999Millis() * MILLI;
    String few = "only " + Format.number(times.count()) + " calls, fewer than 1,000";
    double onTime = times.onTimeP999Micros() == null ? 0 : times.onTimeP999Micros();
    return new Check(
        P999 + where,
        Format.micros(limit),
        isFew(times) ? few : Format.micros(times.p999Micros()),
        isFew(times) ? Verdict.INCONCLUSIVE : timed(times.p999Micros(), onTime, limit));
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
    return new Check(
        "calls (of a service: requests) due and not made; log calls that threw or interrupted",
        "0",
        "%s of %s".formatted(Format.number(missing), Format.number(load.callsDue()))
            + some("; ", load.threw(), " threw, the first " + load.firstThrown())
            + some("; ", load.interrupted(), " left an interrupt"),
        exact(missing == 0 && load.threw() == 0 && load.interrupted() == 0));
  }

  private Check events(ReadBackFigures readBack) {
    ReadBackFigures.Conservation events = readBack.conservation();
    boolean prefill = readBack.prefillIntact();
    String errors =
        readBack.files().stream()
            .filter(file -> file.error() != null)
            .map(file -> "; " + file.name() + ": " + file.error())
            .collect(Collectors.joining());
    boolean whole = events.undamaged() && prefill && errors.isEmpty();
    return new Check(
        "events lost, doubled, out of order or torn",
        Format.number(limits.lost()),
        "%s of %s".formatted(Format.number(events.lost()), Format.number(events.sent()))
            + some(", ", events.duplicated(), " doubled")
            + some(", ", events.outOfOrder(), " out of order")
            + some(", ", events.torn(), " torn")
            + some(", ", events.unknown(), " that nobody sent")
            + (prefill ? "" : "; lines from before the trial are missing or altered")
            + errors,
        exact(whole && events.lost() <= limits.lost()));
  }

  private static String some(String before, long number, String what) {
    return number == 0 ? "" : before + Format.number(number) + what;
  }

  private static Verdict exact(boolean kept) {
    return kept ? Verdict.PASSED : Verdict.VIOLATED;
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
    Check held = checks.get(0);
    Double p999 = seen.latency().responseWhole().p999Micros();
    List<String> parts = new ArrayList<>();
    parts.add(seen.load().heldUp() + culprit(seen));
    parts.add(P999 + Format.micros(p999));
    if (!checks.stream().limit(3).allMatch(Check::passed)) {
      parts.addAll(causes(seen));
    }
    if (seen.readBack().conservation().lost() == 0) {
      parts.add("nothing lost");
    }
    boolean excused = false;
    for (Check check : checks) {
      if (!check.passed()) {
        parts.add(check.reason());
      }
      boolean timed = check == held || check.what().startsWith(P999) && p999 != null;
      excused |= timed && check.verdict() == Verdict.INCONCLUSIVE;
    }
    if (excused) {
      String most = Format.micros(seen.control().maxMillis() * MILLI);
      parts.add("the machine itself was late by up to " + most);
    }
    return String.join("; ", parts);
  }

  /**
   * Returns the frame under which threads were held up, as a clause; empty if none was. Threads
   * that wait for an appender's lock do not show what its holder does; another method of the same
   * class that was seen does.
   */
  private static String culprit(Seen seen) {
    List<String> all =
        Stream.concat(seen.waits().byFrame().stream(), seen.load().running().stream())
            .sorted(Comparator.comparingDouble(Frame::threadSeconds).reversed())
            .map(Frame::frame)
            .toList();
    if (all.isEmpty() || seen.load().heldAtOnce() == 0) {
      return "";
    }
    String first = all.get(0);
    String type = first.substring(0, first.lastIndexOf('.') + 1);
    return ", mostly under "
        + all.stream()
            .filter(frame -> frame.startsWith(type) && !frame.equals(first))
            .filter(frame -> first.endsWith(".doAppend"))
            .findFirst()
            .orElse(first);
  }

  /** Returns what may have made calls late besides waits: collections, and a busy processor. */
  private static List<String> causes(Seen seen) {
    List<String> causes = new ArrayList<>();
    LoadFigures load = seen.load();
    Waits waits = seen.waits();
    if (waits.pauseSeconds() > load.measuredSeconds() / 100) {
      List<Frame> asked = waits.collections();
      String by = asked.isEmpty() ? "" : ", asked for by " + asked.get(0).frame();
      causes.add(
          "collections stopped all threads for " + Format.seconds(waits.pauseSeconds()) + by);
    }
    double busy = BUSY * load.processors() * load.cpuBySecond().size();
    Frame most = waits.executed().isEmpty() ? null : waits.executed().get(0);
    if (most != null && most.frame().contains(".") && most.threadSeconds() > busy) {
      String format = "the JVM used %.1f processors, mostly under %s";
      causes.add(String.format(Locale.ROOT, format, load.processors(), most.frame()));
    }
    return causes;
  }
}
