package io.spillway.internal.metrics;

import io.spillway.metrics.LossCause;
import java.util.Arrays;
import java.util.Locale;
import java.util.StringJoiner;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Log events about episodes of spilling and of loss that have ended, for those who read nothing but
 * the log ({@code reportEpisodes}). At most one in ten seconds, which then sums up. The drainer
 * publishes them like any other event, so each comes after the events that it is about.
 *
 * <p>They cannot go round in circles: an episode of no more events than reports published since the
 * last one may be nothing but these reports, spilled or lost, and is not reported.
 */
public final class EpisodeReports {
  private static final long QUIET_NANOS = Pulse.RECENT_NANOS;

  private final String appender;
  private final Counters counters;
  private final Predicate<String> publisher; // null if none are wanted

  private Spilled spilled = Spilled.NOTHING; // ended and not yet reported; under this

  // The drainer's.
  private static final LossCause[] CAUSES = LossCause.values();

  private long[] counts = new long[CAUSES.length]; // as seen by this look
  private long[] reportedLosses = counts;
  private long seenLost;
  private boolean losing;
  private long lossBeganNanos;
  private long lossGrewNanos;
  private boolean published;
  private long publishedNanos;
  private long ownSpilled; // as many of what comes may be reports
  private long ownLost;

  private record Spilled(long events, long nanos, long dropped) {
    private static final Spilled NOTHING = new Spilled(0, 0, 0);

    Spilled and(long moreEvents, long moreNanos, long moreDropped) {
      return new Spilled(events + moreEvents, nanos + moreNanos, dropped + moreDropped);
    }
  }

  /**
   * Nothing to report yet.
   *
   * @param appender its name
   * @param counters its counters, from their beginning
   * @param publisher puts a message into the ring, false if there is no room now; null if no
   *     reports are wanted
   */
  public EpisodeReports(String appender, Counters counters, Predicate<String> publisher) {
    this.appender = appender;
    this.counters = counters;
    this.publisher = publisher;
  }

  /**
   * The sink has caught up. By the deliverer.
   *
   * @param events that were spilled
   * @param nanos since the first of them
   * @param dropped events that made room, had waited too long, or were damaged, meanwhile
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
   * Reports what is due. By the drainer.
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
      return; // no room: later
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
