package io.spillway.internal.compress;

import io.spillway.internal.metrics.DetachedThread;
import io.spillway.internal.metrics.ProcessorTime;
import io.spillway.internal.metrics.Reports;
import java.security.PrivilegedAction;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

/**
 * The JVM's one compressor thread. Works in small pieces; between them each duty rests as long as
 * needed to stay within its share of a core, while other duties work. Each round does what is due
 * at once (stops, sweeps, deletions, archives that were followed), then a chunk for each followed
 * file, then a chunk of one rolled file; the next rolled file begins when those begun are done or
 * rest. Duties in a hurry, for which a call waits, go first and do not rest.
 *
 * <p>Concurrency: any thread adds and wakes duties; only this thread does their work, and it lives
 * while there are duties. No interrupt and no Throwable ends it earlier. A lost wake-up costs a
 * second.
 */
final class CompressionWorker {
  static final String THREAD_NAME = "spillway-compressor";
  static final int CHUNK_BYTES = 256 * 1024;

  static final CompressionWorker SHARED = new CompressionWorker();
  private static final long POLL_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long MOST_EXIT_NANOS = TimeUnit.SECONDS.toNanos(30); // as for a stop

  /** The work for one archiver. Called by the compressor thread unless stated otherwise. */
  interface Duty {
    /** Returns whether the duty is stopped. Called by any thread. */
    boolean isStopped();

    /** Frees all resources. The last call, after the stop. */
    void abandon();

    /** Does a piece of what is due at once; returns false if nothing is due. */
    boolean attend(byte[] chunk);

    /** Does a chunk of a file that is followed; returns false if there is none. */
    boolean follow(byte[] chunk);

    /** Does a chunk of a rolled file; returns false if none waits. */
    boolean compress(byte[] chunk);

    /** Returns whether a rolled file has been begun. */
    boolean isBusy();

    double cpuShare();

    /** Returns how long there is nothing to do unless the worker is woken. */
    long restNanos();

    /** Reports an unexpected failure, after which the duty continues. */
    void survived(Throwable t);

    /** Announces that a call waits for the duty from now on. Called by any thread. */
    void hurry();

    boolean isHurrying();

    /** Hurries and waits, as long as there is progress. Called by the shutdown hook. */
    void awaitArchived(long mostNanos);
  }

  /**
   * The shutdown hook: if the appenders have not been stopped, it waits as their stop does, so that
   * the files of short-lived jobs are compressed, too. Registered as long as the thread lives.
   */
  private final class AtExit extends Thread {
    AtExit() {
      super(null, null, THREAD_NAME + "-exit", 0, false);
      setDaemon(false);
      setContextClassLoader(CompressionWorker.class.getClassLoader());
    }

    /** Called by the JVM, which starts no further hook if this method throws. */
    @Override
    public void start() {
      try {
        super.start();
      } catch (OutOfMemoryError noThread) {
        Thread.onSpinWait(); // the next start compresses the files
      }
    }

    @Override
    public void run() {
      awaitArchived(MOST_EXIT_NANOS);
    }

    void register(boolean there) {
      try {
        if (there) {
          Runtime.getRuntime().addShutdownHook(this);
        } else {
          Runtime.getRuntime().removeShutdownHook(this);
        }
      } catch (IllegalStateException exiting) {
        // The hook runs already, or it is too late to run it.
      }
    }
  }

  private final class ExitMaking implements PrivilegedAction<AtExit> {
    @Override
    public AtExit run() {
      return new AtExit();
    }
  }

  private final List<Duty> duties = new CopyOnWriteArrayList<>();
  private final AtomicLong hurried = new AtomicLong();
  private final Runnable loop;
  private volatile Thread thread; // written under this monitor
  private AtExit atExit; // under this monitor

  /** Creates a worker that is not shared; for tests. */
  CompressionWorker() {
    this(UnaryOperator.identity());
  }

  /** Creates a worker whose threads run something else, such as end at once; for tests. */
  CompressionWorker(UnaryOperator<Runnable> threads) {
    // Created once: a call site that is first linked when memory is short fails for ever.
    loop = threads.apply(this::run);
  }

  /** Returns the thread, or null while there are no duties. */
  Thread thread() {
    return thread;
  }

  void add(Duty duty) {
    duties.add(duty);
    wake();
  }

  /** Returns the duties that are not removed yet. */
  List<Duty> duties() {
    return duties;
  }

  /** Wakes the thread to check for work. Takes a lock only to start the thread. */
  void wake() {
    Thread running = thread;
    if (isDead(running)) {
      start();
    } else {
      LockSupport.unpark(running);
    }
  }

  /** Starts a missing thread; returns false if a thread is needed and cannot be started. */
  boolean restartIfDead() {
    if (isDead(thread)) {
      start();
    }
    return !isDead(thread) || duties.isEmpty();
  }

  /** Hurries and waits for all duties, as long as there is progress. Called by the hook. */
  void awaitArchived(long mostNanos) {
    long deadline = System.nanoTime() + mostNanos;
    for (Duty duty : duties) { // all first: they share one deadline
      duty.hurry();
    }
    for (Duty duty : duties) {
      duty.awaitArchived(deadline - System.nanoTime());
    }
  }

  /** Counts a piece of work done for a duty in a hurry. */
  void progressed() {
    hurried.incrementAndGet();
  }

  /** Returns the pieces counted for all duties, as only one file is compressed at a time. */
  long progress() {
    return hurried.get();
  }

  private static boolean isDead(Thread thread) {
    return thread == null || !thread.isAlive();
  }

