package io.spillway;

import ch.qos.logback.classic.spi.ILoggingEvent;
import io.spillway.internal.flow.FlowConfig;
import io.spillway.internal.flow.Receipt;
import io.spillway.internal.flow.Tell;
import io.spillway.internal.metrics.Counters.Count;
import java.util.List;
import org.slf4j.Marker;

/**
 * Tells a program whether its log calls were acknowledged, as the setting {@code acknowledge}
 * requires. A log call itself never throws when it is not acknowledged.
 *
 * <pre>{@code
 * long received = Acknowledgement.received();
 * long missed = Acknowledgement.missed();
 * // the marker that acknowledgeMarker names; without this setting, none
 * audit.info(MarkerFactory.getMarker("ON_RECORD"), "transfer {} approved", id);
 * if (Acknowledgement.received() == received || Acknowledgement.missed() != missed) {
 *   throw new IllegalStateException("not on record");
 * }
 * }</pre>
 *
 * <p>Both counts are needed. An appender that is not attached to the logger, as after a stop of
 * Logback, within a reconfiguration, or when a wrong setting has kept it from starting, gets no log
 * call, and so counts none as missed. A received acknowledgement may belong to another event: to
 * that of another appender of the logger, or of an argument that logs in its {@code toString()}.
 * Give audit events arguments that log nothing: if the appender does not get the audit event, the
 * event that its argument logs may be the only one acknowledged.
 */
public final class Acknowledgement {
  private static final int RECEIVED = 0;
  private static final int MISSED = 1;

  private static final ThreadLocal<long[]> COUNTS = ThreadLocal.withInitial(() -> new long[2]);

  private final String marker; // name; null: log calls of every event wait
  private final FlowConfig config;
  private final Tell tell;
  private final String missed;

  private Acknowledgement(FlowConfig config, Tell tell) {
    marker = config.acknowledgeMarker().isEmpty() ? null : config.acknowledgeMarker();
    this.config = config;
    this.tell = tell;
    missed =
        "acknowledge="
            + config.acknowledge()
            + ": log calls returned without it, because it took longer than acknowledgeTimeout ("
            + config.acknowledgeNanos() / 1_000_000
            + " milliseconds), the spill did not take the event, or the event was dropped. Unless it"
            + " was dropped or lost, which is counted, it goes on its way. To do: see health() and"
            + " the disk of spillDirectory.";
  }

  /** Returns null if log calls do not wait. */
  static Acknowledgement of(FlowConfig config, Tell tell) {
    return config.acknowledge() == FlowConfig.Acknowledge.NONE
        ? null
        : new Acknowledgement(config, tell);
  }

  /**
   * Returns how many log calls of the calling thread have returned without the acknowledgement for
   * which they waited, of all appenders together.
   *
   * @return a count that only grows, by one for each appender that does not acknowledge a call
   */
  public static long missed() {
    return count(MISSED);
  }

  /**
   * Returns how many acknowledgements log calls of the calling thread have received, of all
   * appenders together.
   *
   * @return a count that only grows, by one for each appender that acknowledges a call
   */
  public static long received() {
    return count(RECEIVED);
  }

  private static long count(int which) {
    return COUNTS.get()[which];
  }

  /** Returns whether this event's log call waits; if a marker throws, it counts as missed. */
  boolean covers(Object event) {
    if (marker == null) {
      return true;
    }
    try {
      return event instanceof ILoggingEvent logging && isMarked(logging.getMarkerList());
    } catch (Throwable ofMarker) {
      tell.reports()
          .error(
              "acknowledge.marker",
              "A marker threw when it was asked whether it is acknowledgeMarker; its event is not"
                  + " acknowledged.",
              ofMarker);
      missedOne();
      return false;
    }
  }

  @SuppressWarnings("deprecation") // SLF4J deprecates references of markers and still has them
  private boolean isMarked(List<Marker> markers) {
    if (markers != null) {
      for (Marker each : markers) {
        if (each.contains(marker)) {
          return true;
        }
      }
    }
    return false;
  }

  /**
   * Waits for a published event to be acknowledged; one that is not published is missed at once.
   */
  void await(Receipt receipt, boolean published) {
    if (published && receipt.await(config.acknowledgeNanos())) {
      tell.counters().add(Count.ACKNOWLEDGED, 1);
      COUNTS.get()[RECEIVED]++;
    } else {
      missedOne();
    }
  }

  void missedOne() {
    tell.counters().add(Count.UNACKNOWLEDGED, 1);
    COUNTS.get()[MISSED]++;
    tell.reports().warn("acknowledge", missed);
  }
}
