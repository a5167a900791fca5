package io.spillway.stress.report;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Turns figures into checks, and checks into a verdict with its reasons. */
public final class Judge {

  private final Limits limits;
  private final boolean rotationWanted;

  /**
   * Makes one.
   *
   * @param limits what is allowed
   * @param rotationWanted whether a trial must show a rotation, or none
   */
  public Judge(Limits limits, boolean rotationWanted) {
    this.limits = limits;
    this.rotationWanted = rotationWanted;
  }

  /** Every promise, kept or broken, and then what a trial must show to tell anything at all. */
  public List<Check> checks(
      LoadFigures load,
      TrialResult.Parks parks,
      ReadBackFigures readBack,
      TrialResult.Control control) {
    List<Check> checks = new ArrayList<>();
    checks.add(waits(parks));
    checks.add(loss(readBack.conservation()));
    checks.add(p999(load.latency().outsideService(), "outside the rotation", control));
    checks.add(p999(load.latency().rotationService(), "in the rotation", control));
    ReadBackFigures.Conservation events = readBack.conservation();
    checks.add(none(events.duplicated(), "events duplicated", ""));
    checks.add(none(events.outOfOrder(), "events out of order", ""));
    checks.add(none(events.torn(), "torn lines", ""));
    checks.add(none(events.unknown(), "events that nobody sent", ""));
    checks.add(none(load.threw(), "log calls threw", ", the first " + load.firstThrown()));
    checks.add(prefill(readBack.prefillIntact()));
    checks.add(files(readBack.files()));
    checks.add(rotation(load.rotation()));
    checks.add(recording(parks));
    checks.add(machine(control));
    return checks;
  }

  /**
   * A broken promise was seen, whatever else was not; but what a peer did in a trial without a
   * rotation says nothing, and the run must not pass on it.
   */
  public static Verdict verdict(TrialResult.Role role, List<Check> checks) {
    boolean broken = checks.stream().anyMatch(check -> check.verdict() == Verdict.VIOLATED);
    boolean doubtful = checks.stream().anyMatch(check -> check.verdict() == Verdict.INCONCLUSIVE);
    if (broken && (role == TrialResult.Role.SUBJECT || !doubtful)) {
      return Verdict.VIOLATED;
    }
    return doubtful ? Verdict.INCONCLUSIVE : Verdict.PASSED;
  }

  /** Why the verdict is not {@code passed}; empty if it is. */
  public static List<String> reasons(List<Check> checks) {
    return checks.stream().map(Check::reason).filter(reason -> reason != null).toList();
  }

  private Check waits(TrialResult.Parks parks) {
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

  private Check loss(ReadBackFigures.Conservation events) {
    String allowed = String.format(Locale.ROOT, "%,d", limits.lost());
    String lost = String.format(Locale.ROOT, "%,d", events.lost());
    return Check.promise(
        "events lost",
        allowed,
        String.format(Locale.ROOT, "%s of %,d", lost, events.sent()),
        events.lost() <= limits.lost(),
        lost + " events lost (allowed: " + allowed + ")");
  }

  private Check p999(LoadFigures.Calls calls, String when, TrialResult.Control control) {
    String what = "p99.9 of log calls " + when;
    double millis = calls.p999Micros() / 1000;
    String allowed = millis(limits.p999Millis());
    String seen = calls.count() == 0 ? "no calls" : millis(millis);
    if (isTooNoisy(control)) {
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
    boolean wanted = rotationWanted;
    String seen = "none";
    if (rotation.complete()) {
      seen = "one, " + Figure.seconds(rotation.seconds()) + " until its archive was finished";
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

  private static Check recording(TrialResult.Parks parks) {
    return Check.condition(
        "flight recording",
        "complete",
        parks.complete() ? "complete" : "lost data",
        parks.complete(),
        "the flight recording lost data, so waits may be missing");
  }

  private Check machine(TrialResult.Control control) {
    String seen = millis(control.p999Micros() / 1000);
    return Check.condition(
        "p99.9 by which the machine itself stalled a process that only slept",
        millis(limits.p999Millis()),
        seen,
        !isTooNoisy(control),
        "the machine itself stalled a control process, p99.9 "
            + seen
            + ", so a p99.9 of log calls says nothing");
  }

  /** Whether calls that do nothing at all would exceed the limit. */
  private boolean isTooNoisy(TrialResult.Control control) {
    return control.p999Micros() / 1000 > limits.p999Millis();
  }

  private static String millis(double millis) {
    return Figure.micros(millis * 1000);
  }

  /**
   * What a configuration that is held to promises may do at most.
   *
   * @param parkMillis longest single wait of an application thread inside logging
   * @param lost events
   * @param p999Millis 99.9th percentile of log calls, in the rotation and outside it
   */
  public record Limits(double parkMillis, long lost, double p999Millis) {}

  /** What a trial has shown. */
  public enum Verdict {
    /** Rotated, and no promise was broken. */
    PASSED,
    /** At least one promise was broken. */
    VIOLATED,
    /** The trial did not show enough to tell. */
    INCONCLUSIVE;

    @JsonValue
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * One thing that was looked at to reach a verdict, and what was seen: the evidence.
   *
   * @param what was looked at
   * @param allowed at most, or what it has to be, for readers
   * @param seen for readers
   * @param verdict {@code violated} if it breaks a promise, {@code inconclusive} if for its sake
   *     the trial tells too little
   * @param reason a sentence for the verdict, or null if it passed, or if another check says why it
   *     tells nothing
   */
  public record Check(String what, String allowed, String seen, Verdict verdict, String reason) {

    static Check promise(String what, String allowed, String seen, boolean held, String reason) {
      Verdict verdict = held ? Verdict.PASSED : Verdict.VIOLATED;
      return new Check(what, allowed, seen, verdict, held ? null : reason);
    }

    /** Without it the trial shows too little. */
    static Check condition(String what, String allowed, String seen, boolean met, String reason) {
      Verdict verdict = met ? Verdict.PASSED : Verdict.INCONCLUSIVE;
      return new Check(what, allowed, seen, verdict, met ? null : reason);
    }
  }
}
