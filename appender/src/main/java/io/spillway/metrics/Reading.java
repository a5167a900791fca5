package io.spillway.metrics;

import java.util.Map;
import java.util.Set;

/**
 * The figures of an appender, part by part, so that a caller pays only for the parts that it reads.
 * {@link Snapshot} describes the figures.
 */
public interface Reading {
  /**
   * Returns whether the appender takes events.
   *
   * @return the current state
   */
  boolean started();

  /**
   * Returns the numbers of events by state.
   *
   * @return the current figures
   */
  Snapshot.Events events();

  /**
   * Returns how many events were not delivered for one cause.
   *
   * @param cause why
   * @return the number of events
   */
  default long loss(LossCause cause) {
    return losses().getOrDefault(cause, 0L);
  }

  /**
   * Returns how many events were lost or dropped, by cause.
   *
   * @return the current figures
   */
  Map<LossCause, Long> losses();

  /**
   * Returns how many events were dropped as settings require, by cause and level; see {@link
   * LossCause#isByPolicy()}.
   *
   * @return the current figures
   */
  Map<LossCause, Map<String, Long>> lossesByLevel();

  /**
   * Returns how many events of one level were dropped for one cause that settings choose.
   *
   * @param cause why
   * @param level of the events, in upper case
   * @return the number of events; 0 for a cause or a level that {@link #lossesByLevel} does not
   *     have
   */
  default long loss(LossCause cause, String level) {
    return lossesByLevel().getOrDefault(cause, Map.of()).getOrDefault(level, 0L);
  }

  /**
   * Returns the causes for which events are being lost now.
   *
   * @return the causes of the last ten seconds
   */
  Set<LossCause> losing();

  /**
   * Returns the figures of log calls that had to wait for room in the ring.
   *
   * @return the current figures
   */
  Snapshot.Blocked blocked();

  /**
   * Returns the figures of log calls that had to wait for their events to be written.
   *
   * @return the current figures
   */
  Snapshot.Acknowledged acknowledged();

  /**
   * Returns how many slots the ring has, and how many are in use.
   *
   * @return the current figures
   */
  Snapshot.Fill ring();

  /**
   * Returns the size of the memory buffer and of its content, in bytes.
   *
   * @return the current figures
   */
  Snapshot.Fill memory();

  /**
   * Returns the bound of the spill and the size of its content, in bytes.
   *
   * @return the current figures
   */
  Snapshot.Fill spill();

  /**
   * Returns the state and the figures of the spill.
   *
   * @return the current figures
   */
  Snapshot.Spilling spilling();

  /**
   * Returns the state and the figures of the sink.
   *
   * @return the current figures
   */
  Snapshot.Sink sink();

  /**
   * Returns the figures of the rolling policy's compressor.
   *
   * @return the current figures
   */
  ArchiveMetrics archives();

  /**
   * Returns the state and the figures of the appender's threads.
   *
   * @return the current figures
   */
  Snapshot.Workers workers();

  /**
   * Returns how often a thread of the appender has failed unexpectedly.
   *
   * @return the number of failures
   */
  default long workerFailures() {
    return workers().failures();
  }

  /**
   * Returns how many accepted events were lost, events of earlier runs included.
   *
   * @return the number of events
   */
  default long lost() {
    return sum(false);
  }

  /**
   * Returns how many events were refused before they were accepted.
   *
   * @return the number of events
   */
  default long dropped() {
    return sum(true);
  }

  /**
   * Returns how many events were dropped as settings require, events of earlier runs included.
   *
   * @return the number of events
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
