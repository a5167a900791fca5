package io.spillway.stress.report;

/**
 * The log calls that ended in one second of the load.
 *
 * @param second since the load began
 * @param calls how many
 * @param serviceMaxMicros the slowest
 * @param serviceP999Micros their 99.9th percentile
 * @param responseMaxMicros the latest
 */
public record SecondFigures(
    int second,
    long calls,
    double serviceMaxMicros,
    double serviceP999Micros,
    double responseMaxMicros) {}
