package io.spillway.stress.report;

/**
 * Percentiles of one set of log calls, in microseconds.
 *
 * @param count how many calls
 * @param p50Micros median
 * @param p99Micros 99th percentile
 * @param p999Micros 99.9th percentile
 * @param maxMicros the worst
 */
public record Latency(
    long count, double p50Micros, double p99Micros, double p999Micros, double maxMicros) {}
