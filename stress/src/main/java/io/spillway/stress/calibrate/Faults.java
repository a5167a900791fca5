package io.spillway.stress.calibrate;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.helpers.MessageFormatter;

/**
 * Holds callers up: in each of the ways that the flight recorder tells apart as waits, and in some
 * that show as no wait of an application thread. Each has a method of its own, so that frames tell
 * them apart, too. Everything is counted and recorded without a lock; a wait that ends early is
 * recorded with its length, and the rest is waited again.
 */
final class Faults {

  /** Pause between collections, in collection times: collecting takes a third of the time. */
  private static final int PAUSES_BETWEEN = 2;

  private static final int OBJECT_BYTES = 64;
  private static final double SHARE_OF_HEAP = 0.35;
  private static final long LOCK_EVERY = 5_000; // events
  private static final long LOCKED_NANOS = 200_000_000;
  private static final int BURNERS_PER_PROCESSOR = 100;
  private static final long IDLE_NANOS = 200_000_000;

  private final Map<Kind, AtomicLong> counts = new EnumMap<>(Kind.class);
  private final Queue<Wait> waits = new ConcurrentLinkedQueue<>();

  private final Object monitor = new Object();
  private final Thread holder = daemon(this::holdMonitor, "calibration-holder");
  private final AtomicBoolean held = new AtomicBoolean();
  private final AtomicBoolean busy = new AtomicBoolean();
  private volatile Thread caller;
  private volatile long askedNanos;

  private final AtomicLong nextCollection = new AtomicLong();
  private final AtomicBoolean locked = new AtomicBoolean();
  private long locks; // guarded by locked
  private volatile long lastEventNanos;
  private byte[][] alive;
  private FileChannel forced; // guarded by this

  /** The faults; those from {@link #COLLECT} on are for every event. */
  enum Kind {
    PARK,
    SLEEP,
    DROP,
    MONITOR_WAIT, // on a monitor that no thread notifies, until its timeout
    DUPLICATE,
    MONITOR_ENTER, // which another thread holds
    SWAP, // the event is passed on after the next one of its thread
    TEAR, // the event is passed on with the second half of its message missing
    COLLECT, // requests full collections of a heap of which about 35 % is alive
    YIELD, // acquires a lock in a loop that yields
    FORCE, // forces each line to the disk under a lock, as an appender does that must not lose one
    BURN // occupies all processors with busy threads
  }

  /** A time for which a calling thread is held up. */
  record Wait(Kind kind, long startEpochNanos, long nanos) {}

  Faults() {
    for (Kind kind : Kind.values()) {
      counts.put(kind, new AtomicLong());
    }
  }

