package io.spillway.metrics;

import java.util.Map;
import java.util.Set;

/**
 * The figures of an appender, part by part, so that who asks for one pays for one; see {@link
 * Snapshot} for what they are.
 */
interface Reading {
  boolean started();

  Snapshot.Events events();

  Map<LossCause, Long> losses();

  Set<LossCause> losing();

  Snapshot.Blocked blocked();

  Snapshot.Fill ring();

  Snapshot.Fill memory();

  Snapshot.Fill spill();

  Snapshot.Spilling spilling();

  Snapshot.Sink sink();

  ArchiveMetrics archives();

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

  private long sum(boolean beforeAcceptance) {
    return losses().entrySet().stream()
        .filter(loss -> loss.getKey().beforeAcceptance() == beforeAcceptance)
        .mapToLong(Map.Entry::getValue)
        .sum();
  }
}
