package io.spillway.internal.metrics;

import java.util.function.LongSupplier;

/**
 * What the drainer does for the metrics between two batches, so that publishers need not: it notes
 * when events were accepted and, ten times a second at most, what was lost.
 */
public final class Pulse {
  private static final long LOOK_NANOS = 100_000_000L;

  private final LongSupplier settled;
  private final PendingAge age = new PendingAge();
  private final LossWatch losses;
  private final EpisodeReports episodes;
  private long lookedNanos = System.nanoTime();

  /**
   * Of one appender.
   *
   * @param counters its counters, from their beginning
   * @param episodes reported by the way
   */
  public Pulse(Counters counters, EpisodeReports episodes) {
    this.episodes = episodes;
    this.settled =
        new LongSupplier() {
          @Override
          public long getAsLong() {
            return counters.settled();
          }
        };
    this.losses = new LossWatch(counters);
  }

  /**
   * Called by the drainer at every step; costs a look at the clock.
   *
   * @param accepted events that entered the ring so far
   */
  public void beat(long accepted) {
    long now = System.nanoTime();
    age.mark(accepted, settled, now);
    if (now - lookedNanos >= LOOK_NANOS) {
      lookedNanos = now;
      losses.record(now);
      episodes.look(now);
    }
  }

  /** The appender has stopped: tells what was lost by that. */
  public void end() {
    losses.record(System.nanoTime());
  }

  PendingAge age() {
    return age;
  }

  LossWatch losses() {
    return losses;
  }
}