  private synchronized void start() {
    if (!isDead(thread) || duties.isEmpty()) {
      return;
    }
    Thread created = DetachedThread.of(loop, THREAD_NAME);
    created.setContextClassLoader(CompressionWorker.class.getClassLoader());
    created.setPriority(Thread.MIN_PRIORITY);
    try {
      AtExit exit = atExit == null ? newAtExit() : null; // a dead thread's hook is kept
      created.start();
      thread = created;
      if (exit != null) {
        atExit = exit;
        exit.register(true);
      }
    } catch (OutOfMemoryError noThread) {
      // No thread is available: rolled files wait, the next wake-up or metrics query tries again.
    }
  }

  private AtExit newAtExit() {
    return DetachedThread.inheritsCallerContext()
        ? DetachedThread.made(new ExitMaking())
        : new AtExit();
  }

  private synchronized boolean isOver() {
    if (!duties.isEmpty()) {
      return false;
    }
    thread = null;
    if (!duties.isEmpty()) { // added by a call that woke this thread
      thread = Thread.currentThread();
      return false;
    }
    AtExit exit = atExit;
    atExit = null;
    if (exit != null) {
      exit.register(false);
    }
    return true;
  }

  private void run() {
    Rounds rounds = null;
    do {
      Thread.interrupted(); // not for this thread; a park would return at once
      try {
        if (rounds == null) {
          rounds = new Rounds(); // in the loop, as memory may be short now
        }
        long rest = rounds.round();
        if (rest > 0) {
          LockSupport.parkNanos(this, Math.min(rest, POLL_NANOS));
        }
      } catch (Throwable t) { // a status listener's, or no memory: the files wait
        LockSupport.parkNanos(this, POLL_NANOS);
      }
    } while (!isOver());
  }

  /** Returns a clock of processor time; without one, elapsed time, so that waits count as work. */
  private static LongSupplier cpuClock() {
    ProcessorTime known = ProcessorTime.orNull();
    return known == null ? Reports.NANO_TIME : known;
  }

  /** What the thread keeps from round to round. */
  private final class Rounds {
    private final byte[] chunk = new byte[CHUNK_BYTES];
    private final Map<Duty, Pacer> pacers = new HashMap<>(); // of duties that have worked
    private Duty last; // the last to compress a chunk of a rolled file

    // The kinds of pieces.
    private static final int ATTEND = 0;
    private static final int FOLLOW = 1;
    private static final int COMPRESS = 2;
    private static final int ABANDON = 3;

    /** Does one round; returns how long to rest. */
    long round() {
      removeStopped();
      boolean worked = false;
      for (Duty duty : duties) {
        worked |= guarded(duty, ATTEND);
      }
      worked |= work(true) || work(false);
      return worked ? 0 : idleNanos();
    }

    /** Does pieces that are not due at once, for the duties in a hurry or for the others. */
    private boolean work(boolean hurrying) {
      List<Duty> ready = ready(hurrying);
      boolean worked = false;
      for (Duty duty : ready) {
        worked |= paced(duty, FOLLOW);
      }
      // Begun files first: many files begun at once would all be late.
      return worked | (compress(ready, true) || compress(ready, false));
    }

    /** Returns the duties that have rested as long as their shares require, round-robin. */
    private List<Duty> ready(boolean hurrying) {
      List<Duty> all = new ArrayList<>(duties);
      List<Duty> ready = new ArrayList<>();
      int next = all.indexOf(last) + 1;
      for (int i = 0; i < all.size(); i++) {
        Duty duty = all.get((next + i) % all.size());
        if (duty.isHurrying() == hurrying && paceNanos(duty) <= 0) {
          ready.add(duty);
        }
      }
      return ready;
    }

    private void removeStopped() {
      for (Duty duty : duties) {
        if (duty.isStopped()) {
          duties.remove(duty);
          pacers.remove(duty);
          if (last == duty) {
            last = null;
          }
          guarded(duty, ABANDON);
        }
      }
    }

    /**
     * Compresses a chunk of one rolled file, for a duty that has begun one, or for one that begins
     * one.
     */
    private boolean compress(List<Duty> ready, boolean begun) {
      for (Duty duty : ready) {
        if (duty.isBusy() == begun && paced(duty, COMPRESS)) {
          last = duty;
          return true;
        }
      }
      return false;
    }

    private boolean paced(Duty duty, int piece) {
      Pacer pacer = pacers.get(duty);
      if (pacer != null) {
        pacer.begin();
      }
      boolean worked = guarded(duty, piece);
      if (worked && pacer != null) {
        pacer.charge(duty.cpuShare());
      } else if (worked) { // late: its clock loads sixty classes
        pacers.put(duty, new Pacer(cpuClock(), Reports.NANO_TIME));
      }
      return worked;
    }

    /** Returns how long a duty rests to stay within its share; 0 in a hurry. */
    private long paceNanos(Duty duty) {
      Pacer pacer = pacers.get(duty);
      return pacer == null || duty.isHurrying() ? 0 : pacer.restNanos();
    }

    private boolean guarded(Duty duty, int piece) {
      try {
        return work(duty, piece);
      } catch (Throwable t) {
        duty.survived(t);
        return false;
      }
    }

    private boolean work(Duty duty, int piece) {
      if (piece == ATTEND) {
        return duty.attend(chunk);
      } else if (piece == FOLLOW) {
        return duty.follow(chunk);
      } else if (piece == COMPRESS) {
        return duty.compress(chunk);
      }
      duty.abandon();
      return true;
    }

    private long idleNanos() {
      long rest = duties.isEmpty() ? 0 : POLL_NANOS;
      for (Duty duty : duties) {
        rest = Math.min(rest, Math.max(paceNanos(duty), duty.restNanos()));
      }
      return rest;
    }
  }

  /**
   * Limits one duty to a share of one core: after each piece of work it computes how long to rest.
   * Time in which a piece waits for the disk counts as rest. Used by one thread.
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
