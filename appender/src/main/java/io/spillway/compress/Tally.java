package io.spillway.compress;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts for {@link io.spillway.metrics.ArchiveMetrics}. Written by the worker, read by anybody.
 */
final class Tally {
  final AtomicLong archived = new AtomicLong();
  final AtomicLong archivedBytes = new AtomicLong();
  final AtomicLong archiveBytes = new AtomicLong();
  final AtomicLong failures = new AtomicLong();
  final AtomicLong pieces = new AtomicLong();
  final AtomicLong lastArchiveNanos = new AtomicLong();

  void archived(long rawBytes, long bytes, long nanos) {
    archivedBytes.addAndGet(rawBytes);
    archiveBytes.addAndGet(bytes);
    lastArchiveNanos.set(nanos);
    archived.incrementAndGet();
  }
}
