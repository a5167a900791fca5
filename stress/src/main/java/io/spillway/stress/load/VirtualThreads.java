package io.spillway.stress.load;

import io.spillway.stress.record.VirtualWaits;
import java.lang.reflect.Constructor;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.function.BooleanSupplier;

/**
 * Creates virtual threads whose waits are recorded. The flight recorder (of Java 25 at least)
 * records neither a park nor a wait for a monitor if the thread leaves its carrier; a scheduler
 * sees both. The public interface does not accept a scheduler yet: this class needs {@link
 * #OPENED}, and a JDK from 21 on with the constructor that the JDK's tests use.
 */
public final class VirtualThreads {
  /** The JVM option that opens {@code java.lang} to this class. */
  public static final String OPENED = "--add-opens=java.base/java.lang=ALL-UNNAMED";

  /** As many carriers as the JDK's default scheduler has, in first-in, first-out order. */
  private final Executor carriers =
      new ForkJoinPool(
          Runtime.getRuntime().availableProcessors(),
          ForkJoinPool.defaultForkJoinWorkerThreadFactory,
          null,
          true);

  VirtualThreads() {}

  /** Creates an unstarted application thread whose name ends in {@code number}. */
  Thread make(Sender sender, String number) {
    return make(VirtualWaits.VIRTUAL_THREAD + number, sender, sender::isInCall);
  }

  /** Creates a thread; its carriers call {@code inCall} to check if it is inside a log call. */
  Thread make(String name, Runnable body, BooleanSupplier inCall) {
    VirtualWaits waits = new VirtualWaits(name, inCall);
    try {
      Constructor<?> constructor =
          Class.forName("java.lang.ThreadBuilders$VirtualThreadBuilder")
              .getDeclaredConstructor(Executor.class);
      constructor.setAccessible(true);
      Executor scheduler = task -> waits.schedule(task, carriers);
      Object builder = constructor.newInstance(scheduler);
      Class<?> type = Class.forName("java.lang.Thread$Builder");
      type.getMethod("name", String.class).invoke(builder, name);
      Thread thread = (Thread) type.getMethod("unstarted", Runnable.class).invoke(builder, body);
      waits.of(thread);
      return thread;
    } catch (ReflectiveOperationException | RuntimeException e) {
      throw new UnsupportedOperationException(
          "This JDK (" + Runtime.version() + ") cannot be watched for virtual threads", e);
    }
  }
}
