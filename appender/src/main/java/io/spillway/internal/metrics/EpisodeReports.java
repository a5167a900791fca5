package io.spillway.internal.metrics;

import io.spillway.metrics.LossCause;
import java.util.Arrays;
import java.util.Locale;
import java.util.StringJoiner;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Logs events about ended episodes of spilling and of loss, for operators who read only the log
 * ({@code reportEpisodes}). Logs at most one in ten seconds, which may sum up several episodes. The
 * drainer publishes these reports like any other event, so each comes after the events that it is
 * about.
 *
 * <p>Reports cannot cause reports without end: an episode of no more events than reports published
 * since the last one may consist of these reports alone, spilled or lost, and is not reported.
 */
public final class EpisodeReports {
  private static final long QUIET_NANOS = Pulse.RECENT_NANOS;

  private final String appender;
  private final Counters counters;
  private final Predicate<String> publisher; // null if no reports are wanted

  private Spilled spilled = Spilled.NOTHING; // ended and not yet reported; guarded by this

  // Used by the drainer only.
  private static final LossCause[] CAUSES = LossCause.values();

  private long[] counts = new long[CAUSES.length]; // at the last check
  private long[] reportedLosses = counts;
  private long seenLost;
  private boolean losing;
  private long lossBeganNanos;
  private long lossGrewNanos;
  private boolean published;
  private long publishedNanos;
  private long ownSpilled; // so many events of the next episode may be reports
  private long ownLost;

  private record Spilled(long events, long nanos, long dropped) {
    private static final Spilled NOTHING = new Spilled(0, 0, 0);

    Spilled and(long moreEvents, long moreNanos, long moreDropped) {
      return new Spilled(events + moreEvents, nanos + moreNanos, dropped + moreDropped);
    }
  }

  /**
   * Creates reports, with nothing to report yet.
   *
   * @param appender the name of the appender
   * @param counters the counters of the appender, from zero on
   * @param publisher puts a message into the ring, and returns false if there is no room now; null
   *     if no reports are wanted
   */
  public EpisodeReports(String appender, Counters counters, Predicate<String> publisher) {
    this.appender = appender;
    this.counters = counters;
    this.publisher = publisher;
  }

  /**
   * Records that the sink has caught up. Called by the deliverer.
   *
   * @param events how many events were spilled
   * @param nanos time since the first of them, in nanoseconds
   * @param dropped how many events were meanwhile evicted, expired or damaged
   */
  public synchronized void spillEnded(long events, long nanos, long dropped) {
    spilled = spilled.and(events, nanos, dropped);
  }

  private synchronized Spilled spilled() {
    return spilled;
  }

  private synchronized void reported(Spilled part) {
    spilled = spilled.and(-part.events, -part.nanos, -part.dropped);
  }

  /**
   * Reports what is due. Called by the drainer.
   *
   * @param nowNanos on a clock that never goes back
   */
  void look(long nowNanos) {
    if (publisher == null) {
      return;
    }
    lookForLosses(nowNanos);
    if (published && nowNanos - publishedNanos < QUIET_NANOS) {
      return;
    }
    Spilled ended = spilled();
    long losses = lossHasEnded(nowNanos) ? seenLost - sum(reportedLosses) : 0;
    if (ended.events + losses == 0) {
      return;
    }
    if (ended.events <= ownSpilled && losses <= ownLost) {
      ownSpilled -= ended.events;
      ownLost -= losses;
    } else if (publisher.test(text(ended, losses))) {
      published = true;
      publishedNanos = nowNanos;
      ownSpilled = 1;
      ownLost = 1;
    } else {
      return; // no room: the next call tries again
    }
    reported(ended);
    if (losses > 0) {
      losing = false;
      reportedLosses = counts;
    }
  }

  private void lookForLosses(long nowNanos) {
    long[] now = new long[CAUSES.length];
    for (LossCause cause : CAUSES) {
      now[cause.ordinal()] = counters.count(cause);
    }
    counts = now;
    long lost = sum(counts);
    if (lost > seenLost) {
      seenLost = lost;
      lossGrewNanos = nowNanos;
      lossBeganNanos = losing ? lossBeganNanos : nowNanos;
      losing = true;
    }
  }

  private boolean lossHasEnded(long nowNanos) {
    return losing && nowNanos - lossGrewNanos >= QUIET_NANOS;
  }

  private static long sum(long[] counts) {
    return Arrays.stream(counts).sum();
  }

  private String text(Spilled ended, long losses) {
    StringJoiner text = new StringJoiner(" ", "Spillway appender [" + appender + "]: ", "");
    if (ended.events > 0) {
      text.add(
          String.format(
              Locale.ROOT,
              "the sink was behind, %,d events went through the spill for %s%s.",
              ended.events,
              seconds(ended.nanos),
              ended.dropped == 0 ? ", none of them lost by it" : ""));
    }
    if (losses > 0) {
      text.add(
          String.format(
              Locale.ROOT,
              "%,d events were lost or refused within %s (%s).",
              losses,
              seconds(lossGrewNanos - lossBeganNanos),
              causes()));
    }
    return text.toString();
  }

  private StringJoiner causes() {
    StringJoiner causes = new StringJoiner(", ");
    for (LossCause cause : CAUSES) {
      long events = counts[cause.ordinal()] - reportedLosses[cause.ordinal()];
      if (events > 0) {
        causes.add(String.format(Locale.ROOT, "%s %,d", cause, events));
      }
    }
    return causes;
  }

  private static String seconds(long nanos) {
    return String.format(Locale.ROOT, "%.1f s", nanos / (double) TimeUnit.SECONDS.toNanos(1));
  }
}
