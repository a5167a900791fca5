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
 * What was asked of a run.
 *
 * @param threads application threads
 * @param virtualThreads whether those are virtual
 * @param eventsPerSecond in total, over all threads; {@link #CLOSED_LOOP} for as many as they can
 * @param messageBytes of each event's text at least, or 0 for its natural length
 * @param rotation false to keep the limit out of reach: the same load, to compare with
 * @param rotations how many the load goes on for; more than one for sustained rollovers
 * @param extras what events carry besides their message
 * @param warmUpSeconds of load before anything is measured
 * @param aroundSeconds of measured load before the rotation is due, and again after it
 * @param heap of each forked JVM, as for {@code -Xmx}
 * @param repeats how often the trials are gone through
 * @param limits what a subject may do at most
 * @param keep whether log files and recordings stay
 * @param out the directory that gets one directory a run
 * @param deadline after which a forked JVM that says nothing is taken to hang, or null for a
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

  /** Every thread logs again as soon as its last call has returned. */
  public static final double CLOSED_LOOP = Double.POSITIVE_INFINITY;

  /** Whether no call has a time of its own. */
  public boolean closedLoop() {
    return eventsPerSecond == CLOSED_LOOP;
  }

  /** For the report. */
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
