package io.spillway.stress.report;

import java.util.List;

/**
 * The figures that the forked JVM of a trial reports of itself when it ends normally.
 *
 * @param sentByThread log calls made by each application thread; the last entry is the warm-up
 *     thread's
 * @param threw log calls that threw
 * @param firstThrown the first exception thrown by a log call, or null
 * @param interrupted log calls after which their thread was interrupted
 * @param loadStartEpochNanos wall clock at which the load began
 * @param warmUpSeconds length of the warm-up at the beginning of the load, which is not judged
 * @param loadSeconds how long threads were sending, the warm-up included
 * @param stopSeconds how long stopping the logging library took
 * @param cpuSeconds CPU time of the whole child process
 * @param cpuBySecond its CPU time in each second of the load
 * @param cpuByThread CPU time of the threads that are not the application's, the busiest first
 * @param callsDue log calls that were due before the load ended
 * @param callsMade those of them that were made, however late
 * @param inCalls what application threads did inside log calls
 * @param allocation what application threads allocated inside log calls, or null if the JVM does
 *     not report allocation
 * @param disk the disk space that all files took
 * @param rotation when the file rotated
 * @param latency log-call latency over the load
 * @param seconds log-call latency, second by second
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
   * The bytes that application threads allocated inside log calls, the boxing of their arguments
   * included, as the JVM counts it.
   *
   * @param bytes the sum over the whole load
   * @param bytesPerCall the average per log call
   */
  public record Allocation(long bytes, double bytesPerCall) {}

  /** Returns how long the load was measured, in seconds: all of it after the warm-up. */
  public double measuredSeconds() {
    return loadSeconds - warmUpSeconds;
  }

  /** Returns the most threads inside log calls after the warm-up, each second averaged. */
  long mostInCalls() {
    return Math.round(
        inCalls.threadSecondsBySecond().stream()
            .skip((long) Math.ceil(warmUpSeconds))
            .mapToDouble(Double::doubleValue)
            .max()
            .orElse(0));
  }

  /** Returns the processor time of the JVM while the load ran, in seconds. */
  public double loadCpuSeconds() {
    return cpuBySecond.stream().mapToDouble(Double::doubleValue).sum();
  }

  /**
   * Processor time of a thread, or of all threads whose names differ only in a number at the end.
   *
   * @param thread the name
   * @param seconds the processor time
   * @param frame the frame under which most of the time was spent, or null if the thread never used
   *     much of a second
   */
  public record ThreadCpu(String thread, double seconds, String frame) {}

  /**
   * The time that application threads spent inside log calls after the warm-up, in thread-seconds,
   * on a processor and off it. The control is the time that the same threads spend putting together
   * what they are about to log. A figure is null where the JVM does not report it, as for virtual
   * threads.
   *
   * @param threadSeconds time inside log calls
   * @param onCpuSeconds the part of {@code threadSeconds} on a processor
   * @param offCpuSeconds the part of {@code threadSeconds} off the processor: waiting for anything,
   *     a processor included
   * @param controlOnCpuSeconds the control's time on a processor
   * @param controlOffCpuSeconds the control's time off the processor
   * @param threadSecondsBySecond time inside log calls in each second since the load began, the
   *     warm-up included; this is also the average number of threads inside a log call
   * @param byFrame frames of threads that were inside a log call for longer than a millisecond and
   *     in no wait that the flight recorder reported: samples, and the time that they represent
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
   * @param beforeBytes the sum when the load began
   * @param peakBytes the largest sum, sampled ten times a second
   * @param afterBytes the sum when Logback had stopped
   * @param archiveBytes the part of {@code afterBytes} in compressed archives
   */
  public record Disk(long beforeBytes, long peakBytes, long afterBytes, long archiveBytes) {}

  /**
   * When the rotation happened, in seconds since the load began, as seen by watching the directory.
   *
   * @param seen whether a rotation began
   * @param complete whether its archive was finished
   * @param startSeconds when the rotation began; 0 if none was seen
   * @param reopenedSeconds when there was a new active file; 0 if there was none. From then on
   *     compression runs in the background
   * @param endSeconds when the archive was finished; 0 if it was not
   */
  public record Rotation(
      boolean seen,
      boolean complete,
      double startSeconds,
      double reopenedSeconds,
      double endSeconds) {

    /** Returns the seconds from the trigger to the finished archive; null if there is none. */
    public Double seconds() {
      return complete ? endSeconds - startSeconds : null;
    }
  }

  /**
   * Percentiles of one set of log calls, in microseconds; a percentile is null if the calls are too
   * few for it.
   *
   * @param count number of calls
   * @param p50Micros median, of 2 calls or more
   * @param p99Micros 99th percentile, of 100 calls or more
   * @param p999Micros 99.9th percentile, of 1,000 calls or more
   * @param maxMicros the slowest call
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
     * @param percentile percentage of the calls, 0 to 100
     * @param micros the latency that so many calls did not exceed, in microseconds
     */
    public record Point(double percentile, double micros) {}
  }

  /**
   * Latency of the log calls of one trial. Service time runs from the call to its return; response
   * time runs from the moment at which the call was due, so that the delay of calls that a stalled
   * thread makes late is counted.
   *
   * @param warmUpService service time of calls that ended during the warm-up; no other field
   *     contains them
   * @param outsideService service time of calls before and after the rotation
   * @param rotationService service time of calls that overlap the rotation
   * @param outsideResponse response time of calls before and after the rotation
   * @param rotationResponse response time of calls that overlap the rotation
   * @param service service time of all calls after the warm-up
   * @param response response time of all calls after the warm-up
   */
  public record Latency(
      Calls warmUpService,
      Calls outsideService,
      Calls rotationService,
      Calls outsideResponse,
      Calls rotationResponse,
      Calls service,
      Calls response) {

    /** Returns the service time of the slowest log call after the warm-up. */
    public double worstCallMicros() {
      return Math.max(outsideService.maxMicros(), rotationService.maxMicros());
    }
  }

  /**
   * The log calls that ended in one second of the load.
   *
   * @param second index of the second since the load began
   * @param calls number of calls
   * @param serviceMaxMicros the longest service time
   * @param serviceP999Micros 99.9th percentile of the service times; null if the calls are too few
   * @param responseMaxMicros the longest response time
   * @param underWayMaxMicros the longest delay of a call that had not returned: a stall shows here
   *     while it lasts
   */
  public record Second(
      int second,
      long calls,
      double serviceMaxMicros,
      Double serviceP999Micros,
      double responseMaxMicros,
      double underWayMaxMicros) {

    /** Returns the longest delay of all calls, including calls that had not returned. */
    double latestMicros() {
      return Math.max(serviceMaxMicros, Math.max(responseMaxMicros, underWayMaxMicros));
    }
  }

  /**
   * The fill levels of one appender's buffers in the course of the load. The figure of a buffer
   * that the appender does not have is null.
   *
   * @param appender its name in the configuration
   * @param type its class
   * @param queueCapacity events that its queue or ring holds
   * @param spillCapacityBytes disk that its spill may take
   * @param samples one at the start of the load, and one a second
   */
  public record Buffer(
      String appender,
      String type,
      long queueCapacity,
      Long spillCapacityBytes,
      List<Sample> samples) {

    /**
     * The content of the buffers at one moment.
     *
     * @param atSeconds seconds since the load began
     * @param queuedEvents events in the queue or ring
     * @param spillBytes bytes in the spill on disk
     * @param archiveBacklogFiles rolled files that waited for compression or were being compressed
     */
    public record Sample(
        double atSeconds, long queuedEvents, Long spillBytes, Long archiveBacklogFiles) {}
  }
}
