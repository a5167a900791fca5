package io.spillway.internal.spill;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Passes failures on and remembers which operations are failing, so that the first success
 * afterwards is told as well.
 *
 * <p>Concurrency: called by writer, reader and syncer. An operation belongs to one thread, so a
 * failure and its recovery cannot overtake each other; {@code failing} is concurrent because the
 * three share the set. {@link #succeeded} is on hot paths and reads a set that is empty all day.
 */
final class Faults {

  private final SpillListener listener;
  private final Set<String> failing = ConcurrentHashMap.newKeySet();

  Faults(SpillListener listener) {
    this.listener = listener;
  }

  SpillListener listener() {
    return listener;
  }

  void failed(String operation, Path path, IOException cause) {
    failing.add(operation);
    listener.failed(operation, path, cause);
  }

  void succeeded(String operation) {
    if (!failing.isEmpty() && failing.remove(operation)) {
      listener.recovered(operation);
    }
  }

  /** A file that is null was not open. */
  void close(Closeable file, Path path) {
    try {
      if (file != null) {
        file.close();
      }
    } catch (IOException e) {
      failed("close", path, e);
    }
  }
}
