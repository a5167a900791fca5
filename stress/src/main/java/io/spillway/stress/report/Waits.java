package io.spillway.stress.report;

import java.util.List;
import java.util.Map;

/**
 * What the flight recording tells about a trial: the waits of application threads inside logging
 * that ended after the warm-up, and what kept processors busy. It names causes and decides nothing.
 *
 * @param eventsByKind count by JFR event name
 * @param byFrame waits by the innermost frame that is no means of waiting, the costliest first
 * @param executed processor time by frame, the costliest first
 * @param collections frames that asked for collections of the whole heap, and how long those took
 * @param pauseSeconds how long collections stopped all threads
 * @param complete false if the recording lost data, so that waits may be missing
 */
public record Waits(
    Map<String, Long> eventsByKind,
    Map<String, Double> threadSecondsByKind,
    List<Frame> byFrame,
    List<Frame> executed,
    List<Frame> collections,
    double pauseSeconds,
    boolean complete) {

  /**
   * Time under one frame of the stacks, summed over threads.
   *
   * @param frame class and method
   * @param events number of waits or samples
   */
  public record Frame(String frame, long events, double threadSeconds) {

    /** Returns the sum with the figures of another frame. */
    public Frame plus(Frame other) {
      return new Frame(frame, events + other.events, threadSeconds + other.threadSeconds);
    }
  }
}
