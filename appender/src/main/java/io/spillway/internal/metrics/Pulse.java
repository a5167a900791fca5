package io.spillway.internal.metrics;

import io.spillway.metrics.LossCause;
import java.util.EnumSet;
import java.util.Set;

/**
 * Work that the drainer does for the metrics between two batches, so that publishers need not: it
 * notes when events were accepted and, at most ten times a second, which losses go on. Losses are
 * found by comparing counts, since a publisher that drops an event may do no more than count it.
 * Any thread but a publisher may query.
 */
public final class Pulse {
  /** How long after its last event a loss counts as going on. */
  static final long RECENT_NANOS = 10_000_000_000L;

  private static final long LOOK_NANOS = 100_000_000L;
  private static final LossCause[] CAUSES = LossCause.values();

  private final Counters counters;
  private final PendingAge age = new PendingAge();
  private final EpisodeReports episodes;
  private long lastAccepted; // used by the drainer only, as is the next
  private long lookedNanos = System.nanoTime();
  private final long[] seen = new long[CAUSES.length]; // guarded by this, as all below
  private final long[] recorded = new long[CAUSES.length];
  private final long[][] levels = new long[CAUSES.length][Counters.LEVELS.size()]; // as recorded
  private final long[] grewNanos = new long[CAUSES.length]; // when the counts in seen last grew

  /**
   * Creates the pulse of one appender.
   *
   * @param counters the counters of the appender, from zero on
   * @param episodes checked for due reports at the same interval
   */
  public Pulse(Counters counters, EpisodeReports episodes) {
    this.counters = counters;
    this.episodes = episodes;
  }

  /**
   * Called by the drainer at every step; costs one reading of the clock.
   *
   * @param accepted events that entered the ring so far
   * @param settled how many of the first of them are no longer pending
   */
  public void beat(long accepted, long settled) {
    long now = System.nanoTime();
    if (accepted != lastAccepted) {
      lastAccepted = accepted;
      age.mark(accepted, settled, now);
    }
    if (now - lookedNanos >= LOOK_NANOS) {
      lookedNanos = now;
      record(now);
      episodes.look(now);
    }
  }

  /** Records what was lost by the stop; called after the appender has stopped. */
  public void end() {
    record(System.nanoTime());
  }

  private void look(long nowNanos) {
    for (LossCause cause : CAUSES) {
      long count = counters.count(cause);
      if (count > seen[cause.ordinal()]) {
        seen[cause.ordinal()] = count;
        grewNanos[cause.ordinal()] = nowNanos;
      }
    }
  }

  /** Passes new losses to the flight recorder. */
  private synchronized void record(long nowNanos) {
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
   * Returns the causes of events that were lost in the last ten seconds.
   *
   * @param nowNanos on the clock of {@link System#nanoTime}
   * @return the causes; empty if nothing was lost
   */
  public synchronized Set<LossCause> losing(long nowNanos) {
    look(nowNanos);
    Set<LossCause> recent = EnumSet.noneOf(LossCause.class);
    for (LossCause cause : CAUSES) {
      int i = cause.ordinal();
      if (seen[i] > 0 && nowNanos - grewNanos[i] < RECENT_NANOS) {
        recent.add(cause);
      }
    }
    return recent;
  }

  PendingAge age() {
    return age;
  }
}
