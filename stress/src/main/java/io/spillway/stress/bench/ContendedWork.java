package io.spillway.stress.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;

/**
 * A fixed number of operations by threads that are as fast as they can be: each computes alone for
 * some microseconds, then for a fifth of that inside a monitor that all others want, too.
 */
final class ContendedWork {
  private static final int THREADS = 64;
  private static final int ALONE_BYTES = 32 * 1024;
  private static final int INSIDE_BYTES = ALONE_BYTES / 5;

  private final Object monitor = new Object();
  private final byte[] bytes = new byte[ALONE_BYTES];
  private long sum;

  /** Does it, and returns how many operations a second that were. */
  double perSecond(int operations) throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      threads.add(new Thread(() -> work(operations / THREADS), "work-" + i));
    }
    long start = System.nanoTime();
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
    return operations * 1e9 / (System.nanoTime() - start);
  }

  private void work(int operations) {
    for (int i = 0; i < operations; i++) {
      long alone = checksum(ALONE_BYTES);
      synchronized (monitor) {
        sum += alone + checksum(INSIDE_BYTES);
      }
    }
  }

  private long checksum(int length) {
    CRC32 crc = new CRC32();
    crc.update(bytes, 0, length);
    return crc.getValue();
  }
}
