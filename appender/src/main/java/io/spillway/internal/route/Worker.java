package io.spillway.internal.route;

import io.spillway.internal.metrics.Counters;
import io.spillway.internal.metrics.ProcessorTime;
import io.spillway.internal.metrics.Reports;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;

/**
 * Works until told to end and survives everything else: a Throwable is counted and reported, an
 * interrupt is forgotten, and a thread that dies or is stuck in foreign code is replaced.
 *
 * <p>The thread of the moment is its {@link Shift}. Code that is not ours runs between {@link
 * Shift#enter} and {@link Shift#leave} and touches nothing that the next shift would use. {@code
 * state} is the commit word: only compare-and-set takes a shift out of foreign code, so that its
 * return and a fence cannot both win. Whatever a shift wrote before it entered is seen by the next
 * one: the fence reads {@code state} after that, and starts the thread after the fence.
 *
 * <p>Waiting is a poll with a timeout. {@code parked} is written by this thread and read by {@link
 * #signal}: this thread sets it, then looks for work once more, then parks; the other side
 * publishes work, then reads it. Both are volatile, so one of them sees the other; were either
 * weaker, a signal could be missed and the work would wait for the timeout.
 */
public abstract class Worker {
  private static final int GROWTH = 64;
  private static final int MAX_FUTILE = 8;
  private static final long FAILURE_PAUSE_NANOS = 50_000_000L;

  private static volatile ProcessorTime processorTime; // null until it is loaded

  private final PipelineContext context;
  private final String name;
  private final long minIdleNanos;
  private final long maxIdleNanos;

  /** Told of failures. */
  protected final Counters counters;

  /** Told of failures. */
  protected final Reports reports;

  private final List<Shift> abandoned = new ArrayList<>(); // under itself
  private volatile Shift shift;
  private volatile boolean over;
  private volatile boolean parked;
  private int uncountedFailures; // the shift's
  private long idleNanos;
  private int futile;

  /**
   * A worker, not started.
   *
   * @param context told of failures
   * @param role names its threads, with the appender's name
   * @param minIdleNanos first pause without work
   * @param maxIdleNanos longest pause; each pause is a {@value #GROWTH}th longer than the one
   *     before, so that a short lull changes little and a long one costs little
   */
  protected Worker(PipelineContext context, String role, long minIdleNanos, long maxIdleNanos) {
    this.context = context;
    this.name = "spillway-" + role + "-" + context.name();
    this.minIdleNanos = minIdleNanos;
    this.maxIdleNanos = maxIdleNanos;
    this.counters = context.counters();
    this.reports = context.reports();
    this.shift = new Shift(this, name, Thread.currentThread().getContextClassLoader());
  }

  private static final Replaced REPLACED = new Replaced();

  /** One thread of a worker, and where it is. All but the fence is for that thread alone. */
  public static final class Shift extends Thread implements LongConsumer {
    // In ticks of the watchdog. A second for what waits; what runs may only lack a processor. What
    // has been stuck before gets less: both times together may hold others up for two seconds.
    private static final int WAITING_TICKS = 10;
    private static final int RUNNING_TICKS = 12;
    private static final int WAITING_AGAIN_TICKS = 4;
    private static final int RUNNING_AGAIN_TICKS = 5;

    // Of processor time, for each of those ticks. Who runs and has had less than half of it may be
    // on its way still; but a two-hundredth is what somebody has who polls for what does not come.
    private static final long ENOUGH_NANOS = 50_000_000L;
    private static final long HARDLY_ANY_NANOS = 500_000L;
    private static final int MOST_RESPITES = 4; // an exit waits ten seconds for progress

    private static final String OWN = "io.spillway.internal.";

    private static final int OURS = 0;
    private static final int THEIRS = 1;
    private static final int FENCED = 2;

    private final Worker worker;
    private final AtomicInteger state = new AtomicInteger(OURS);
    private final AtomicLong position = new AtomicLong();
    private final AtomicLong moves = new AtomicLong();

    // The watchdog's.
    private long seenMoves = -1;
    private int halfTicks;
    private int respites; // since the last move
    private long cpuThen; // soon after the last move
    private long cpuSeen; // then, or at the last respite

    private Shift(Worker worker, String name, ClassLoader contextClassLoader) {
      super(null, null, name, 0, false);
      this.worker = worker;
      setDaemon(true);
      setContextClassLoader(contextClassLoader);
    }

    @Override
    public void run() {
      worker.run(this);
    }

