package io.spillway.stress.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Turns figures into checks, and checks into a verdict with its reasons. */
public final class Judge {

  private final LoadFigures load;
  private final ParkFigures parks;
  private final ReadBackFigures readBack;
  private final ControlFigures control;
  private final Limits limits;

  private Judge(
      LoadFigures load,
      ParkFigures parks,
      ReadBackFigures readBack,
      ControlFigures control,
      Limits limits) {
    this.load = load;
    this.parks = parks;
    this.readBack = readBack;
    this.control = control;
    this.limits = limits;
  }

  /** Every promise, kept or broken, and then what a trial must show to tell anything at all. */
  public static List<Check> checks(
      boolean rotationWanted,
      LoadFigures load,
      ParkFigures parks,
      ReadBackFigures readBack,
      ControlFigures control,
      Limits limits) {
    Judge judge = new Judge(load, parks, readBack, control, limits);
    List<Check> checks = new ArrayList<>();
    checks.add(judge.waits());
    checks.add(judge.loss());
    checks.add(judge.p999(load.latency().outsideService(), "outside the rotation"));
    checks.add(judge.p999(load.latency().rotationService(), "in the rotation"));
    Conservation events = readBack.conservation();
    checks.add(none(events.duplicated(), "events duplicated", ""));
    checks.add(none(events.outOfOrder(), "events out of order", ""));
    checks.add(none(events.torn(), "torn lines", ""));
    checks.add(none(events.unknown(), "events that nobody sent", ""));
    checks.add(none(load.threw(), "log calls threw", ", the first " + load.firstThrown()));
    checks.add(judge.prefill());
    checks.add(judge.files());
    checks.add(judge.rotation(rotationWanted));
    checks.add(judge.recording());
    checks.add(judge.machine());
    return checks;
  }

  /**
   * A broken promise was seen, whatever else was not; but what a peer did in a trial without a
   * rotation says nothing, and the run must not pass on it.
   */
  public static Verdict verdict(Role role, List<Check> checks) {
    boolean broken = checks.stream().anyMatch(check -> check.verdict() == Verdict.VIOLATED);
    boolean doubtful = checks.stream().anyMatch(check -> check.verdict() == Verdict.INCONCLUSIVE);
    if (broken && (role == Role.SUBJECT || !doubtful)) {
      return Verdict.VIOLATED;
    }
    return doubtful ? Verdict.INCONCLUSIVE : Verdict.PASSED;
  }

  /** Why the verdict is not {@code passed}; empty if it is. */
  public static List<String> reasons(List<Check> checks) {
    return checks.stream().map(Check::reason).filter(reason -> reason != null).toList();
  }

  private Check waits() {
    double longestMillis = parks.maxSeconds() * 1000;
    String allowed = limits.parkMillis() == 0 ? "none" : millis(limits.parkMillis()) + " each";
    String sum =
        String.format(
            Locale.ROOT,
            "%,.3f thread-seconds, the longest %s",
            parks.threadSeconds(),
            millis(longestMillis));
    String events = String.format(Locale.ROOT, "%,d", parks.events());
    boolean held =
        parks.events() == 0 || (limits.parkMillis() > 0 && longestMillis <= limits.parkMillis());
    return Check.promise(
        "waits of application threads inside logging",
        allowed,
        parks.events() == 0 ? "none" : events + ", " + sum,
        held,
        "application threads waited "
            + events
            + " times inside logging, "
            + sum
            + " (allowed: "
            + allowed
            + ")");
  }

  private Check loss() {
    Conservation events = readBack.conservation();
    String allowed = String.format(Locale.ROOT, "%,d", limits.lost());
    String lost = String.format(Locale.ROOT, "%,d", events.lost());
    return Check.promise(
        "events lost",
        allowed,
        String.format(Locale.ROOT, "%s of %,d", lost, events.sent()),
        events.lost() <= limits.lost(),
        lost + " events lost (allowed: " + allowed + ")");
  }

  private Check p999(Latency calls, String when) {
    String what = "p99.9 of log calls " + when;
    double millis = calls.p999Micros() / 1000;
    String allowed = millis(limits.p999Millis());
    String seen = calls.count() == 0 ? "no calls" : millis(millis);
    if (isTooNoisy()) {
      return new Check(what, allowed, seen, Verdict.INCONCLUSIVE, null);
    }
    return Check.promise(
        what,
        allowed,
        seen,
        millis <= limits.p999Millis(),
        what + " was " + seen + " (allowed: " + allowed + ")");
  }

  private static Check none(long number, String what, String more) {
    String seen = String.format(Locale.ROOT, "%,d", number);
    return Check.promise(what, "0", seen, number == 0, seen + " " + what + more);
  }

  private Check prefill() {
    boolean intact = readBack.prefillIntact();
    return Check.promise(
        "lines that were in the file before the trial",
        "all, unaltered",
        intact ? "all, unaltered" : "missing or altered",
        intact,
        "lines that were in the file before the trial are missing or altered");
  }

  private Check files() {
    List<FileFigures> broken =
        readBack.files().stream().filter(file -> file.error() != null).toList();
    return Check.promise(
        "files that cannot be read to their end",
        "0",
        String.format(Locale.ROOT, "%,d of %,d", broken.size(), readBack.files().size()),
        broken.isEmpty(),
        broken.stream()
            .map(file -> file.name() + " cannot be read to its end: " + file.error())
            .collect(Collectors.joining("; ")));
  }

  private Check rotation(boolean wanted) {
    RotationFigures rotation = load.rotation();
    String seen = "none";
    if (rotation.complete()) {
      seen = "one, " + Format.seconds(rotation.seconds()) + " until its archive was finished";
    } else if (rotation.seen()) {
      seen = "one, not finished";
    }
    String reason = "the rotation began, but its archive was not finished in time";
    if (rotation.seen() != wanted) {
      reason = wanted ? "no rotation was seen" : "there was a rotation";
    }
    boolean asWanted = rotation.seen() == wanted && (!wanted || rotation.complete());
    return Check.condition("rotation", wanted ? "one, finished" : "none", seen, asWanted, reason);
  }

  private Check recording() {
    return Check.condition(
        "flight recording",
        "complete",
        parks.complete() ? "complete" : "lost data",
        parks.complete(),
        "the flight recording lost data, so waits may be missing");
  }

  private Check machine() {
    String seen = millis(control.p999Micros() / 1000);
    return Check.condition(
        "p99.9 by which the machine itself stalled a process that only slept",
        millis(limits.p999Millis()),
        seen,
        !isTooNoisy(),
        "the machine itself stalled a control process, p99.9 "
            + seen
            + ", so a p99.9 of log calls says nothing");
  }

  /** Whether calls that do nothing at all would exceed the limit. */
  private boolean isTooNoisy() {
    return control.p999Micros() / 1000 > limits.p999Millis();
  }

  private static String millis(double millis) {
    return Format.micros(millis * 1000);
  }
}
