package io.spillway.internal.metrics;

import io.spillway.metrics.LossCause;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Counts what happened to events, before it is reported.
 *
 * <p>Application threads count only drops, waits and acknowledgements: the number of accepted
 * events is the ring's own cursor, so a log call that finds room writes nothing here. Each other
 * count has one writer at a time, a worker, which adds once per batch. Any thread may read; a
 * reader may see a delivered count that is ahead of a lost count by one batch, never a total that
 * shrinks.
 */
public final class Counters {
  /** What is counted besides losses; DELIVERED is of this run, RECOVERED of earlier ones. */
  public enum Count {
    DELIVERED,
    RECOVERED,
    SPILLED,
    SPILL_EPISODES,
    SPILL_FAILURES,
    SINK_FAILURES,
    SINK_NANOS,
    WORKER_FAILURES,
    ROLLOVERS,
    BLOCKED_CALLS,
    BLOCKED_NANOS,
    ACKNOWLEDGED,
    UNACKNOWLEDGED
  }

  private static final LossCause[] CAUSES = LossCause.values();
  private static final long RECENT_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long GRAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final LongSupplier clock;
  private final Tally[] counts = tallies(Count.values().length);
  private final Tally[] losses = tallies(CAUSES.length);
  private final AtomicLong lostOfThisRun = new AtomicLong();
  private final long[] recorded = new long[CAUSES.length]; // under this

  public Counters() {
    this(System::nanoTime);
  }

  Counters(LongSupplier clock) {
    this.clock = clock;
  }

  private static Tally[] tallies(int length) {
    Tally[] tallies = new Tally[length];
    Arrays.setAll(tallies, i -> new Tally());
    return tallies;
  }

  /** A sum, and when it last grew. */
  private static final class Tally {
    private final AtomicLong sum = new AtomicLong();
    private volatile long grewNanos;

    /** The time first: a thread that sees the sum sees its time. */
    void add(long n, long now) {
      if (sum.get() == 0 || now - grewNanos > GRAIN_NANOS) { // threads that drop share this line
        grewNanos = now;
      }
      sum.addAndGet(n);
    }

    boolean isRecent(long now) {
      return sum.get() > 0 && now - grewNanos < RECENT_NANOS;
    }
  }

  /** Counts what is no loss; BLOCKED_NANOS and SINK_NANOS are added up as the time goes by. */
  public void add(Count count, long n) {
    counts[count.ordinal()].add(n, clock.getAsLong());
  }

  /** Counts an event that was refused; the cause is one before acceptance. */
  public void dropped(LossCause cause) {
    losses[cause.ordinal()].add(1, clock.getAsLong());
  }

  /** Counts accepted events that were lost; an earlier run had accepted leftovers. */
  public void lost(LossCause cause, long events, boolean leftover) {
    if (!leftover) {
      lostOfThisRun.addAndGet(events);
    }
    losses[cause.ordinal()].add(events, clock.getAsLong());
  }

  /** Counts events that the sink took. */
  public void delivered(long events, boolean leftover) {
    add(leftover ? Count.RECOVERED : Count.DELIVERED, events);
  }

  /**
   * Writes what was lost since the last call to a flight recording. For the spiller, about once a
   * second, and for the end of a stop: a log call that drops an event only counts it.
   */
  public synchronized void recordLosses(FlightEvents flight) {
    for (LossCause cause : CAUSES) {
      long lost = count(cause) - recorded[cause.ordinal()];
      if (lost > 0) {
        recorded[cause.ordinal()] += lost;
        flight.lost(cause, lost);
      }
    }
  }

  /** Returns how many accepted events of this run are delivered or lost, that is, not pending. */
  public long settled() {
    return count(Count.DELIVERED) + lostOfThisRun.get();
  }

  public long count(Count count) {
    return counts[count.ordinal()].sum.get();
  }

  /** Returns how many events were dropped or lost for one cause, leftovers included. */
  public long count(LossCause cause) {
    return losses[cause.ordinal()].sum.get();
  }

  /** Returns whether a count grew in the last ten seconds. */
  public boolean isRecent(Count count) {
    return counts[count.ordinal()].isRecent(clock.getAsLong());
  }

  /** Returns whether events were dropped or lost for one cause in the last ten seconds. */
  public boolean isRecent(LossCause cause) {
    return losses[cause.ordinal()].isRecent(clock.getAsLong());
  }
}
