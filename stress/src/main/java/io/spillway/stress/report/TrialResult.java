package io.spillway.stress.report;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * All figures of one trial. The figures of steps that were not reached are null.
 *
 * @param name the trial's name; it contains the size of the log file if the sizes of the run differ
 * @param sizeBytes size at which the log file was to roll over
 * @param repeat number of the repeat, from 1
 * @param role why it was run
 * @param description one line for readers
 * @param configuration the logging library's configuration, verbatim
 * @param childCommand the command line of the forked JVM
 * @param load what the child measured
 * @param parks waits of application threads inside logging
 * @param pauses stops of the whole JVM
 * @param heap how much of the heap was in use, or null if the collector does not report it
 * @param control stalls of the machine during the trial
 * @param executed what the processors executed in the JVM of the trial, by frame; processor time,
 *     shared among samples of running threads
 * @param readBack what reading the files back has shown
 * @param evidence all checks that the verdict is based on
 * @param verdict what the trial has shown
 * @param felt how much application threads are affected; without figures a stall if threads never
 *     returned, otherwise null, also if the trial ended the JVM
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

  /** Returns the trial's name, followed by the number of the repeat unless it is the first. */
  public String label() {
    return repeat > 1 ? name + " #" + repeat : name;
  }

  /** Returns whether all steps were reached, so that there are figures. */
  public boolean measured() {
    return load != null && parks != null && readBack != null;
  }

  /** Returns the text for {@link #felt()}; "unclear" instead of "none" if a check is excused. */
  String shownFelt() {
    if (felt == null) {
      return "-";
    }
    return felt == Judge.Grade.NONE && Judge.isExcused(evidence) ? "unclear" : felt.toString();
  }

  /** The role of a trial in a run. */
  public enum Role {
    /** Shown for comparison: a promise that it breaks is reported, but does not fail the run. */
    PEER,
    /** Held to the promises: a promise that it breaks fails the run. */
    SUBJECT;

    @JsonValue
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * Stops of the whole JVM, recorded so that they are not attributed to an appender.
   *
   * @param collections number of garbage collections
   * @param totalPauseMillis sum of their pauses
   * @param maxPauseMillis the longest pause
   * @param maxTimeToSafepointMillis the longest wait for all threads to reach a safepoint
   * @param stoppedMillis how long all threads stood still after the warm-up, at safepoints of any
   *     kind, those of collections included
   * @param longestStopMillis the longest time that all threads stood still after the warm-up
   * @param stops the JVM's operations during the stops, by the JVM's names: how many, and for how
   *     long
   * @param askedFor frames that requested collections of the whole heap, and how long those took
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
   * The heap in use, measured before and after each garbage collection; the harness requests one at
   * the end of the load.
   *
   * @param limitBytes the largest size of the heap
   * @param peakBytes the most before a collection, garbage included
   * @param afterCollectionBytes the most after a collection: live objects, among them what queues
   *     held
   */
  public record Heap(long limitBytes, long peakBytes, long afterCollectionBytes) {}

  /**
   * Stalls of the machine during a trial, measured by a thread of another process that only sleeps:
   * how much later than due the thread woke up, in microseconds, corrected for coordinated
   * omission. Figures that are not by second are of the load after its warm-up.
   *
   * @param p50Micros median
   * @param p999Micros 99.9th percentile
   * @param maxMicros the worst
   * @param machineP999Micros 99.9th percentile of those seconds in which the JVM of the trial left
   *     a quarter of the processors to other processes: the machine causes the delays of those
   *     seconds
   * @param othersShare share of all processors' time that processes other than the JVM of the trial
   *     took
   * @param maxMicrosBySecond the worst of each second since the load began, the warm-up included
   * @param machineMaxMicrosBySecond the worst of each second in which the machine causes the
   *     delays; 0 in seconds in which the JVM of the trial left less to other processes
   */
  public record Control(
      double p50Micros,
      double p999Micros,
      double maxMicros,
      double machineP999Micros,
      double othersShare,
      List<Double> maxMicrosBySecond,
      List<Double> machineMaxMicrosBySecond) {

    /**
     * Returns the longest delay caused by the machine in a second, the one before or the one after,
     * in milliseconds.
     */
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
   * The waits of application threads inside logging: parks, contended monitors, monitor waits,
   * sleeps, input and output. Waits that ended in the warm-up count only where a description says
   * so.
   *
   * @param events number of waits
   * @param threadSeconds their sum over all threads
   * @param warmUpThreadSeconds sum of the waits that ended in the warm-up, which is not judged
   * @param maxSeconds the longest wait
   * @param threadsAtOnce the most threads waiting at the same moment
   * @param eventsByKind count by JFR event name
   * @param threadSecondsByKind sum of waits by JFR event name
   * @param byFrame waits by the logging frame nearest to the wait, the costliest first
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
     * @param events number of waits
     * @param threadSeconds their sum
     */
    public record Frame(String frame, long events, double threadSeconds) {}
  }
}
