package io.spillway.stress.report;

/**
 * What application threads allocated inside log calls, the boxing of their arguments included, as
 * the JVM counts it.
 *
 * @param bytes over the whole load
 * @param bytesPerCall on average
 */
public record AllocationFigures(long bytes, double bytesPerCall) {}
