package io.spillway.metrics;

import java.util.Map;
import java.util.Set;

/**
 * The figures of an appender, part by part, so that who asks for one pays for one; see {@link
 * Snapshot} for what they are.
 */
public interface Reading {
  /**
   * Whether the appender takes events.
   *
   * @return at this moment
   */
  boolean started();

  /**
   * Events by state.
   *
   * @return at this moment
   */
  Snapshot.Events events();

  /**
   * Events not delivered for one cause.
   *
   * @param cause why
   * @return events
   */
  default long loss(LossCause cause) {
    return losses().getOrDefault(cause, 0L);
  }

  /**
   * Events lost or dropped, by cause.
   *
   * @return at this moment
   */
  Map<LossCause, Long> losses();

  /**
   * Events that settings drop, by cause and level; see {@link LossCause#isByPolicy()}.
   *
   * @return at this moment
   */
  Map<LossCause, Map<String, Long>> lossesByLevel();

  /**
   * Events that settings drop, for one cause and level.
   *
   * @param cause why
   * @param level of the events
   * @return events
   */
  default long loss(LossCause cause, String level) {
    return lossesByLevel().getOrDefault(cause, Map.of()).getOrDefault(level, 0L);
  }

  /**
   * Causes for which events are being lost now.
   *
   * @return at this moment
   */
  Set<LossCause> losing();

  /**
   * Log calls that had to wait.
   *
   * @return at this moment
   */
  Snapshot.Blocked blocked();

  /**
   * Log calls that had to wait for their events to be written.
   *
   * @return at this moment
   */
  Snapshot.Acknowledged acknowledged();

  /**
   * Slots of the ring.
   *
   * @return at this moment
   */
  Snapshot.Fill ring();

  /**
   * Bytes of the memory buffer.
   *
   * @return at this moment
   */
  Snapshot.Fill memory();

  /**
   * Bytes of the spill.
   *
   * @return at this moment
   */
  Snapshot.Fill spill();

  /**
   * What the spill does.
   *
   * @return at this moment
   */
  Snapshot.Spilling spilling();

  /**
   * What the sink does.
   *
   * @return at this moment
   */
  Snapshot.Sink sink();

  /**
   * What the rolling policy archives.
   *
   * @return at this moment
   */
  ArchiveMetrics archives();

  /**
   * The appender's threads.
   *
   * @return at this moment
   */
  Snapshot.Workers workers();

  /**
   * Unexpected failures of the appender's threads.
   *
   * @return times
   */
  default long workerFailures() {
    return workers().failures();
  }

  /**
   * Accepted events that were lost, those of earlier runs included.
   *
   * @return events
   */
  default long lost() {
    return sum(false);
  }

  /**
   * Events refused before they were accepted.
   *
   * @return events
   */
  default long dropped() {
    return sum(true);
  }

  /**
   * Events that settings drop, those of earlier runs included.
   *
   * @return events
   */
  default long lostByPolicy() {
    return losses().entrySet().stream()
        .filter(loss -> loss.getKey().isByPolicy())
        .mapToLong(Map.Entry::getValue)
        .sum();
  }

  private long sum(boolean beforeAcceptance) {
    return losses().entrySet().stream()
        .filter(loss -> loss.getKey().beforeAcceptance() == beforeAcceptance)
        .mapToLong(Map.Entry::getValue)
        .sum();
  }
}
