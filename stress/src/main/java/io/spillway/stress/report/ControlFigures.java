package io.spillway.stress.report;

import java.util.List;

/**
 * What the machine itself stalled during a trial, seen by a thread of another process that only
 * sleeps: how much later than asked it woke up, in microseconds, corrected for coordinated
 * omission.
 *
 * @param p50Micros median
 * @param p999Micros 99.9th percentile
 * @param maxMicros the worst
 * @param maxMicrosBySecond the worst of each second since the load began
 */
public record ControlFigures(
    double p50Micros, double p999Micros, double maxMicros, List<Double> maxMicrosBySecond) {}
