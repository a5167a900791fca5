package io.spillway.route;

import ch.qos.logback.core.rolling.RollingFileAppender;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The threads that a stop has given up on, by the file that they still hold. What they are in may
 * be a policy of Logback's that compresses the file and then deletes it by its name. So whoever
 * takes the file over, as after a reconfiguration, delivers once no rollover goes on; memory and
 * spill keep what is logged meanwhile. One that is stuck in anything else is not waited for: the
 * new configuration may be the cure.
 */
public final class Predecessors {
  private static final Map<Path, List<Thread>> HOLDERS = new HashMap<>();

  private Predecessors() {}

  /**
   * A stop returns, and the thread goes on.
   *
   * @param file that it may still write, or null if it writes none
   * @param holder ends when it lets the file go
   */
  public static void leave(Path file, Thread holder) {
    if (file != null) {
      synchronized (HOLDERS) {
        HOLDERS.values().forEach(holders -> holders.removeIf(thread -> !thread.isAlive()));
        HOLDERS.values().removeIf(List::isEmpty);
        HOLDERS.computeIfAbsent(key(file), f -> new ArrayList<>()).add(holder);
      }
    }
  }

  /**
   * Whom to wait for.
   *
   * @param file that is taken over, or null
   * @return may have ended already; the caller's own list
   */
  public static List<Thread> of(Path file) {
    synchronized (HOLDERS) {
      return file == null
          ? new ArrayList<>()
          : new ArrayList<>(HOLDERS.getOrDefault(key(file), List.of()));
    }
  }

  /**
   * Whether a thread is in a rollover, as far as its stack can tell; whatever the policy, Logback's
   * appender calls it.
   *
   * @param holder may have ended
   * @return true if so
   */
  static boolean isRollingOver(Thread holder) {
    String appender = RollingFileAppender.class.getName();
    return Arrays.stream(holder.getStackTrace())
        .anyMatch(
            frame ->
                frame.getMethodName().equals("rollover") && frame.getClassName().equals(appender));
  }

  private static Path key(Path file) {
    return file.toAbsolutePath().normalize();
  }
}
