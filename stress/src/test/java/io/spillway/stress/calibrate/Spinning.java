package io.spillway.stress.calibrate;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;

/** Threads that want the processors; in the package of what is blamed though it is the tester's. */
public final class Spinning implements AutoCloseable {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean over;

  /** So many of a name, each with a number at its end. */
  public Spinning(String name, int count) {
    for (int i = 0; i < count; i++) {
      Thread thread = new Thread(this::spin, name + i);
      thread.setDaemon(true);
      threads.add(thread);
      thread.start();
    }
  }

  private void spin() {
    while (!over) {
      Thread.onSpinWait();
    }
  }

  /** What they have taken together. */
  public double cpuSeconds() {
    return threads.stream().mapToLong(t -> THREADS.getThreadCpuTime(t.getId())).sum() / 1e9;
  }

  @Override
  public void close() {
    over = true;
  }
}
