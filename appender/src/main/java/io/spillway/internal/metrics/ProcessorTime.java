package io.spillway.internal.metrics;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.function.LongSupplier;

/**
 * Reads the processor time of threads, in nanoseconds. As a supplier, it reads that of the calling
 * thread. Loading this class loads sixty classes of the JDK.
 */
public final class ProcessorTime implements LongSupplier {
  private final ThreadMXBean threads;

  private ProcessorTime(ThreadMXBean threads) {
    this.threads = threads;
  }

  /**
   * Loads what reads processor time.
   *
   * @return null if the run time cannot read it, or has no module {@code java.management}
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
   * Returns the processor time of any thread.
   *
   * @param thread a thread that is alive
   * @return nanoseconds; -1 if the thread is not alive
   */
  public long of(Thread thread) {
    return threads.getThreadCpuTime(thread.getId());
  }
}
