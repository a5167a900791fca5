package io.spillway.stress.report;

import java.util.List;

/**
 * Stalls of the machine during a trial, measured by threads of the tester that only sleep: how much
 * later than due they woke up. The tester also sends the requests to a service. Seconds in which
 * the JVM of the trial itself took three quarters of the processors count as its own doing, and are
 * 0.
 *
 * @param maxMillis the worst, whatever the cause
 * @param lateMillisBySecond the worst of each second since the load began, the warm-up included
 */
public record Control(double maxMillis, List<Double> lateMillisBySecond) {

  /** A sleeper this late makes a second say nothing about response time. */
  private static final double LATE_SECONDS = 0.01;

  /** Returns whether the machine was late in a second, or in the one before. */
  public boolean isLate(int second) {
    return lateSeconds(second) >= LATE_SECONDS;
  }

  /**
   * Returns by how many seconds the machine was late at most in a second, or in the one before,
   * whose delay calls still make up for.
   */
  double lateSeconds(int second) {
    return Math.max(millis(second), millis(second - 1)) / 1_000;
  }

  private double millis(int second) {
    boolean known = second >= 0 && second < lateMillisBySecond.size();
    return known ? lateMillisBySecond.get(second) : 0;
  }
}
