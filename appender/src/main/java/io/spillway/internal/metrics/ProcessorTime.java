package io.spillway.internal.metrics;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.function.LongSupplier;

/**
 * Processor time of threads, in nanoseconds: by itself that of the calling one. To load it costs
 * sixty classes of the JDK.
 */
public final class ProcessorTime implements LongSupplier {
  private final ThreadMXBean threads;

  private ProcessorTime(ThreadMXBean threads) {
    this.threads = threads;
  }

  /**
   * Loads what can tell.
   *
   * @return null in a run time that cannot, or has no module {@code java.management}
   */
  public static ProcessorTime orNull() {
    try {
      ThreadMXBean threads = ManagementFactory.getThreadMXBean();
      return threads.isThreadCpuTimeSupported() && threads.isThreadCpuTimeEnabled()
          ? new ProcessorTime(threads)
          : null;
    } catch (LinkageError withoutManagement) {
      return null;
    }
  }

  @Override
  public long getAsLong() {
    return threads.getCurrentThreadCpuTime();
  }

  /**
   * That of any thread.
   *
   * @param thread alive
   * @return -1 if it is not
   */
  public long of(Thread thread) {
    return threads.getThreadCpuTime(thread.getId());
  }
}
