package io.spillway;

import ch.qos.logback.core.Context;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.WeakHashMap;

/**
 * Which appender of a context writes which file. Two on one file would cut each other's lines, and
 * Logback's own check goes by class name and so does not see ours. Per context, and given back by
 * {@code stop()}, so that a reconfiguration can take the file over at once.
 */
final class ActiveFiles {
  private static final Map<Context, Map<Path, String>> OWNERS = new WeakHashMap<>();

  private ActiveFiles() {}

  /** Returns the name of the appender that has the file already, or null: it is yours now. */
  static String claim(Context context, Path file, String appender) {
    synchronized (OWNERS) {
      Map<Path, String> files = OWNERS.computeIfAbsent(context, c -> new HashMap<>());
      return files.putIfAbsent(file.toAbsolutePath().normalize(), String.valueOf(appender));
    }
  }

  /** Gives back what was claimed. */
  static void release(Context context, Path file) {
    synchronized (OWNERS) {
      OWNERS.getOrDefault(context, new HashMap<>()).remove(file.toAbsolutePath().normalize());
    }
  }
}
