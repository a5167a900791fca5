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
 * The JVM's one compressing thread. Works in small pieces; between them each duty rests as long as
 * it takes to stay within its share of a core, while others work. Each round: what is due at once
 * (stops, sweeps, deletions, archives that were followed), then a chunk for each followed file,
 * then a chunk of one rolled file; the next rolled file begins when those begun are done or rest.
 * Duties that are in a hurry, since somebody waits for them, go first, and do not rest.
 *
 * <p>Concurrency: duties are added and woken by anybody; everything a duty does is done by this
 * thread, which lives while there are duties. Nothing stops it but that: no interrupt, no
 * Throwable. A wake-up that goes missing costs a second.
 */
final class CompressionWorker {
  static final String THREAD_NAME = "spillway-compressor";
  static final int CHUNK_BYTES = 256 * 1024;

  static final CompressionWorker SHARED = new CompressionWorker();
  private static final long POLL_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long MOST_EXIT_NANOS = TimeUnit.SECONDS.toNanos(30); // as a stop

  /** The worker's side of one archiver. Called on the worker's thread, if nothing else is said. */
  interface Duty {
    /** By anybody. */
    boolean isStopped();

    /** After the stop, as the last call. */
    void abandon();

    /** Does a piece of what is due at once; false if nothing is. */
    boolean attend(byte[] chunk);

    /** Does a chunk of a file that is followed; false if there is none. */
    boolean follow(byte[] chunk);

    /** Does a chunk of a rolled file; false if none waits. */
    boolean compress(byte[] chunk);

    /** Whether a rolled file is under way. */
    boolean isBusy();

    double cpuShare();

    /** How long there is nothing to do unless it is woken. */
    long restNanos();

    /** Something that nobody expected; it is alive all the same. */
    void survived(Throwable t);

    /** Somebody waits for it from now on. By anybody. */
    void hurry();

    boolean isHurrying();

    /** Hurries and waits, as long as there is progress. By the JVM's exit. */
    void awaitArchived(long mostNanos);
  }

  /**
   * The JVM exits and nobody has stopped the appenders: waits as their stop does, so that jobs that
   * live for a moment have their files compressed, too. Registered as long as there is the thread.
   */
  private final class AtExit extends Thread {
    AtExit() {
      super(null, null, THREAD_NAME + "-exit", 0, false);
      setDaemon(false);
      setContextClassLoader(CompressionWorker.class.getClassLoader());
    }

    /** By the JVM, which runs no hook behind one that it cannot start. */
    @Override
    public void start() {
      try {
        super.start();
      } catch (OutOfMemoryError noThread) {
        Thread.onSpinWait(); // the next start compresses
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
        // It runs already, or is too late to be run.
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
  private volatile Thread thread; // written under this
  private AtExit atExit; // under this

  /** One of its own, for tests. */
  CompressionWorker() {
    this(UnaryOperator.identity());
  }

  /** One whose threads do something else, such as end at once, for tests. */
  CompressionWorker(UnaryOperator<Runnable> threads) {
    loop =
        threads.apply(
            this::run); // here: a call site that cannot be linked when memory is short fails for
    // ever
  }

  /** Null while there is nothing to do it for. */
  Thread thread() {
    return thread;
  }

  void add(Duty duty) {
    duties.add(duty);
    wake();
  }

  /** Those that are not removed yet. */
  List<Duty> duties() {
    return duties;
  }

  /** Has it look for work now. Takes no lock but to start the thread. */
  void wake() {
    Thread running = thread;
    if (isDead(running)) {
      start();
    } else {
      LockSupport.unpark(running);
    }
  }

  /** Whether there is a thread, or one can be started now, or none is needed. */
  boolean revive() {
    if (isDead(thread)) {
      start();
    }
    return !isDead(thread) || duties.isEmpty();
  }

  /** Hurries and waits for all that waits, as long as there is progress. By the JVM's exit. */
  void awaitArchived(long mostNanos) {
    long deadline = System.nanoTime() + mostNanos;
    for (Duty duty : duties) { // all at once: who is waited for later has no other time
      duty.hurry();
    }
    for (Duty duty : duties) {
      duty.awaitArchived(deadline - System.nanoTime());
    }
  }

  /** A piece of work is done for a duty in a hurry. */
  void progressed() {
    hurried.incrementAndGet();
  }

  /** Such pieces so far, of all duties: one file is compressed at a time, whosever it is. */
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
      AtExit exit = atExit == null ? newAtExit() : null; // that of a thread that died goes on
      created.start();
      thread = created;
      if (exit != null) {
        atExit = exit;
        exit.register(true);
      }
    } catch (OutOfMemoryError noThread) {
      // No thread to be had: what is rolled over waits, the next wake or look at metrics tries
      // again.
    }
  }

