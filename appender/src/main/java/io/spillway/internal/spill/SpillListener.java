package io.spillway.internal.spill;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What is worth a counter or a status message, on the thread that met it. The callbacks do nothing;
 * an override must be quick and must not throw.
 *
 * <p>Concurrency: called with {@code order} held, by the deliverer and by the syncer.
 */
public class SpillListener {
  private final Set<String> failing = ConcurrentHashMap.newKeySet();

  /** Earlier runs left events behind: so many segments, their undelivered bytes and events. */
  public void leftoversFound(int segments, long bytes, long events) {}

  /** Events are lost to damage. The number is exact if a seal tells it, else at least 1. */
  public void recordsLost(long events, Path segment, String why, boolean leftover) {}

  /** {@link Spill#dropOldest} has deleted events. */
  public void evicted(long events, boolean leftover) {}

  /** A file operation failed. Called each time: the report limits the rate. */
  public void onFailure(String operation, Path path, IOException cause) {}

  /** An operation that had failed has succeeded. */
  public void onRecovery(String operation) {}

  /** Another process, or another owner in this JVM, has the directory. */
  public void inUse(Path directory) {}

  /** Something that an operator should check; there are few topics. */
  public void warning(String topic, String message) {}

  final void failed(String operation, Path path, IOException cause) {
    failing.add(operation);
    onFailure(operation, path, cause);
  }

  final void succeeded(String operation) {
    if (!failing.isEmpty() && failing.remove(operation)) {
      onRecovery(operation);
    }
  }
}
