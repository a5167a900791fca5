package io.spillway.stress.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Turns figures into a verdict, with its reasons. */
public final class Judge {

  private Judge() {}

  /** Why the trial shows too little to tell anything; empty if it shows enough. */
  public static List<String> doubts(boolean rotationWanted, LoadFigures load, ParkFigures parks) {
    List<String> doubts = new ArrayList<>();
    if (load.rotation().seen() != rotationWanted) {
      doubts.add(rotationWanted ? "no rotation was seen" : "there was a rotation");
    } else if (rotationWanted && !load.rotation().complete()) {
      doubts.add("the rotation began, but its archive was not finished in time");
    }
    if (!parks.complete()) {
      doubts.add("the flight recording lost data, so waits may be missing");
    }
    return doubts;
  }

  /** Every promise that the figures show broken; empty if none. */
  public static List<String> violations(
      LoadFigures load, ParkFigures parks, ReadBackFigures readBack, Limits limits) {
    List<String> broken = new ArrayList<>();
    Conservation events = readBack.conservation();
    double longestMillis = parks.maxSeconds() * 1000;
    if (parks.events() > 0 && (limits.parkMillis() == 0 || longestMillis > limits.parkMillis())) {
      broken.add(
          String.format(
              Locale.ROOT,
              "application threads waited %,d times inside logging, %.3f thread-seconds, the"
                  + " longest %.3f ms (allowed: %.3f ms)",
              parks.events(),
              parks.threadSeconds(),
              longestMillis,
              limits.parkMillis()));
    }
    if (events.lost() > limits.lost()) {
      broken.add(
          String.format(
              Locale.ROOT, "%,d events lost (allowed: %,d)", events.lost(), limits.lost()));
    }
    slow(broken, load.latency().outsideService(), "outside the rotation", limits);
    slow(broken, load.latency().rotationService(), "in the rotation", limits);
    count(broken, events.duplicated(), "events duplicated");
    count(broken, events.outOfOrder(), "events out of order");
    count(broken, events.torn(), "torn lines");
    count(broken, events.unknown(), "events that nobody sent");
    count(broken, load.threw(), "log calls threw, the first " + load.firstThrown());
    if (!readBack.prefillIntact()) {
      broken.add("lines that were in the file before the trial are missing or altered");
    }
    for (FileFigures file : readBack.files()) {
      if (file.error() != null) {
        broken.add(file.name() + " cannot be read to its end: " + file.error());
      }
    }
    return broken;
  }

  /**
   * A broken promise was seen, whatever else was not; but what a peer did in a trial without a
   * rotation says nothing, and the run must not pass on it.
   */
  public static Verdict verdict(Role role, List<String> doubts, List<String> violations) {
    boolean broken = !violations.isEmpty();
    if (broken && (role == Role.SUBJECT || doubts.isEmpty())) {
      return Verdict.VIOLATED;
    }
    return doubts.isEmpty() ? Verdict.PASSED : Verdict.INCONCLUSIVE;
  }

  private static void slow(List<String> broken, Latency calls, String when, Limits limits) {
    double millis = calls.p999Micros() / 1000;
    if (millis > limits.p999Millis()) {
      broken.add(
          String.format(
              Locale.ROOT,
              "p99.9 of log calls %s was %.3f ms (allowed: %.3f ms)",
              when,
              millis,
              limits.p999Millis()));
    }
  }

  private static void count(List<String> broken, long number, String what) {
    if (number > 0) {
      broken.add(String.format(Locale.ROOT, "%,d %s", number, what));
    }
  }
}
