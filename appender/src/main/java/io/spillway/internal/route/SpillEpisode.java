package io.spillway.internal.route;

import io.spillway.internal.metrics.Counters;
import io.spillway.internal.metrics.EpisodeReports;
import io.spillway.internal.metrics.FlightLog;
import io.spillway.internal.metrics.Reports;
import io.spillway.metrics.LossCause;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Tells when spilling begins and ends. The drainer begins, the deliverer ends. A batch is counted
 * in one episode, exactly: ending closes the sum, and a batch that finds it closed begins the next
 * one, even if it has been delivered by then; the deliverer ends that one when it idles.
 */
final class SpillEpisode {
  private static final long CLOSED = Long.MIN_VALUE;

  private final Counters counters;
  private final Reports reports;
  private final EpisodeReports episodes;
  private final AtomicReference<Running> running = new AtomicReference<>();

  /** From its first batch to its end. */
  private static final class Running {
    private final long beganNanos = System.nanoTime();
    private final long droppedBefore;
    private final FlightLog.Span span;
    private final AtomicLong events = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();

    Running(FlightLog.Span span, long droppedBefore) {
      this.span = span;
      this.droppedBefore = droppedBefore;
    }

    boolean add(long more, long moreBytes) {
      bytes.addAndGet(moreBytes); // first: who sees the events sees their bytes
      long sum = events.get();
      while (sum != CLOSED && !events.compareAndSet(sum, sum + more)) {
        sum = events.get();
      }
      return sum != CLOSED;
    }
  }

  /** Loads what the first episode needs. */
  static void rehearse() {
    new Running(null, 0).add(0, 0);
  }

  SpillEpisode(Counters counters, Reports reports, EpisodeReports episodes) {
    this.counters = counters;
    this.reports = reports;
    this.episodes = episodes;
  }

  /** By the drainer: a batch is in the spill. */
  void spilled(long events, long bytes) {
    Running now = running.get();
    if (now == null || !now.add(events, bytes)) {
      now = new Running(counters.flightLog().beginSpillEpisode(), dropped());
      now.add(events, bytes);
      counters.spillEpisode();
      reports.info(
          "spill.begin", "The sink is behind and the memory buffer is full: spilling to disk.");
      running.set(now); // last: or its end could be told first
    }
  }

  /** Whether the sink is behind. */
  boolean runs() {
    return running.get() != null;
  }

  /** By the deliverer: nothing is left in the spill. */
  void end() {
    Running ended = running.get() == null ? null : running.getAndSet(null);
    if (ended != null) {
      long events = close(ended, true);
      long nanos = System.nanoTime() - ended.beganNanos;
      long dropped = dropped() - ended.droppedBefore;
      reports.over(
          "spill.begin",
          "The sink has caught up: "
              + events
              + " events went through the spill in "
              + nanos / 1_000_000
              + (dropped == 0
                  ? " ms, none of them lost by it."
                  : " ms; meanwhile "
                      + dropped
                      + " events were lost or dropped in it (EVICTED, EXPIRED or SPILL_DAMAGED)."));
      episodes.spillEnded(events, nanos, dropped);
    }
  }

  private long dropped() {
    return counters.count(LossCause.EVICTED)
        + counters.count(LossCause.EXPIRED)
        + counters.count(LossCause.SPILL_DAMAGED);
  }

  /** The appender stops, with events left in the spill, and some more saved to it. */
  void cutShort(long saved, long savedBytes) {
    Running ended = running.getAndSet(null);
    if (ended != null) {
      ended.add(saved, savedBytes);
      close(ended, false);
    }
  }

  private long close(Running ended, boolean emptied) {
    long events = ended.events.getAndSet(CLOSED);
    counters.flightLog().endSpillEpisode(ended.span, events, ended.bytes.get(), emptied);
    return events;
  }
}
