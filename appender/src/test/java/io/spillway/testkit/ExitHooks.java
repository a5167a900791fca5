package io.spillway.testkit;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/** For an exit hook of the application, which runs beside that of an appender. */
public final class ExitHooks {
  private ExitHooks() {}

  /** Waits until the appender's hook has ended. */
  public static void awaitHandOver() {
    while (!haveEnded()) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  /**
   * Whether the appender's hook has ended, not only not begun: whoever calls {@code System.exit}
   * starts all hooks and then joins them one by one.
   */
  public static boolean haveEnded() {
    Map<Thread, StackTraceElement[]> threads = Thread.getAllStackTraces();
    return threads.values().stream().anyMatch(ExitHooks::joinsHooks)
        && threads.keySet().stream()
            .noneMatch(thread -> thread.getName().startsWith("spillway-exit"));
  }

  private static boolean joinsHooks(StackTraceElement[] frames) {
    return Arrays.stream(frames).anyMatch(frame -> frame.getMethodName().equals("runHooks"))
        && Arrays.stream(frames).anyMatch(frame -> frame.getMethodName().equals("join"));
  }
}
