package io.spillway.stress.report;

import java.util.List;

/**
 * What the forked JVM reports of itself when it ends well.
 *
 * @param sentByThread log calls made by each application thread; the last entry is the warm-up
 *     thread's
 * @param threw log calls that threw
 * @param firstThrown the first exception thrown by a log call, or null
 * @param interrupted log calls after which their thread was interrupted
 * @param loadStartEpochNanos wall clock at which the load began
 * @param warmUpSeconds of that, at the beginning; nothing of it is judged
 * @param loadSeconds how long threads were sending
 * @param stopSeconds how long stopping the logging library took
 * @param cpuSeconds CPU time of the whole child process
 * @param cpuBySecond the same in each second of the load
 * @param cpuByThread the same of threads that are not the application's, the busiest first
 * @param callsDue log calls that were due before the load ended
 * @param callsMade those of them that were made, however late
 * @param inCalls what application threads did inside log calls
 * @param allocation of application threads inside log calls, or null if the JVM does not tell
 * @param disk what all files took
 * @param rotation when the file rotated
 * @param latency log-call latency
 * @param seconds the same, second by second
 * @param buffers how full the queues and spills of the appenders were, second by second
 * @param statusProblems the logging library's own warnings and errors, the first of them
 */
public record LoadFigures(
    List<Long> sentByThread,
    long threw,
    String firstThrown,
    long interrupted,
    long loadStartEpochNanos,
    double warmUpSeconds,
    double loadSeconds,
    double stopSeconds,
    double cpuSeconds,
    List<Double> cpuBySecond,
    List<ThreadCpu> cpuByThread,
    long callsDue,
    long callsMade,
    InCalls inCalls,
    Allocation allocation,
    Disk disk,
    Rotation rotation,
    Latency latency,
    List<Second> seconds,
    List<Buffer> buffers,
    List<String> statusProblems) {

  /**
   * What application threads allocated inside log calls, the boxing of their arguments included, as
   * the JVM counts it.
   *
   * @param bytes over the whole load
   * @param bytesPerCall on average
   */
  public record Allocation(long bytes, double bytesPerCall) {}

  /** How long the load was measured: after its warm-up. */
  public double measuredSeconds() {
    return loadSeconds - warmUpSeconds;
  }

  /** The most threads that were inside log calls after the warm-up, on average of a second. */
  long mostInCalls() {
    return Math.round(
        inCalls.threadSecondsBySecond().stream()
            .skip((long) Math.ceil(warmUpSeconds))
            .mapToDouble(Double::doubleValue)
            .max()
            .orElse(0));
  }

  /** Processor time of the JVM while the load ran. */
  public double loadCpuSeconds() {
    return cpuBySecond.stream().mapToDouble(Double::doubleValue).sum();
  }

  /**
   * Processor time of a thread, or of all threads of the same name but for a number at its end.
   *
   * @param thread its name
   * @param seconds that it took
   * @param frame in which it took most of that, or null if it never took much of a second
   */
  public record ThreadCpu(String thread, double seconds, String frame) {}

  /**
   * The time that application threads spent inside log calls after the warm-up, in thread-seconds,
   * on a processor and off it. The control is the same of the same threads while they put together
   * what they are about to log. Null where the JVM does not tell, as of virtual threads.
   *
   * @param threadSeconds inside log calls
   * @param onCpuSeconds of that, on a processor
   * @param offCpuSeconds of that, not on a processor: waiting for anything at all, or for a turn
   * @param controlOnCpuSeconds the control's time on a processor
   * @param controlOffCpuSeconds the control's time off it
   * @param threadSecondsBySecond inside log calls in each second since the load began, the warm-up
   *     included: so many threads were inside one on average
   * @param byFrame where threads were that were inside a log call for longer than a millisecond and
   *     in no wait that the flight recorder knows: samples, and the time that they stand for
   */
  public record InCalls(
      double threadSeconds,
      Double onCpuSeconds,
      Double offCpuSeconds,
      Double controlOnCpuSeconds,
      Double controlOffCpuSeconds,
      List<Double> threadSecondsBySecond,
      List<TrialResult.Parks.Frame> byFrame) {}

  /**
   * The lengths of all files of a trial together: log files, archives, finished or not, and spills.
   *
   * @param beforeBytes when the load began
   * @param peakBytes the most, by a look ten times a second
   * @param afterBytes when Logback had stopped
   * @param archiveBytes those of them that are compressed archives
   */
  public record Disk(long beforeBytes, long peakBytes, long afterBytes, long archiveBytes) {}

  /**
   * When the rotation happened, in seconds since the load began, as seen by watching the directory.
   *
   * @param seen whether a rotation began
   * @param complete whether its archive was finished
   * @param startSeconds when it began; 0 if not seen
   * @param reopenedSeconds when there was a new active file; 0 if there was none. What comes after
   *     is compression in the background
   * @param endSeconds when the archive was finished; 0 if it was not
   */
  public record Rotation(
      boolean seen,
      boolean complete,
      double startSeconds,
      double reopenedSeconds,
      double endSeconds) {

    /** From the trigger to the finished archive; null if it was not finished. */
    public Double seconds() {
      return complete ? endSeconds - startSeconds : null;
    }
  }

  /**
   * Percentiles of one set of log calls, in microseconds; null if the calls are too few for one.
   *
   * @param count how many calls
   * @param p50Micros median, of 2 calls or more
   * @param p99Micros 99th percentile, of 100 calls or more
   * @param p999Micros 99.9th percentile, of 1,000 calls or more
   * @param maxMicros the worst
   * @param curve the whole distribution, from the median up to the worst call; empty without calls
   */
  public record Calls(
      long count,
      Double p50Micros,
      Double p99Micros,
      Double p999Micros,
      double maxMicros,
      List<Point> curve) {

    /**
     * One point of the distribution.
     *
     * @param percentile of the calls, 0 to 100
     * @param micros took no longer than so many microseconds
     */
    public record Point(double percentile, double micros) {}
  }

  /**
   * Latency of the log calls of one trial. Service time runs from the call to its return; response
   * time from the moment at which the call was due, so that a stalled thread cannot hide the calls
   * it did not make.
   *
   * @param warmUpService calls that ended during the warm-up; kept apart from all others
   * @param outsideService calls before and after the rotation
   * @param rotationService calls that overlap the rotation
   * @param outsideResponse calls before and after the rotation
   * @param rotationResponse calls that overlap the rotation
   * @param service all calls after the warm-up
   * @param response all calls after the warm-up
   */
  public record Latency(
      Calls warmUpService,
      Calls outsideService,
      Calls rotationService,
      Calls outsideResponse,
      Calls rotationResponse,
      Calls service,
      Calls response) {

    /** The slowest log call after the warm-up. */
    public double worstCallMicros() {
      return Math.max(outsideService.maxMicros(), rotationService.maxMicros());
    }
  }

  /**
   * The log calls that ended in one second of the load.
   *
   * @param second since the load began
   * @param calls how many
   * @param serviceMaxMicros the slowest
   * @param serviceP999Micros their 99.9th percentile; null if they are too few
   * @param responseMaxMicros the latest
   * @param underWayMaxMicros by how much the latest of those that had not returned was late: a
   *     stall shows here while it lasts
   */
  public record Second(
      int second,
      long calls,
      double serviceMaxMicros,
      Double serviceP999Micros,
      double responseMaxMicros,
      double underWayMaxMicros) {

    /** Of all calls, those that had not returned included. */
    double latestMicros() {
      return Math.max(serviceMaxMicros, Math.max(responseMaxMicros, underWayMaxMicros));
    }
  }

  /**
   * How full one appender's buffers were in the course of the load. What an appender does not have
   * is null.
   *
   * @param appender its name in the configuration
   * @param type its class
   * @param queueCapacity events that its queue or ring holds
   * @param memoryCapacityBytes heap that its memory buffer may take
   * @param spillCapacityBytes disk that its spill may take
   * @param samples one at the start of the load, and one a second
   */
  public record Buffer(
      String appender,
      String type,
      long queueCapacity,
      Long memoryCapacityBytes,
      Long spillCapacityBytes,
      List<Sample> samples) {

    /**
     * What the buffers held at one moment.
     *
     * @param atSeconds since the load began
     * @param queuedEvents in the queue or ring
     * @param memoryBytes in the memory buffer
     * @param spillBytes on disk
     * @param archiveBacklogFiles rolled files that waited for compression, the one under way
     *     included
     */
    public record Sample(
        double atSeconds,
        long queuedEvents,
        Long memoryBytes,
        Long spillBytes,
        Long archiveBacklogFiles) {}
  }
}
