package io.spillway.stress.report;

import java.util.List;

/**
 * Stalls of the machine during a trial, measured by a thread of another process that only sleeps:
 * how much later than due it woke up. Seconds in which the JVM of the trial itself took three
 * quarters of the processors count as its own doing, and are 0.
 *
 * @param maxMillis the worst, whatever the cause
 * @param lateMillisBySecond the worst of each second since the load began, the warm-up included
 */
public record Control(double maxMillis, List<Double> lateMillisBySecond) {

  /** A sleeper this late, in milliseconds, makes a second say nothing about an appender. */
  public static final double LATE_MILLIS = 10;

  /**
   * Returns whether the machine was late in a second, or in the one before, whose delays calls
   * still make up for.
   */
  public boolean isLate(int second) {
    return isOver(second) || isOver(second - 1);
  }

  private boolean isOver(int second) {
    return second >= 0
        && second < lateMillisBySecond.size()
        && lateMillisBySecond.get(second) >= LATE_MILLIS;
  }
}
