package io.spillway.stress.report;

/**
 * Latency of one trial after its warm-up, in microseconds: in the rotation, which a call or request
 * is in if it overlaps it, before and after it, and over the whole load. Response time runs from
 * the moment at which a call was due, so that the delay of calls that a stalled thread makes late
 * is counted; for a service it is that of requests.
 */
public record Latency(
    Times responseOutside,
    Times responseRotating,
    Times responseWhole,
    Times callOutside,
    Times callRotating) {

  /**
   * Percentiles of one set of times. A percentile is null if the times are too few for it: 2 for
   * the median, 100 for the 99th percentile, 1,000 for the 99.9th.
   *
   * @param onTimeP999Micros 99.9th percentile without the seconds in which the control was late
   */
  public record Times(
      long count,
      Double p50Micros,
      Double p99Micros,
      Double p999Micros,
      Double onTimeP999Micros,
      double maxMicros) {}
}
