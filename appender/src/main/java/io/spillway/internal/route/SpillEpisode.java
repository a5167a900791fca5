package io.spillway.internal.route;

import io.spillway.internal.metrics.Counters;
import io.spillway.internal.metrics.EpisodeReports;
import io.spillway.internal.metrics.FlightLog;
import io.spillway.internal.metrics.Reports;
import io.spillway.metrics.LossCause;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Counts and reports episodes of spilling, which the drainer begins and the deliverer ends. A batch
 * is counted in exactly one episode: the end of an episode closes its sum, and a batch that finds
 * the sum closed begins the next one, even if the batch has been delivered by then; the deliverer
 * ends that episode when it idles.
 */
final class SpillEpisode {
  private static final long CLOSED = Long.MIN_VALUE;

  private final Counters counters;
  private final Reports reports;
  private final EpisodeReports episodes;
  private final AtomicReference<Running> running = new AtomicReference<>();

  /** One episode, from its first batch to its end. */
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
      bytes.addAndGet(moreBytes); // first: a thread that reads the events then reads their bytes
      long sum = events.get();
      while (sum != CLOSED && !events.compareAndSet(sum, sum + more)) {
        sum = events.get();
      }
      return sum != CLOSED;
    }
  }

  /** Loads classes for the first episode. */
  static void rehearse() {
    new Running(null, 0).add(0, 0);
  }

  SpillEpisode(Counters counters, Reports reports, EpisodeReports episodes) {
    this.counters = counters;
    this.reports = reports;
    this.episodes = episodes;
  }

  /** Counts a batch that is in the spill. Called by the drainer. */
  void spilled(long events, long bytes) {
    Running now = running.get();
    if (now == null || !now.add(events, bytes)) {
      now = new Running(counters.flightLog().beginSpillEpisode(), dropped());
      now.add(events, bytes);
      counters.spillEpisode();
      reports.info(
          "spill.begin", "The sink is behind and the memory buffer is full: spilling to disk.");
      running.set(now); // last: otherwise its end could be reported first
    }
  }

  /** Returns whether an episode runs, so that the sink is behind. */
  boolean runs() {
    return running.get() != null;
  }

  /** Ends the episode, when nothing is left in the spill. Called by the deliverer. */
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

  /** Ends the episode because the appender stops; the saved events are counted in it as well. */
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
