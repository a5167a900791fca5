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
 * The options of a run.
 *
 * @param threads the number of application threads
 * @param virtualThreads whether application threads are virtual
 * @param eventsPerSecond the rate of all threads together; {@link #CLOSED_LOOP} for a closed loop
 * @param messageBytes the least size of an event's text, or 0 for its natural length
 * @param rotation false to keep the limit out of reach: the same load, for comparison
 * @param rotations the number of rotations; more than one for sustained rollovers
 * @param extras what events carry besides their message
 * @param warmUpSeconds seconds of load before anything is measured
 * @param aroundSeconds seconds of measured load before the rotation is due, and again after it
 * @param heap the heap of each forked JVM, as for {@code -Xmx}
 * @param repeats how often each trial runs
 * @param limits the limits for subjects
 * @param keep whether log files and recordings are kept
 * @param out the directory in which each run creates a directory
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

  /** Rate of a closed loop: every thread logs again as soon as its last call has returned. */
  public static final double CLOSED_LOOP = Double.POSITIVE_INFINITY;

  /** Returns whether the load is a closed loop, in which calls have no due time. */
  public boolean closedLoop() {
    return eventsPerSecond == CLOSED_LOOP;
  }

  /**
   * Suggests a load that makes enough calls for a percentile, with a fifth to spare.
   *
   * @param calls the calls that were made, of all of the load or of one part of it
   * @param least the calls that the percentile needs
   * @param rotation whether they were made in the rotation, which a longer load does not lengthen
   * @return such as {@code --rate 600/s or --duration 12}; empty if no factor is known, as in a
   *     closed loop
   */
  public String moreCalls(long calls, long least, boolean rotation) {
    if (closedLoop() || calls <= 0 || calls >= least) {
      return "";
    }
    double factor = 1.2 * least / calls;
    String rate = String.format(Locale.ROOT, "--rate %.0f/s", Math.ceil(eventsPerSecond * factor));
    return rotation
        ? rate
        : String.format(
            Locale.ROOT, "%s or --duration %.0f", rate, Math.ceil(aroundSeconds * factor));
  }

  /** Returns the options for the report, by name. */
  Map<String, Object> asMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("threads", threads);
    map.put("virtualThreads", virtualThreads);
    map.put("eventsPerSecond", closedLoop() ? "max" : eventsPerSecond);
    map.put("messageBytes", messageBytes);
    map.put("rotation", rotation);
    map.put("rotations", rotations);
    map.put("extras", extras.stream().map(extra -> extra.name().toLowerCase(Locale.ROOT)).toList());
    map.put("warmUpSeconds", warmUpSeconds);
    map.put("aroundSeconds", aroundSeconds);
    map.put("heap", heap);
    map.put("repeats", repeats);
    map.put("maxParkMillisPerMinute", limits.parkMillisPerMinute());
    map.put("maxLost", limits.lost());
    map.put("maxP999Millis", limits.p999Millis());
    map.put("maxStoppedPercent", limits.stoppedPercent());
    map.put("keep", keep);
    map.put("out", out.toString());
    return map;
  }
}
