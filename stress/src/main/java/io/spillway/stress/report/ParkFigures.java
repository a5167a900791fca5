package io.spillway.stress.report;

import java.util.List;
import java.util.Map;

/**
 * How application threads waited inside logging: parks, contended monitors, monitor waits and
 * sleeps.
 *
 * @param events how many waits
 * @param threadSeconds their sum over all threads
 * @param maxSeconds the longest
 * @param threadsAtOnce the most threads waiting at the same moment
 * @param eventsByKind count by JFR event name
 * @param threadSecondsByKind their sum by JFR event name
 * @param byFrame by the logging frame nearest to the wait, the costliest first
 * @param threadSecondsBySecond thread-seconds waited in each second since the load began
 * @param threadsAtOnceBySecond the most threads waiting at the same moment of each second
 * @param complete false if the recording itself lost data
 */
public record ParkFigures(
    long events,
    double threadSeconds,
    double maxSeconds,
    int threadsAtOnce,
    Map<String, Long> eventsByKind,
    Map<String, Double> threadSecondsByKind,
    List<Frame> byFrame,
    List<Double> threadSecondsBySecond,
    List<Integer> threadsAtOnceBySecond,
    boolean complete) {

  /**
   * Waits under one logging frame.
   *
   * @param frame class and method
   * @param events how many waits
   * @param threadSeconds their sum
   */
  public record Frame(String frame, long events, double threadSeconds) {}
}