  private static Thread daemon(Runnable code, String name) {
    Thread thread = new Thread(code, name);
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Prepares these faults. Waits once in every way to load the classes, which would be another wait
   * inside logging.
   */
  void start(Set<Kind> kinds) {
    holder.start();
    MessageFormatter.arrayFormat("{}", new Object[] {1}); // what formats an event loads more
    Faults unseen = new Faults();
    unseen.holder.start();
    for (Kind kind : EnumSet.range(Kind.PARK, Kind.TEAR)) {
      unseen.holdUp(kind, 1);
    }
    Runtime jvm = Runtime.getRuntime();
    if (kinds.contains(Kind.COLLECT)) {
      int objects = (int) (SHARE_OF_HEAP * jvm.maxMemory() / OBJECT_BYTES);
      alive = new byte[objects][OBJECT_BYTES - 24];
    }
    if (kinds.contains(Kind.BURN)) {
      for (int i = 0; i < BURNERS_PER_PROCESSOR * jvm.availableProcessors(); i++) {
        daemon(this::burn, "burner-" + i).start();
      }
    }
  }

  void count(Kind fault) {
    counts.get(fault).incrementAndGet();
  }

  /** Records a wait of the calling thread that ends now; returns its length. */
  private long waited(Kind kind, long startNanos) {
    long nanos = System.nanoTime() - startNanos;
    Instant end = Instant.now();
    long endEpochNanos = end.getEpochSecond() * 1_000_000_000 + end.getNano();
    count(kind);
    waits.add(new Wait(kind, endEpochNanos - nanos, nanos));
    return nanos;
  }

  /** Writes down the number of each fault and all waits. */
  void write(Path file) throws IOException {
    new ObjectMapper().writeValue(file.toFile(), Map.of("counts", counts, "waits", waits));
  }

  /**
   * Holds the calling thread up in the way of the given fault, for the given time if it is a wait;
   * does nothing if that fault only damages events.
   */
  void holdUp(Kind fault, long nanos) {
    try {
      switch (fault) {
        case PARK -> park(nanos);
        case SLEEP -> sleep(nanos);
        case MONITOR_WAIT -> await(nanos);
        case MONITOR_ENTER -> enter(nanos);
        case COLLECT -> collect();
        case YIELD -> lockByYield();
        case BURN -> lastEventNanos = System.nanoTime();
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
      left -= waited(Kind.PARK, start);
    }
  }

  private void sleep(long nanos) throws InterruptedException {
    long start = System.nanoTime();
    TimeUnit.NANOSECONDS.sleep(nanos);
    waited(Kind.SLEEP, start);
  }

  private void await(long nanos) throws InterruptedException {
    Object own = new Object();
    synchronized (own) {
      long left = nanos;
      while (left > 0) {
        long start = System.nanoTime();
        own.wait(TimeUnit.NANOSECONDS.toMillis(left) + 1); // 0 would be for ever
        left -= waited(Kind.MONITOR_WAIT, start);
      }
    }
  }

  /**
   * Enters a monitor that another thread holds until the caller has been blocked for the given
   * time. That thread serves one caller at a time: among several that contend, one may get the
   * monitor by spinning, which is no wait.
   */
  private void enter(long nanos) {
    if (!busy.compareAndSet(false, true)) {
      return;
    }
    held.set(false);
    caller = Thread.currentThread();
    askedNanos = nanos;
    LockSupport.unpark(holder);
    while (!held.get()) {
      Thread.yield(); // a yield is recorded as no wait
    }
    long start = System.nanoTime();
    synchronized (monitor) {
      waited(Kind.MONITOR_ENTER, start);
    }
    busy.set(false);
  }

  private void holdMonitor() {
    while (true) {
      while (askedNanos == 0) {
        LockSupport.park(this);
      }
      long nanos = askedNanos;
      askedNanos = 0;
      synchronized (monitor) {
        held.set(true);
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

  private void collect() {
    long now = System.nanoTime();
    long next = nextCollection.get();
    if (now >= next && nextCollection.compareAndSet(next, Long.MAX_VALUE)) {
      System.gc();
      long took = waited(Kind.COLLECT, now);
      nextCollection.set(System.nanoTime() + PAUSES_BETWEEN * took);
    }
  }

  private void lockByYield() {
    long start = System.nanoTime();
    while (!locked.compareAndSet(false, true)) {
      Thread.yield();
    }
    if (locks++ % LOCK_EVERY == 0) {
      long end = System.nanoTime() + LOCKED_NANOS;
      while (System.nanoTime() < end) {
        Thread.onSpinWait();
      }
    }
    locked.set(false);
    waited(Kind.YIELD, start);
  }

  /** Forces a line to the disk, which is recorded without the wait for the lock. */
  synchronized void force(String line, Path file) {
    try {
      if (forced == null) {
        forced = FileChannel.open(file, CREATE, WRITE);
      }
      forced.write(ByteBuffer.wrap(line.getBytes(StandardCharsets.UTF_8)));
      long start = System.nanoTime();
      forced.force(false);
      waited(Kind.FORCE, start);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Occupies a processor while events arrive; sleeps while none do. */
  private void burn() {
    while (true) {
      long last = lastEventNanos;
      if (last == 0 || System.nanoTime() - last > IDLE_NANOS) {
        LockSupport.parkNanos(IDLE_NANOS / 10);
      }
    }
  }
}
