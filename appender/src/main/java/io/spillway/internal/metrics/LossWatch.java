package io.spillway.internal.metrics;

import io.spillway.metrics.LossCause;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/**
 * Which losses go on at this moment. Compares counts from time to time, since a publisher that
 * drops may do no more than count. Thread-safe; not for publishers.
 */
public final class LossWatch {
  /** How long after a loss it counts as going on. */
  public static final long RECENT_NANOS = 10_000_000_000L;

  private static final LossCause[] CAUSES = LossCause.values();

  private final Counters counters;
  private final long[] seen = new long[CAUSES.length];
  private final long[] recorded = new long[CAUSES.length];
  private final long[][] levels = new long[CAUSES.length][Counters.LEVELS.size()]; // recorded
  private final Map<LossCause, Long> grewNanos = new EnumMap<>(LossCause.class);

  /**
   * Watches.
   *
   * @param counters of one appender, from their beginning
   */
  public LossWatch(Counters counters) {
    this.counters = counters;
  }

  /**
   * Looks at the counts.
   *
   * @param nowNanos on a clock that never goes back
   */
  public synchronized void look(long nowNanos) {
    for (LossCause cause : CAUSES) {
      long count = counters.count(cause);
      if (count > seen[cause.ordinal()]) {
        seen[cause.ordinal()] = count;
        grewNanos.put(cause, nowNanos);
      }
    }
  }

  /**
   * Looks, and tells the flight recorder what is new. By one of Spillway's threads, or the one that
   * stops the appender.
   *
   * @param nowNanos on the clock of {@link #look}
   */
  public synchronized void record(long nowNanos) {
    look(nowNanos);
    for (LossCause cause : CAUSES) {
      long events = seen[cause.ordinal()] - recorded[cause.ordinal()];
      if (events > 0) {
        recorded[cause.ordinal()] += events;
        if (cause.isByPolicy()) {
          recordLevels(cause);
        } else {
          counters.flightLog().loss(cause, null, events);
        }
      }
    }
  }

  private void recordLevels(LossCause cause) {
    for (int level = 0; level < Counters.LEVELS.size(); level++) {
      long events = counters.count(cause, level) - levels[cause.ordinal()][level];
      if (events > 0) {
        levels[cause.ordinal()][level] += events;
        counters.flightLog().loss(cause, Counters.LEVELS.get(level), events);
      }
    }
  }

  /**
   * Looks, and says what was lost in the last {@link #RECENT_NANOS}.
   *
   * @param nowNanos on the clock of {@link #look}
   * @return causes
   */
  public synchronized Set<LossCause> recent(long nowNanos) {
    look(nowNanos);
    Set<LossCause> recent = EnumSet.noneOf(LossCause.class);
    for (Map.Entry<LossCause, Long> grew : grewNanos.entrySet()) {
      if (nowNanos - grew.getValue() < RECENT_NANOS) {
        recent.add(grew.getKey());
      }
    }
    return recent;
  }
}
