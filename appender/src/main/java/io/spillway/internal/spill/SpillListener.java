package io.spillway.internal.spill;

import java.io.IOException;
import java.nio.file.Path;

/**
 * What is worth a counter or a status message, on the thread that met it. The callbacks do nothing;
 * an override must be quick and must not throw.
 *
 * <p>Concurrency: called with {@code order} held, by the deliverer and by the syncer.
 */
public class SpillListener {
  /** Earlier runs left events behind: so many segments, and their undelivered bytes. */
  public void leftoversFound(int segments, long bytes) {}

  /** Events are lost to damage. The number is exact if a seal tells it, else at least 1. */
  public void recordsLost(long events, Path segment, String why, boolean leftover) {}

  /** {@link Spill#dropOldest} has deleted events. */
  public void evicted(long events, boolean leftover) {}

  /** A file operation failed. Called each time: the report limits the rate. */
  public void failed(String operation, Path path, IOException cause) {}

  /** An operation has succeeded, which may have failed before. Called each time. */
  public void succeeded(String operation) {}

  /** Something that an operator should check; there are few topics. */
  public void warning(String topic, String message) {}
}