    /**
     * Foreign code comes next.
     *
     * @param first what it is given
     */
    public void enter(long first) {
      at(first);
      state.set(THEIRS);
    }

    /**
     * It is given something else now. Two stores that order nothing: the watchdog may see them
     * late, and reads the position for good only after the fence.
     *
     * @param next what it is given
     */
    public void at(long next) {
      position.setOpaque(next);
      moves.setOpaque(moves.getPlain() + 1);
    }

    @Override
    public void accept(long next) {
      at(next);
    }

    /** Foreign code has returned. Does not return itself if this thread has been replaced. */
    public void leave() {
      if (!state.compareAndSet(THEIRS, OURS)) {
        throw REPLACED;
      }
    }

    /**
     * Whether another thread has taken over.
     *
     * @return true for good, and then only between {@link #enter} and {@link #leave}
     */
    public boolean isFenced() {
      return state.get() == FENCED;
    }

    /**
     * Whether it has not moved within foreign code for long while others waited. Ticks are counted,
     * not timed, since a machine that stood still must not be taken for a thread that did; late
     * ones count half.
     */
    private boolean isStuck(boolean late, boolean awaited, boolean again) {
      long now = moves.getOpaque();
      if (state.get() != THEIRS || now != seenMoves || !awaited) {
        seenMoves = now;
        halfTicks = 0;
        respites = 0;
        return false;
      }
      if (halfTicks == 0 && respites == 0) {
        cpuThen = worker.cpuNanos(this);
        cpuSeen = cpuThen;
      }
      halfTicks += late ? 1 : 2;
      boolean runs = getState() == State.RUNNABLE;
      int waiting = again ? WAITING_AGAIN_TICKS : WAITING_TICKS;
      int running = again ? RUNNING_AGAIN_TICKS : RUNNING_TICKS;
      return halfTicks >= 2 * (runs ? running : waiting);
    }

    /**
     * Whether it copies or compares texts and bytes for Spillway's own code. That returns, however
     * long it takes where an event is huge and processors are scarce.
     */
    private boolean isAtOwnWork() {
      if (getState() != State.RUNNABLE) {
        return false;
      }
      StackTraceElement[] stack;
      try {
        stack = getStackTrace();
      } catch (OutOfMemoryError noMemory) {
        return false;
      }
      int top = 0;
      while (top < stack.length && isOfText(stack[top].getClassName())) {
        top++;
      }
      boolean own = top < stack.length && stack[top].getClassName().startsWith(OWN);
      halfTicks = own ? 0 : halfTicks;
      return own;
    }

    /**
     * Whether it runs, but gets a processor now and then only. The watchdog, which sleeps, gets one
     * at once, so that its ticks are in time even where many threads want the processors.
     */
    private boolean lacksProcessor(boolean again) {
      int ticks = again ? RUNNING_AGAIN_TICKS : RUNNING_TICKS;
      long cpu = worker.cpuNanos(this);
      boolean lacks =
          getState() == State.RUNNABLE
              && respites < MOST_RESPITES
              && cpuThen >= 0
              && cpu - cpuSeen >= ticks * HARDLY_ANY_NANOS
              && cpu - cpuThen < ticks * ENOUGH_NANOS;
      if (lacks) {
        respites++;
        cpuSeen = cpu;
        halfTicks = 0;
      }
      return lacks;
    }

    private static boolean isOfText(String type) {
      return type.startsWith("java.lang.String")
          || type.equals("java.lang.AbstractStringBuilder")
          || type.equals("java.util.Arrays")
          || type.equals("java.lang.System");
    }
  }

  /** Takes a fenced thread to its end. Made beforehand: there may be no memory. */
  private static final class Replaced extends Error {
    private static final long serialVersionUID = 1;

    private Replaced() {
      super("replaced by another thread", null, false, false);
    }
  }

  /**
   * Whether the calling thread is a worker of this pipeline.
   *
   * @param context its own
   * @return true on its own threads
   */
  public static boolean isCurrentOf(PipelineContext context) {
    return Thread.currentThread() instanceof Shift shift && shift.worker.context == context;
  }

  /** Starts its thread, now or as soon as there is one to be had. */
  public final void start() {
    Watchdog.watch(this);
  }

  /** By the watchdog's side; whatever is missing, the next tick tries again. */
  final void begin() {
    Shift first = shift;
    try {
      if (first.getState() == Thread.State.NEW) {
        first.start();
      }
    } catch (OutOfMemoryError noThread) {
      counters.workerFailure();
      tellNotStarted(noThread);
    }
  }

