package io.spillway.stress.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Medians of a trial over its repeats, each figure on its own.
 *
 * @param name the trial
 * @param repeats how many of them gave figures
 * @param rotationSeconds from the trigger to the finished archive, of the repeats in which it was
 *     finished; null if it never was
 * @param threadsAtOnce the most threads waiting inside logging at the same moment
 * @param parkedThreadSeconds thread-seconds waited inside logging
 * @param worstCallMicros slowest log call
 * @param outsideP50Micros median log call outside the rotation
 * @param outsideP999Micros 99.9th percentile of the log calls outside the rotation
 * @param rotationP999Micros the same during the rotation
 * @param lost events lost
 * @param duplicated events duplicated
 * @param outOfOrder events out of order
 * @param torn torn lines
 */
public record Median(
    String name,
    int repeats,
    Double rotationSeconds,
    double threadsAtOnce,
    double parkedThreadSeconds,
    double worstCallMicros,
    double outsideP50Micros,
    double outsideP999Micros,
    double rotationP999Micros,
    double lost,
    double duplicated,
    double outOfOrder,
    double torn) {

  /** One entry for each trial, in the order of their first repeat. */
  public static List<Median> of(List<TrialResult> results) {
    Map<String, List<TrialResult>> byName = new LinkedHashMap<>();
    for (TrialResult result : results) {
      if (result.measured()) {
        byName.computeIfAbsent(result.name(), name -> new ArrayList<>()).add(result);
      }
    }
    List<Median> medians = new ArrayList<>();
    byName.forEach((name, repeats) -> medians.add(of(name, repeats)));
    return medians;
  }

  private static Median of(String name, List<TrialResult> repeats) {
    return new Median(
        name,
        repeats.size(),
        Figure.ROTATION.median(repeats),
        Figure.THREADS_PARKED.median(repeats),
        Figure.PARKED.median(repeats),
        Figure.WORST_CALL.median(repeats),
        Figure.P50_OUTSIDE.median(repeats),
        Figure.P999_OUTSIDE.median(repeats),
        Figure.P999_ROTATING.median(repeats),
        Figure.LOST.median(repeats),
        Figure.DUPLICATED.median(repeats),
        Figure.OUT_OF_ORDER.median(repeats),
        Figure.TORN.median(repeats));
  }
}
