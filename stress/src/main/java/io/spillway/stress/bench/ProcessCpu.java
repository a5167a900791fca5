package io.spillway.stress.bench;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** Reads the CPU time of this process, compiler and collector threads included. */
final class ProcessCpu {
  private static final OperatingSystemMXBean SYSTEM =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  private ProcessCpu() {}

  static long nanos() {
    return SYSTEM.getProcessCpuTime();
  }
}