  private void tellNotStarted(OutOfMemoryError noThread) {
    try {
      reports.error(
          "worker.start",
          "Cannot start thread ["
              + name
              + "] now, trying again; events wait until then. To do: raise the limit of threads or"
              + " the memory of this process.",
          noThread);
    } catch (OutOfMemoryError noMemory) {
      Thread.onSpinWait(); // it is counted
    }
  }

  /**
   * Whether it has not come to its end.
   *
   * @return true also before it is started
   */
  public final boolean isAlive() {
    return !over;
  }

  /**
   * Whether there has been a thread for it.
   *
   * @return false until there is one to be had
   */
  public final boolean hasThread() {
    return shift.getState() != Thread.State.NEW;
  }

  /**
   * The thread of the moment.
   *
   * @return may be replaced by another
   */
  public final Shift thread() {
    return shift;
  }

  /**
   * Does one piece of work.
   *
   * @param shift the calling thread
   * @return false if there was none
   */
  protected abstract boolean step(Shift shift);

  /**
   * Looks for work without doing it.
   *
   * @return false if this thread may park
   */
  protected abstract boolean hasWork();

  /**
   * Whether to stop working; asked before each step.
   *
   * @return true at the end
   */
  protected abstract boolean ended();

  /** Called when it ends; again if there was no memory for it. */
  protected void onEnd() {}

  /**
   * Whether somebody waits for what is in foreign code to return. By the watchdog.
   *
   * @return false if nobody minds how long it takes
   */
  protected boolean isAwaited() {
    return false;
  }

  /**
   * Whether what is in foreign code has been stuck there before. By the watchdog.
   *
   * @return true if it is to be given less time than at first
   */
  protected boolean isStuckAgain() {
    return false;
  }

  /**
   * A thread did not come back from foreign code, and another takes over. By the watchdog, between
   * the two.
   *
   * @param position as it was told to {@link Shift#at}
   */
  protected void onFenced(long position) {}

  /**
   * Grows with each piece of work that is given to foreign code.
   *
   * @return begins anew with each thread
   */
  protected final long moves() {
    return shift.moves.getOpaque();
  }

  private void run(Shift now) {
    while (!now.isFenced() && !ended()) {
      guarded(now);
    }
    if (now.isFenced()) {
      return;
    }
    while (!over) {
      over = isEnded(now);
    }
  }

  /** Without memory for it, the end is tried again: what it lets go of, others want. */
  private boolean isEnded(Shift now) {
    Thread.interrupted(); // what closes a sink may wait for something
    try {
      onEnd();
    } catch (OutOfMemoryError noMemory) {
      failed(now, noMemory);
      LockSupport.parkNanos(this, FAILURE_PAUSE_NANOS);
      return false;
    } catch (Throwable t) {
      failed(now, t);
    }
    return true;
  }

  private void guarded(Shift now) {
    try {
      countFailures();
      if (step(now)) {
        idleNanos = 0;
        futile = 0;
      } else {
        idle();
      }
    } catch (Throwable t) {
      if (!now.isFenced()) {
        failed(now, t);
        LockSupport.parkNanos(this, FAILURE_PAUSE_NANOS); // repeated, it must not burn a core
      }
    }
  }

  /** Throws nothing, not even when there is no memory: then counts later and reports nothing. */
  private void failed(Shift now, Throwable t) {
    uncountedFailures++;
    try {
      countFailures();
      reports.error("worker", "Unexpected failure in [" + now.getName() + "], it goes on.", t);
    } catch (Throwable worse) {
      LockSupport.parkNanos(FAILURE_PAUSE_NANOS); // gives others time to free memory
    }
  }

  private void countFailures() {
    for (; uncountedFailures > 0; uncountedFailures--) {
      counters.workerFailure();
    }
  }

  private void idle() {
    Watchdog.ensure();
    idleNanos = Math.min(maxIdleNanos, Math.max(minIdleNanos, idleNanos + idleNanos / GROWTH));
    Thread.interrupted(); // park would return at once, for ever
    parked = true;
    VarHandle.fullFence(); // not all that hasWork reads is volatile: see the ring's Sleeper
    // Looked at after the flag is up, so that no signal is missed; but not for ever, since work
    // that cannot be done must not burn a core.
    if (!hasWork() || ++futile > MAX_FUTILE) {
      pause(idleNanos);
    }
    parked = false;
  }

