package io.spillway.stress.report;

/**
 * What the JVM itself stopped, so that it is not blamed on an appender.
 *
 * @param collections garbage collections
 * @param totalPauseMillis sum of their pauses
 * @param maxPauseMillis the longest pause
 * @param maxTimeToSafepointMillis the longest wait for all threads to reach a safepoint
 */
public record PauseFigures(
    long collections,
    double totalPauseMillis,
    double maxPauseMillis,
    double maxTimeToSafepointMillis) {}
