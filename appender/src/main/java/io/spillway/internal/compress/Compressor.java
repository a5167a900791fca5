package io.spillway.internal.compress;

import io.spillway.internal.metrics.DetachedThread;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * The JVM's one compressor thread. It takes a chunk of each policy's current file in turn, and
 * between chunks each policy rests as long as its share of a core demands, while others work. A
 * policy that a stop waits for does not rest.
 *
 * <p>Concurrency: any thread adds and wakes; only this thread works. It lives while there are
 * policies, and no Throwable ends it earlier. A lost wake-up costs a second.
 */
final class Compressor {
  static final Compressor SHARED = new Compressor();

  private static final int CHUNK_BYTES = 256 * 1024;
  private static final long POLL_NANOS = 1_000_000_000L;

  private final List<Archiver> all = new CopyOnWriteArrayList<>();
  private volatile Thread thread; // written under this monitor

  void add(Archiver archiver) {
    all.add(archiver);
    synchronized (this) {
      if (thread == null) {
        Thread created = DetachedThread.of(this::run, "spillway-compressor");
        created.setPriority(Thread.MIN_PRIORITY);
        created.start();
        thread = created;
      }
    }
    wake();
  }

  /** Makes the thread look for work at once. Takes no lock. */
  void wake() {
    LockSupport.unpark(thread);
  }

  private void run() {
    byte[] chunk = new byte[CHUNK_BYTES];
    do {
      Thread.interrupted(); // not for this thread; a park would return at once
      long rest = POLL_NANOS;
      for (Archiver archiver : all) {
        rest = Math.min(rest, guarded(archiver, chunk));
      }
      if (rest > 0) {
        LockSupport.parkNanos(this, rest);
      }
    } while (!isOver());
  }

  /** Lets a policy work; returns how long it rests. */
  private long guarded(Archiver archiver, byte[] chunk) {
    try {
      if (archiver.isStopped()) {
        all.remove(archiver);
        archiver.abandon();
        return 0;
      }
      return archiver.work(chunk);
    } catch (Throwable t) {
      try {
        archiver.failed(t);
      } catch (Throwable again) {
        // Such as no memory; the files wait.
      }
      return POLL_NANOS;
    }
  }

  private synchronized boolean isOver() {
    if (all.isEmpty()) {
      thread = null;
    }
    return thread == null;
  }

  /** Returns a clock of this thread's processor time; without one, elapsed time. */
  static LongSupplier cpuClock() {
    try {
      ThreadMXBean threads = ManagementFactory.getThreadMXBean();
      threads.getCurrentThreadCpuTime(); // throws where it is not supported
      return threads::getCurrentThreadCpuTime;
    } catch (LinkageError | UnsupportedOperationException withoutManagement) {
      return System::nanoTime;
    }
  }

  /**
   * Limits one policy to a share of one core: after each piece of work it computes how long to
   * rest. Time in which a piece waits for the disk counts as rest. Used by one thread.
   */
  static final class Pacer {
    /** The most surplus rest that is credited; without a limit, long idleness permits a burst. */
    private static final long CREDIT_NANOS = 20_000_000L;

    private final LongSupplier cpuNanos;
    private final LongSupplier clockNanos;
    private long cpuAtBegin;
    private long clockAtBegin;
    private long freeAt;

    /** Takes two clocks in nanoseconds: the working thread's processor time, and elapsed time. */
    Pacer(LongSupplier cpuNanos, LongSupplier clockNanos) {
      this.cpuNanos = cpuNanos;
      this.clockNanos = clockNanos;
      this.freeAt = clockNanos.getAsLong();
    }

    /** Begins a piece of work. */
    void begin() {
      cpuAtBegin = cpuNanos.getAsLong();
      clockAtBegin = clockNanos.getAsLong();
    }

    /** Ends the piece of work, which was allowed a share of a core. */
    void charge(double share) {
      long used = cpuNanos.getAsLong() - cpuAtBegin;
      long earliest = clockAtBegin - CREDIT_NANOS;
      long base = freeAt - earliest > 0 ? freeAt : earliest;
      freeAt = base + (long) (used / share);
    }

    /** Returns how long to rest before the next piece; 0 or less for no rest. */
    long restNanos() {
      return freeAt - clockNanos.getAsLong();
    }
  }
}
