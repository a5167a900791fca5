package io.spillway.testkit;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import io.spillway.SpillwayAppender;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.internal.ring.Drainer;
import io.spillway.internal.route.Deliverer;
import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/** An appender's exit hook and threads: what no metric tells. */
public final class ExitHooks {
  private ExitHooks() {}

  /** That of an appender; to run it is what the JVM does when it exits. */
  public static Thread of(Appender<ILoggingEvent> appender) throws ReflectiveOperationException {
    return (Thread) part(appender, "exitHook");
  }

  /** Whether its end has taken the sink away from the thread that delivers. */
  public static boolean isFenced(Appender<ILoggingEvent> appender)
      throws ReflectiveOperationException {
    return ((Deliverer) part(appender, "deliverer")).delivery().fenced();
  }

  /** How many of the first accepted events are in memory, in the spill, delivered or lost. */
  public static long placed(Appender<ILoggingEvent> appender) throws ReflectiveOperationException {
    return ((Drainer<?>) part(appender, "drainer")).placed();
  }

  /** How long log calls after the hook wait for one that does not get on. */
  public static void setPatience(Appender<ILoggingEvent> appender, long nanos)
      throws ReflectiveOperationException {
    Object gate = part(appender, "gate");
    Object late = get(gate.getClass().getDeclaredField("late"), gate);
    Field patience = late.getClass().getDeclaredField("patienceNanos");
    patience.setAccessible(true);
    patience.setLong(late, nanos);
  }

  private static Object part(Appender<ILoggingEvent> appender, String name)
      throws ReflectiveOperationException {
    Class<?> type =
        appender instanceof SpillwayAppender
            ? SpillwayAppender.class
            : SpillwayRollingFileAppender.class;
    Object pipeline = get(type.getDeclaredField("pipeline"), appender);
    return get(pipeline.getClass().getDeclaredField(name), pipeline);
  }

  private static Object get(Field field, Object from) throws ReflectiveOperationException {
    field.setAccessible(true);
    return field.get(from);
  }

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
