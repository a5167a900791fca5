package io.spillway.internal.flow;

import io.spillway.internal.disk.Failures;
import io.spillway.internal.metrics.Counters.Count;
import io.spillway.internal.metrics.FlightEvents;
import io.spillway.internal.spill.SpillListener;
import io.spillway.metrics.LossCause;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Counts what happens in the spill, then reports it. Called under the lock, but for {@code failed}
 * and {@code succeeded}.
 */
public final class SpillReports extends SpillListener {
  private final Tell tell;
  private FlightEvents.Span episode; // null: the spill was empty at the last look
  private long episodeEvents;
  private long episodeBytes;

  public SpillReports(Tell tell) {
    this.tell = tell;
  }

  /** Counts a batch that was appended; the first after the spill was empty begins an episode. */
  void appended(int events, int bytes) {
    tell.counters().add(Count.SPILLED, events);
    if (episode == null) {
      episode = tell.flightEvents().spill();
      episodeEvents = 0;
      episodeBytes = 0;
      tell.counters().add(Count.SPILL_EPISODES, 1);
      tell.reports().info("spill", "The sink is behind, events go to the spill.");
    }
    episodeEvents += events;
    episodeBytes += bytes;
  }

  /** Ends an episode: the spill is empty, or is closed. */
  void over(boolean emptied) {
    if (episode != null) {
      episode.spilled(episodeEvents, episodeBytes, emptied);
      episode = null;
      if (emptied) {
        tell.reports()
            .info("spill.over", "The spill is empty again, after " + episodeEvents + " events.");
      }
    }
  }

  @Override
  public void leftoversFound(int segments, long bytes) {
    tell.reports()
        .info(
            "An earlier run left %s bytes in %s spill segments; they are delivered first."
                .formatted(bytes, segments));
  }

  @Override
  public void recordsLost(long events, Path segment, String why, boolean leftover) {
    tell.counters().lost(LossCause.SPILL_DAMAGED, events, leftover);
    String message =
        "Spill segment [%s] is damaged (%s): %s events or more are lost (SPILL_DAMAGED). To do: %s."
            .formatted(segment, why, events, LossCause.SPILL_DAMAGED.remedy());
    if (leftover) { // no setting is wrong, and an ERROR ends the start of a Spring Boot application
      tell.reports().warn("spill.damage", message);
    } else {
      tell.reports().error("spill.damage", message, null);
    }
  }

  @Override
  public void evicted(long events, boolean leftover) {
    tell.counters().lost(LossCause.EVICTED, events, leftover);
    tell.reports()
        .warn(
            "spill.evicted",
            "whenFull=DROP_OLDEST: the oldest events of the spill are dropped (EVICTED). To do: "
                + LossCause.EVICTED.remedy()
                + ".");
  }

  @Override
  public void failed(String operation, Path path, IOException cause) {
    tell.counters().add(Count.SPILL_FAILURES, 1);
    tell.reports()
        .warn( // it may pass, and an ERROR status ends the start of a Spring Boot application
            "spill.io." + operation, // a topic for each kind of failure, so that none hides another
            "Cannot %s [%s]: %s. Events stay in the ring, and it is tried again. To do: %s."
                .formatted(
                    operation, path, Failures.reason(cause, path), Failures.remedy(cause, path)));
  }

  @Override
  public void succeeded(String operation) {
    tell.reports().over("spill.io." + operation, "The spill works again (" + operation + ").");
  }

  @Override
  public void warning(String topic, String message) {
    tell.reports().warn("spill.warning." + topic, message);
  }
}
