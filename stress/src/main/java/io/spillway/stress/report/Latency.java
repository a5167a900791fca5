package io.spillway.stress.report;

/**
 * Latency of one trial after its warm-up, in microseconds. A call or request is in the rotation if
 * it overlaps it. Response time runs from the moment at which it was due, so that the delay of
 * calls that a stalled thread makes late is counted; for a service it is that of requests.
 *
 * @param responseOutside response time before and after the rotation
 * @param responseRotating response time in the rotation
 * @param responseWhole response time over the whole load
 * @param callOutside from log call to return, before and after the rotation
 * @param callRotating from log call to return, in the rotation
 */
public record Latency(
    Times responseOutside,
    Times responseRotating,
    Times responseWhole,
    Times callOutside,
    Times callRotating) {

  /**
   * Percentiles of one set of times; a percentile is null if the times are too few for it.
   *
   * @param count their number
   * @param p50Micros median, of 2 or more
   * @param p99Micros 99th percentile, of 100 or more
   * @param p999Micros 99.9th percentile, of 1,000 or more
   * @param onTimeP999Micros 99.9th percentile without the seconds in which the control was late
   * @param maxMicros the longest
   */
  public record Times(
      long count,
      Double p50Micros,
      Double p99Micros,
      Double p999Micros,
      Double onTimeP999Micros,
      double maxMicros) {}
}
