package io.spillway.stress.calibrate;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.helpers.MessageFormatter;

/**
 * Counts the faults of the calibration appender, and lets the calling thread wait in each of the
 * ways that the flight recorder tells apart; lock-free but for those waits. Each way has a method
 * of its own, so that frames tell them apart, too. A wait that ends early is recorded with its
 * length, and the rest is waited again.
 */
final class Faults {

  private final Map<Kind, AtomicLong> counts = new EnumMap<>(Kind.class);
  private final Queue<Wait> waits = new ConcurrentLinkedQueue<>();
  private final MonitorHolder holder = new MonitorHolder();

  /** The faults. */
  enum Kind {
    PARK,
    SLEEP,
    DROP,
    MONITOR_WAIT, // on a monitor that no thread notifies, until its timeout
    DUPLICATE,
    MONITOR_ENTER, // which another thread holds
    SWAP, // the event is passed on after the next one of its thread
    TEAR // the event is passed on with the second half of its message missing
  }

  /** A wait of a calling thread. */
  record Wait(Kind kind, long startEpochNanos, long nanos) {}

  Faults() {
    for (Kind kind : Kind.values()) {
      counts.put(kind, new AtomicLong());
    }
  }

  /** Waits once in every way to load the classes, which would be another wait inside logging. */
  void start() {
    holder.thread.start();
    MessageFormatter.arrayFormat("{}", new Object[] {1}); // what formats an event loads more
    Faults unseen = new Faults();
    unseen.holder.thread.start();
    for (Kind kind : Kind.values()) {
      unseen.await(kind, 1);
    }
  }

  void count(Kind fault) {
    counts.get(fault).incrementAndGet();
  }

  /** Waits in the way of the given fault; does nothing if that fault is no wait. */
  void await(Kind fault, long nanos) {
    try {
      switch (fault) {
        case PARK -> park(nanos);
        case SLEEP -> sleep(nanos);
        case MONITOR_WAIT -> await(nanos);
        case MONITOR_ENTER -> enter(nanos);
        default -> {}
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  void park(long nanos) {
    long left = nanos;
    while (left > 0) {
      long start = System.nanoTime();
      LockSupport.parkNanos(this, left);
      left -= waited(Kind.PARK, System.nanoTime() - start);
    }
  }

  private void sleep(long nanos) throws InterruptedException {
    long start = System.nanoTime();
    TimeUnit.NANOSECONDS.sleep(nanos);
    waited(Kind.SLEEP, System.nanoTime() - start);
  }

  private void await(long nanos) throws InterruptedException {
    Object own = new Object();
    synchronized (own) {
      long left = nanos;
      while (left > 0) {
        long start = System.nanoTime();
        own.wait(TimeUnit.NANOSECONDS.toMillis(left) + 1); // 0 would be for ever
        left -= waited(Kind.MONITOR_WAIT, System.nanoTime() - start);
      }
    }
  }

  private void enter(long nanos) {
    if (holder.begin(nanos)) {
      long start = System.nanoTime();
      long took;
      synchronized (holder) {
        took = System.nanoTime() - start;
      }
      holder.busy.set(false);
      waited(Kind.MONITOR_ENTER, took);
    }
  }

  /** Records a wait of the calling thread that ends now; returns its length. */
  private long waited(Kind kind, long nanos) {
    Instant end = Instant.now();
    long endEpochNanos = end.getEpochSecond() * 1_000_000_000 + end.getNano();
    count(kind);
    waits.add(new Wait(kind, endEpochNanos - nanos, nanos));
    return nanos;
  }

  void write(Path file) throws IOException {
    new ObjectMapper().writeValue(file.toFile(), Map.of("counts", counts, "waits", waits));
  }

  /**
   * A thread that holds the monitor of this object for a requested time while the requesting thread
   * enters it. It serves one caller at a time: among several that contend, one may get the monitor
   * by spinning, which is no wait.
   */
  private static final class MonitorHolder {

    private final Thread thread = new Thread(this::serve, "calibration-holder");
    private final AtomicBoolean busy = new AtomicBoolean();
    private volatile Thread caller;
    private volatile long askedNanos;
    private volatile boolean held;

    MonitorHolder() {
      thread.setDaemon(true);
    }

    /**
     * Lets the thread hold the monitor until the caller has been blocked for the given time.
     *
     * @return whether it does; false if another caller is being served
     */
    boolean begin(long nanos) {
      if (!busy.compareAndSet(false, true)) {
        return false;
      }
      held = false;
      caller = Thread.currentThread();
      askedNanos = nanos;
      LockSupport.unpark(thread);
      while (!held) {
        Thread.yield(); // a yield is recorded as no wait
      }
      return true;
    }

    private void serve() {
      while (true) {
        while (askedNanos == 0) {
          LockSupport.park(this);
        }
        long nanos = askedNanos;
        askedNanos = 0;
        hold(nanos);
      }
    }

    private synchronized void hold(long nanos) {
      held = true;
      while (caller.getState() != Thread.State.BLOCKED) {
        Thread.yield();
      }
      long end = System.nanoTime() + nanos;
      for (long left = nanos; left > 0; left = end - System.nanoTime()) {
        LockSupport.parkNanos(this, left);
      }
    }
  }
}
