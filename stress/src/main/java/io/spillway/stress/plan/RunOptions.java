package io.spillway.stress.plan;

import io.spillway.stress.load.LoadSpec;
import io.spillway.stress.report.Judge;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The options of a run. The help of the command line explains those that are not explained here.
 *
 * @param messageBytes the least size of an event's text, or 0 for its natural length
 * @param rotation false to keep the limit out of reach: the same load, for comparison
 * @param warmUpSeconds seconds of load before anything is measured
 * @param aroundSeconds seconds of measured load before the rotation is due, and again after it
 * @param deadline the time without output after which a forked JVM counts as hung, or null for a
 *     generous estimate
 */
public record RunOptions(
    int threads,
    boolean virtualThreads,
    double eventsPerSecond,
    int messageBytes,
    boolean rotation,
    int rotations,
    Set<LoadSpec.Extra> extras,
    double warmUpSeconds,
    double aroundSeconds,
    String heap,
    int repeats,
    Judge.Limits limits,
    boolean keep,
    Path out,
    Duration deadline) {

  private static final long ENOUGH_CALLS = 1_000;

  /** Returns the approximate seconds from the start of the load until the rotation is due. */
  double leadSeconds() {
    return warmUpSeconds + aroundSeconds;
  }

  /** Returns the number of rotations, 0 without a rotation. */
  int rotationsDue() {
    return rotation ? rotations : 0;
  }

  /**
   * Suggests a load that makes enough calls for the 99.9th percentile, with a fifth to spare; empty
   * if the calls that were made are enough, or none.
   */
  String moreCalls(long calls) {
    if (calls <= 0 || calls >= ENOUGH_CALLS) {
      return "";
    }
    double factor = 1.2 * ENOUGH_CALLS / calls;
    return String.format(
        Locale.ROOT,
        "--rate %.0f/s or --duration %.0f",
        Math.ceil(eventsPerSecond * factor),
        Math.ceil(aroundSeconds * factor));
  }

  /** Returns the options for the report, by name. */
  Map<String, Object> asMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("threads", threads);
    map.put("virtualThreads", virtualThreads);
    map.put("eventsPerSecond", eventsPerSecond);
    map.put("messageBytes", messageBytes);
    map.put("rotation", rotation);
    map.put("rotations", rotations);
    map.put("extras", extras.stream().map(extra -> extra.name().toLowerCase(Locale.ROOT)).toList());
    map.put("warmUpSeconds", warmUpSeconds);
    map.put("aroundSeconds", aroundSeconds);
    map.put("heap", heap);
    map.put("repeats", repeats);
    map.put("maxHeldSecondsPerMinute", limits.heldSecondsPerMinute());
    map.put("maxP999Millis", limits.p999Millis());
    map.put("maxLost", limits.lost());
    map.put("keep", keep);
    map.put("out", out.toString());
    return map;
  }
}
