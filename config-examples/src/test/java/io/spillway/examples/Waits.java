package io.spillway.examples;

import java.lang.management.ManagementFactory;

/** How often a thread has waited, as the JVM counts it: parked, slept or waited for a monitor. */
final class Waits {
  private Waits() {}

  static long ofThisThread() {
    return ManagementFactory.getThreadMXBean()
        .getThreadInfo(Thread.currentThread().getId())
        .getWaitedCount();
  }
}
