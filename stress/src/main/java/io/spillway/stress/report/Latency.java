package io.spillway.stress.report;

import java.util.List;

/**
 * Percentiles of one set of log calls, in microseconds.
 *
 * @param count how many calls
 * @param p50Micros median
 * @param p99Micros 99th percentile
 * @param p999Micros 99.9th percentile
 * @param maxMicros the worst
 * @param curve the whole distribution, from the median up to the worst call; empty without calls
 */
public record Latency(
    long count,
    double p50Micros,
    double p99Micros,
    double p999Micros,
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
