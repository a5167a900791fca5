package io.spillway.internal.spill;

import java.nio.file.Path;

/**
 * Which directories this JVM owns. Asked before a lock file is opened, because closing a second
 * stream on it would drop the first one's POSIX lock. Kept in the system properties, the one place
 * shared by class loaders; {@code putIfAbsent} there is atomic.
 */
final class SlotOwners {

  private static final String PREFIX = "io.spillway.internal.spill.owned:";

  private SlotOwners() {}

  static boolean claim(Path directory) {
    return System.getProperties().putIfAbsent(PREFIX + directory, "true") == null;
  }

  static void release(Path directory) {
    System.getProperties().remove(PREFIX + directory);
  }
}