  /**
   * Parks, until the time is over or {@link #signal}.
   *
   * @param nanos at most, unless what this thread waits for wakes it by itself
   */
  protected void pause(long nanos) {
    LockSupport.parkNanos(this, nanos);
  }

  /**
   * Wakes this thread if it is parked. Called by no application thread while it logs, unless that
   * waits for this one.
   */
  public final void signal() {
    if (parked) {
      LockSupport.unpark(shift);
    }
  }

  /**
   * Looks after it. By the watchdog, once a tick.
   *
   * @param late whether this tick comes long after its time
   * @return false if there is nothing more to look after
   */
  final boolean lookAfter(boolean late) {
    Shift now = shift;
    if (over) {
      return false;
    }
    if (now.getState() == Thread.State.NEW) {
      now.start(); // there was no thread for it
    } else if (!now.isAlive()) {
      replace(now);
    } else if (isStuck(now, late)) {
      if (now.state.compareAndSet(Shift.THEIRS, Shift.FENCED)) {
        onFenced(now.position.get());
      }
    }
    if (now.isFenced()) {
      replace(now);
    }
    return true;
  }

  private boolean isStuck(Shift now, boolean late) {
    boolean again = isStuckAgain();
    return now.isStuck(late, isAwaited(), again)
        && !now.isAtOwnWork()
        && !now.lacksProcessor(again);
  }

  /** Processor time that a thread has used, or -1 where that is not known. */
  long cpuNanos(Thread thread) {
    ProcessorTime known = processorTime;
    try {
      return known == null ? -1 : known.of(thread);
    } catch (OutOfMemoryError noMemory) {
      return -1;
    }
  }

  /** Loads what the watchdog needs for a thread that lacks a processor. */
  static void rehearse() {
    ProcessorTime made = ProcessorTime.orNull();
    if (made != null) {
      made.of(Thread.currentThread());
    }
    processorTime = made;
  }

  /** May fail for lack of memory or threads: then the next tick tries again. */
  private void replace(Shift gone) {
    if (over) {
      return; // it ended while we looked
    }
    Shift next = new Shift(this, name, gone.getContextClassLoader());
    if (gone.isFenced()) {
      synchronized (abandoned) {
        removeEnded();
        abandoned.add(gone);
      }
    }
    shift = next;
    parked = false;
    tellReplaced(gone);
    next.start();
  }

  private void tellReplaced(Shift gone) {
    counters.workerFailure();
    reports.error(
        "worker.replaced",
        "Thread ["
            + name
            + "] "
            + (gone.isFenced()
                ? where(gone.getStackTrace())
                    + " Another thread takes over; the event goes on without what could not be"
                    + " printed, or is counted as lost (ENCODE_FAILED)."
                : "ended unexpectedly. Another one takes over."),
        null);
  }

  /** What a thread is stuck in, and what to do about it. */
  static String where(StackTraceElement[] stack) {
    int own = 0;
    while (own < stack.length && !stack[own].getClassName().startsWith("io.spillway.")) {
      own++;
    }
    int foreign = 0;
    while (foreign < own && isJdk(stack[foreign])) {
      foreign++;
    }
    if (foreign < own || stack.length == 0) {
      return "does not return from code that is not Spillway's"
          + (stack.length == 0 ? "" : ", at [" + stack[foreign] + "]")
          + ". To do: take a thread dump and see what encoder, converter or toString() waits for.";
    } else if (own > 0 && own < stack.length) {
      return "does not return from ["
          + stack[0]
          + "], which ["
          + stack[own]
          + "] has called. To do: take a thread dump and see whether it waits for a lock.";
    }
    return "takes long in Spillway's own code, at ["
        + stack[0]
        + "]. To do: see whether the machine is overloaded, or the event huge.";
  }

  private static boolean isJdk(StackTraceElement frame) {
    String module = frame.getModuleName();
    return module != null && (module.startsWith("java.") || module.startsWith("jdk."));
  }

  /**
   * Threads that were replaced and have not come back from foreign code.
   *
   * @return their number
   */
  public final int stuckThreads() {
    synchronized (abandoned) {
      removeEnded();
      return abandoned.size();
    }
  }

  private void removeEnded() {
    for (int i = abandoned.size() - 1; i >= 0; i--) {
      if (!abandoned.get(i).isAlive()) {
        abandoned.remove(i);
      }
    }
  }
}
