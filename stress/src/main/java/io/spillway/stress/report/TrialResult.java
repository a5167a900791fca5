package io.spillway.stress.report;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * All figures of one trial. Those of steps that were not reached are null.
 *
 * @param name the trial; with its size, if those of the run differ
 * @param sizeBytes of the log file when it was to roll over
 * @param repeat which repeat, from 1
 * @param role why it was run
 * @param description one line for readers
 * @param configuration the logging library's configuration, verbatim
 * @param childCommand the command line of the forked JVM
 * @param load what the child measured
 * @param parks waits of application threads inside logging
 * @param pauses what the JVM itself stopped
 * @param heap how much of it was in use, or null if the collector does not tell
 * @param control what the machine itself stalled meanwhile
 * @param executed what the processors executed in the JVM of the trial, by frame; processor time,
 *     shared among samples of running threads
 * @param readBack what the files hold
 * @param evidence everything that the verdict rests on
 * @param verdict what the trial has shown
 * @param felt how much application threads feel of it; without figures null, also if it ended the
 *     JVM, or a stall if they never came back
 * @param heldUpThreadSecondsPerMinute how long application threads were held up inside logging, in
 *     a minute of load; null without figures
 * @param finding what was found, in one sentence, whatever the verdict
 * @param reasons why the verdict is not {@code passed}
 */
public record TrialResult(
    String name,
    long sizeBytes,
    int repeat,
    Role role,
    String description,
    String configuration,
    List<String> childCommand,
    LoadFigures load,
    Parks parks,
    Pauses pauses,
    Heap heap,
    Control control,
    List<Parks.Frame> executed,
    ReadBackFigures readBack,
    List<Judge.Check> evidence,
    Judge.Verdict verdict,
    Judge.Grade felt,
    Double heldUpThreadSecondsPerMinute,
    String finding,
    List<String> reasons) {

  /** Its name, with the number of the repeat unless it is the first. */
  public String label() {
    return repeat > 1 ? name + " #" + repeat : name;
  }

  /** Whether all steps were reached, so that there are figures. */
  public boolean measured() {
    return load != null && parks != null && readBack != null;
  }

  /** What readers are told that is felt: nothing that is sure is not the same as nothing. */
  String shownFelt() {
    if (felt == null) {
      return "-";
    }
    return felt == Judge.Grade.NONE && Judge.isExcused(evidence) ? "unclear" : felt.toString();
  }

  /** Why a trial is part of a run. */
  public enum Role {
    /** Shown for comparison: what it breaks is a fact, not a failure of the run. */
    PEER,
    /** Held to the promises: what it breaks fails the run. */
    SUBJECT;

    @JsonValue
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * What the JVM itself stopped, so that it is not blamed on an appender.
   *
   * @param collections garbage collections
   * @param totalPauseMillis sum of their pauses
   * @param maxPauseMillis the longest pause
   * @param maxTimeToSafepointMillis the longest wait for all threads to reach a safepoint
   * @param stoppedMillis how long all threads stood still after the warm-up, at safepoints of any
   *     kind, those of collections included
   * @param longestStopMillis the longest of them
   * @param stops what the JVM did meanwhile, as it calls that: how often, and for how long
   * @param askedFor who asked for collections of the whole heap, and for how long that took
   */
  public record Pauses(
      long collections,
      double totalPauseMillis,
      double maxPauseMillis,
      double maxTimeToSafepointMillis,
      double stoppedMillis,
      double longestStopMillis,
      List<Parks.Frame> stops,
      List<Parks.Frame> askedFor) {}

  /**
   * How much of the heap was in use, seen before and after each garbage collection; there is one at
   * the end of the load, which the harness asks for.
   *
   * @param limitBytes the most it may take
   * @param peakBytes the most before a collection, garbage included
   * @param afterCollectionBytes the most after a collection: what was alive, and so what queues
   *     held
   */
  public record Heap(long limitBytes, long peakBytes, long afterCollectionBytes) {}

  /**
   * What the machine itself stalled during a trial, seen by a thread of another process that only
   * sleeps: how much later than asked it woke up, in microseconds, corrected for coordinated
   * omission. Figures that are not by second are of the load after its warm-up.
   *
   * @param p50Micros median
   * @param p999Micros 99.9th percentile
   * @param maxMicros the worst
   * @param machineP999Micros 99.9th percentile of those seconds in which the JVM of the trial left
   *     a quarter of the processors to others: what is late then is the machine's own doing
   * @param othersShare of all processors' time, what others took than the JVM of the trial
   * @param maxMicrosBySecond the worst of each second since the load began, the warm-up included
   * @param machineMaxMicrosBySecond the same; 0 if the JVM of the trial left less to others
   */
  public record Control(
      double p50Micros,
      double p999Micros,
      double maxMicros,
      double machineP999Micros,
      double othersShare,
      List<Double> maxMicrosBySecond,
      List<Double> machineMaxMicrosBySecond) {

    /** The worst of the machine's own doing in a second, or in the one before or after it. */
    double machineMillisAbout(int second) {
      double most = 0;
      int end = Math.min(second + 2, machineMaxMicrosBySecond.size());
      for (int i = Math.max(0, second - 1); i < end; i++) {
        most = Math.max(most, machineMaxMicrosBySecond.get(i));
      }
      return most / 1_000;
    }
  }

  /**
   * How application threads waited inside logging: parks, contended monitors, monitor waits,
   * sleeps, input and output. What ended in the warm-up counts only where that is said.
   *
   * @param events how many waits
   * @param threadSeconds their sum over all threads
   * @param warmUpThreadSeconds the same of the warm-up, which is not judged
   * @param maxSeconds the longest
   * @param threadsAtOnce the most threads waiting at the same moment
   * @param eventsByKind count by JFR event name
   * @param threadSecondsByKind their sum by JFR event name
   * @param byFrame by the logging frame nearest to the wait, the costliest first
   * @param threadSecondsBySecond thread-seconds waited in each second since the load began, the
   *     warm-up included
   * @param threadsAtOnceBySecond the most threads waiting at the same moment of each second
   * @param complete false if the recording itself lost data
   */
  public record Parks(
      long events,
      double threadSeconds,
      double warmUpThreadSeconds,
      double maxSeconds,
      int threadsAtOnce,
      Map<String, Long> eventsByKind,
      Map<String, Double> threadSecondsByKind,
      List<Frame> byFrame,
      List<Double> threadSecondsBySecond,
      List<Integer> threadsAtOnceBySecond,
      boolean complete) {

    /**
     * Waits under one logging frame.
     *
     * @param frame class and method
     * @param events how many waits
     * @param threadSeconds their sum
     */
    public record Frame(String frame, long events, double threadSeconds) {}
  }
}
