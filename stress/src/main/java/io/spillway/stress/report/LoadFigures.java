package io.spillway.stress.report;

import io.spillway.stress.report.Waits.Frame;
import java.util.List;
import java.util.stream.Stream;

/**
 * The figures that the forked JVM of a trial reports of itself. Lists by second and {@code
 * loadSeconds} begin with the load, the measured warm-up of the first seconds included. Counts of
 * calls contain all of them; the longest call is of those after the warm-up.
 *
 * @param sentByThread log calls made by each thread by its number; 0 is the warm-up's thread
 * @param firstThrown the first exception thrown by a log call, or null
 * @param interrupted log calls after which their thread was interrupted
 * @param loadSeconds how long threads were sending, the warm-up included, which is not judged
 * @param cpuBySecond processor time of the whole JVM
 * @param callsDue log calls that were due before the load ended; for a service, requests
 * @param callsMade those of them that were made, however late
 * @param heldBySecond thread-seconds that application threads were in log calls of {@link
 *     #LONG_CALL_MILLIS} or more
 * @param heldAtOnceBySecond the most threads in such calls at one moment of each second
 * @param heldThreadsBySecond the threads that were in such calls at any time of each second
 * @param running frames of threads that were running in such calls, by samples
 * @param statusProblems the logging library's own warnings and errors, the first of them
 */
public record LoadFigures(
    List<Long> sentByThread,
    long threw,
    String firstThrown,
    long interrupted,
    long startEpochNanos,
    double warmUpSeconds,
    double loadSeconds,
    List<Double> cpuBySecond,
    long callsDue,
    long callsMade,
    double worstCallMicros,
    List<Double> heldBySecond,
    List<Integer> heldAtOnceBySecond,
    List<Integer> heldThreadsBySecond,
    List<Frame> running,
    Rotation rotation,
    List<String> statusProblems) {

  /** From this length on, in milliseconds, a log call holds its thread up. */
  public static final long LONG_CALL_MILLIS = 10;

  /** Returns these figures with those of requests to a service in place of log calls. */
  public LoadFigures ofRequests(long due, long answered, String problem) {
    List<String> problems =
        Stream.concat(Stream.ofNullable(problem), statusProblems.stream()).toList();
    return new LoadFigures(
        sentByThread,
        threw,
        firstThrown,
        interrupted,
        startEpochNanos,
        warmUpSeconds,
        loadSeconds,
        cpuBySecond,
        due,
        answered,
        worstCallMicros,
        heldBySecond,
        heldAtOnceBySecond,
        heldThreadsBySecond,
        running,
        rotation,
        problems);
  }

  /** Returns how long the load was measured, in seconds: all of it after the warm-up. */
  public double measuredSeconds() {
    return loadSeconds - warmUpSeconds;
  }

  /** Returns the thread-seconds that application threads were held up in log calls. */
  public double heldSeconds() {
    return heldBySecond.stream().skip((long) warmUpSeconds).mapToDouble(d -> d).sum();
  }

  /** Returns the most application threads that were held up at one moment; a look may miss one. */
  public int heldAtOnce() {
    int least = heldSeconds() > 0 ? 1 : 0;
    return heldAtOnceBySecond.stream().skip((long) warmUpSeconds).reduce(least, Math::max);
  }

  /** Returns how long threads were held up in log calls, and how many, as a clause. */
  String heldUp() {
    return heldAtOnce() == 0
        ? "no thread was held up"
        : "threads stood in log calls for %s thread-seconds, up to %s at once"
            .formatted(Format.number(heldSeconds()), Format.number(heldAtOnce()));
  }

  /** Returns the processors that the whole JVM used while the load ran, on average. */
  public double processors() {
    return cpuBySecond.stream().mapToDouble(Double::doubleValue).average().orElse(0);
  }

  /**
   * When the rotation happened, in seconds since the load began, as seen by watching the directory;
   * 0 for what was not seen.
   *
   * @param endSeconds when the archive was finished, which completes the rotation
   */
  public record Rotation(boolean seen, boolean complete, double startSeconds, double endSeconds) {

    /** Returns the seconds from the trigger to the finished archive; null if there is none. */
    public Double seconds() {
      return complete ? endSeconds - startSeconds : null;
    }
  }
}
