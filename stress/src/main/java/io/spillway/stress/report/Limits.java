package io.spillway.stress.report;

/**
 * What a configuration that is held to promises may do at most.
 *
 * @param parkMillis longest single wait of an application thread inside logging
 * @param lost events
 * @param p999Millis 99.9th percentile of log calls, in the rotation and outside it
 */
public record Limits(double parkMillis, long lost, double p999Millis) {}
