package io.spillway.stress.load;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** What threads allocate, as the JVM counts it. */
final class Allocations {

  private static final ThreadMXBean THREADS =
      ManagementFactory.getPlatformMXBean(ThreadMXBean.class);
  private static final boolean COUNTED = THREADS.isThreadAllocatedMemorySupported();

  private Allocations() {}

  /** Bytes that the current thread has allocated so far; a constant if its JVM does not tell. */
  static long bytesOfCurrentThread() {
    return COUNTED ? THREADS.getCurrentThreadAllocatedBytes() : 0;
  }
}