  private AtExit newAtExit() {
    return DetachedThread.isHeir() ? DetachedThread.made(new ExitMaking()) : new AtExit();
  }

  private synchronized boolean isOver() {
    if (!duties.isEmpty()) {
      return false;
    }
    thread = null;
    if (!duties.isEmpty()) { // added by somebody who saw the thread, and woke it instead
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
      Thread.interrupted(); // not ours to obey, and a park would return at once
      try {
        if (rounds == null) {
          rounds = new Rounds(); // here, as there may be no memory for it now
        }
        long rest = rounds.round();
        if (rest > 0) {
          LockSupport.parkNanos(this, Math.min(rest, POLL_NANOS));
        }
      } catch (Throwable t) { // of a status listener, or for want of memory: the files wait
        LockSupport.parkNanos(this, POLL_NANOS);
      }
    } while (!isOver());
  }

  /** On a run time that cannot tell, what it waits for counts as work. */
  private static LongSupplier cpuClock() {
    ProcessorTime known = ProcessorTime.orNull();
    return known == null ? Reports.NANO_TIME : known;
  }

  /** What the thread remembers from round to round. */
  private final class Rounds {
    private final byte[] chunk = new byte[CHUNK_BYTES];
    private final Map<Duty, Pacer> pacers = new HashMap<>(); // of those that have worked
    private Duty last; // that did a piece of a rolled file

    // What a duty is asked to do.
    private static final int ATTEND = 0;
    private static final int FOLLOW = 1;
    private static final int COMPRESS = 2;
    private static final int ABANDON = 3;

    /** Does a bit of everything; returns how long to rest. */
    long round() {
      removeStopped();
      boolean worked = false;
      for (Duty duty : duties) {
        worked |= guarded(duty, ATTEND);
      }
      worked |= work(true) || work(false);
      return worked ? 0 : idleNanos();
    }

    /** Takes pieces of what is not due at once, for duties that are in a hurry, or others. */
    private boolean work(boolean hurrying) {
      List<Duty> ready = ready(hurrying);
      boolean worked = false;
      for (Duty duty : ready) {
        worked |= paced(duty, FOLLOW);
      }
      // Begun files first: many begun at once would all be late.
      return worked | (compress(ready, true) || compress(ready, false));
    }

    /** Those that have rested as long as their shares ask for, in turns. */
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

    /** A chunk of one rolled file, of a duty that has begun one, or of one that begins it. */
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
      } else if (worked) { // not before: its clock costs a start sixty classes
        pacers.put(duty, new Pacer(cpuClock(), Reports.NANO_TIME));
      }
      return worked;
    }

    /** How long it rests for the sake of its share; not when it is in a hurry. */
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
   * Keeps the use of the processor for one duty at a share of one core: after each piece of work it
   * says how long to rest. What a piece waits for the disk counts as rest. Used by one thread.
   */
  static final class Pacer {
    /** Rest beyond what was due is forgiven up to this, or a long idle time would earn a burst. */
    private static final long CREDIT_NANOS = 20_000_000L;

    private final LongSupplier cpuNanos;
    private final LongSupplier clockNanos;
    private long cpuAtBegin;
    private long clockAtBegin;
    private long freeAt;

    /** Clocks of the thread that works: its processor time, and the time of day in nanoseconds. */
    Pacer(LongSupplier cpuNanos, LongSupplier clockNanos) {
      this.cpuNanos = cpuNanos;
      this.clockNanos = clockNanos;
      this.freeAt = clockNanos.getAsLong();
    }

    /** A piece of work begins. */
    void begin() {
      cpuAtBegin = cpuNanos.getAsLong();
      clockAtBegin = clockNanos.getAsLong();
    }

    /** It has ended, and might take this share of a core. */
    void charge(double share) {
      long used = cpuNanos.getAsLong() - cpuAtBegin;
      long earliest = clockAtBegin - CREDIT_NANOS;
      long base = freeAt - earliest > 0 ? freeAt : earliest;
      freeAt = base + (long) (used / share);
    }

    /** How long to rest before the next piece; 0 or less if not at all. */
    long restNanos() {
      return freeAt - clockNanos.getAsLong();
    }
  }
}
