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
 * Works until it is told to end, and survives everything else: a Throwable is counted and reported,
 * an interrupt is cleared, and a thread that dies or is stuck in foreign code is replaced.
 *
 * <p>The current thread of a worker is its {@link Shift}. Foreign code runs between {@link
 * Shift#enter} and {@link Shift#leave} and touches nothing that the next shift would use. {@code
 * state} is the commit word: only compare-and-set takes a shift out of foreign code, so that its
 * return and a fence cannot both succeed. The next shift sees whatever a shift wrote before it
 * entered: the fence reads {@code state} after those writes, and starts the thread after the fence.
 *
 * <p>Waiting is a poll with a timeout. {@code parked} is written by the worker's thread and read by
 * {@link #signal}. The worker sets it, then checks for work once more, then parks; the other thread
 * publishes work, then reads it. Both are volatile, so one of the threads sees the other's write;
 * with weaker access a signal could be missed, and the work would wait for the timeout.
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

  /** Records failures. */
  protected final Counters counters;

  /** Records failures. */
  protected final Reports reports;

  private final List<Shift> abandoned = new ArrayList<>(); // guarded by itself
  private volatile Shift shift;
  private volatile boolean over;
  private volatile boolean parked;
  private int uncountedFailures; // used by the current shift
  private long idleNanos;
  private int futile;

  /**
   * Creates a worker that is not started.
   *
   * @param context identity of the pipeline, with its counters and reports
   * @param role part of the names of its threads, with the appender's name
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

  /** One thread of a worker, and its state. Only that thread calls enter, at and leave. */
  public static final class Shift extends Thread implements LongConsumer {
    // Ticks of the watchdog after which a thread is stuck. A waiting thread has a second; one that
    // runs may only lack a processor. A thread at an event that was stuck before has less: both
    // times together may hold up other threads for two seconds.
    private static final int WAITING_TICKS = 10;
    private static final int RUNNING_TICKS = 12;
    private static final int WAITING_AGAIN_TICKS = 4;
    private static final int RUNNING_AGAIN_TICKS = 5;

    // Processor time per tick of 100 ms. A runnable thread that had less than half of a tick may
    // still progress; one that had a two-hundredth of it polls for a condition that never comes
    // true.
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

    // Used by the watchdog.
    private long seenMoves = -1;
    private int halfTicks;
    private int respites; // since moves last changed
    private long cpuThen; // processor time soon after moves last changed
    private long cpuSeen; // processor time then, or at the last respite

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
     * Marks that foreign code runs next.
     *
     * @param first position, such as a sequence number, of what the code is given
     */
    public void enter(long first) {
      at(first);
      state.set(THEIRS);
    }

    /**
     * Marks that foreign code is given the next item. These are two stores without order: the
     * watchdog may see them late, and relies on the position only after the fence.
     *
     * @param next position of what the code is given
     */
    public void at(long next) {
      position.setOpaque(next);
      moves.setOpaque(moves.getPlain() + 1);
    }

    @Override
    public void accept(long next) {
      at(next);
    }

    /** Marks that foreign code has returned. Throws an Error if this thread has been replaced. */
    public void leave() {
      if (!state.compareAndSet(THEIRS, OURS)) {
        throw REPLACED;
      }
    }

    /**
     * Returns whether another thread has taken over.
     *
     * @return true from then on; it turns true only between {@link #enter} and {@link #leave}
     */
    public boolean isFenced() {
      return state.get() == FENCED;
    }

    /**
     * Returns whether this thread has made no progress within foreign code for long, while other
     * threads waited. Ticks are counted, not time, since a machine that stood still must not be
     * taken for a stuck thread; late ticks count half.
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
     * Returns whether this thread copies or compares texts and bytes for Spillway's own code. That
     * returns, however long it takes where an event is huge and processors are scarce.
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
     * Returns whether this thread is runnable, but gets a processor only now and then. The
     * watchdog, which sleeps, gets one at once, so that its ticks are in time even where many
     * threads want processors.
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

  /** Ends a fenced thread. It is created at class loading, because there may be no memory later. */
  private static final class Replaced extends Error {
    private static final long serialVersionUID = 1;

    private Replaced() {
      super("replaced by another thread", null, false, false);
    }
  }

  /**
   * Returns whether the calling thread is a worker of a pipeline.
   *
   * @param context context of that pipeline
   * @return true on a current or replaced thread of one of its workers
   */
  public static boolean isCurrentOf(PipelineContext context) {
    return Thread.currentThread() instanceof Shift shift && shift.worker.context == context;
  }

  /** Starts the worker's thread, now or as soon as one is available. */
  public final void start() {
    Watchdog.watch(this);
  }

  /** Starts the first thread; if it fails, the watchdog's next tick tries again. */
  final void begin() {
    Shift first = shift;
    try {
      if (first.getState() == Thread.State.NEW) {
        first.start();
      }
    } catch (OutOfMemoryError noThread) {
      counters.workerFailure();
      reportNotStarted(noThread);
    }
  }

  private void reportNotStarted(OutOfMemoryError noThread) {
    try {
      reports.error(
          "worker.start",
          "Cannot start thread ["
              + name
              + "] now, trying again; events wait until then. To do: raise the limit of threads or"
              + " the memory of this process.",
          noThread);
    } catch (OutOfMemoryError noMemory) {
      Thread.onSpinWait(); // the failure is counted
    }
  }

  /**
   * Returns whether the worker has not ended.
   *
   * @return true also before it is started
   */
  public final boolean isAlive() {
    return !over;
  }

  /**
   * Returns whether the worker has a thread.
   *
   * @return false until one could be started
   */
  public final boolean hasThread() {
    return shift.getState() != Thread.State.NEW;
  }

  /**
   * Returns the current thread.
   *
   * @return a thread that may be replaced by another
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
   * Checks for work without doing it.
   *
   * @return false if this thread may park
   */
  protected abstract boolean hasWork();

  /**
   * Returns whether to stop working; called before each step.
   *
   * @return true at the end
   */
  protected abstract boolean ended();

  /** Called when the worker ends, and again after an OutOfMemoryError. */
  protected void onEnd() {}

  /**
   * Returns whether other threads wait for foreign code to return. Called by the watchdog.
   *
   * @return false if it may take any time
   */
  protected boolean isAwaited() {
    return false;
  }

  /**
   * Returns whether the item in foreign code was stuck there before. Called by the watchdog.
   *
   * @return true if it gets less time than at first
   */
  protected boolean isStuckAgain() {
    return false;
  }

  /**
   * Called by the watchdog after it has fenced a thread that did not return from foreign code, and
   * before it starts another.
   *
   * @param position last position given to {@link Shift#at}
   */
  protected void onFenced(long position) {}

  /**
   * Returns a number that grows with each item that foreign code is given.
   *
   * @return a number that begins anew with each thread
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

  /**
   * Runs {@link #onEnd}; false after an OutOfMemoryError: it is repeated, as it frees resources.
   */
  private boolean isEnded(Shift now) {
    Thread.interrupted(); // an interrupt would end waits of code that closes a sink
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
        LockSupport.parkNanos(this, FAILURE_PAUSE_NANOS); // a repeated failure must not burn a core
      }
    }
  }

  /** Counts and reports a failure. Throws nothing: without memory it only counts, and later. */
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
    Thread.interrupted(); // otherwise each park would return at once
    parked = true;
    VarHandle.fullFence(); // not all that hasWork() reads is volatile: see the ring's Sleeper
    // Checked after the flag is set, so that no signal is missed; but not for ever, since work that
    // cannot be done must not burn a core.
    if (!hasWork() || ++futile > MAX_FUTILE) {
      pause(idleNanos);
    }
    parked = false;
  }

  /**
   * Parks until the time has passed or {@link #signal} is called.
   *
   * @param nanos longest pause; an override may pause for longer if the awaited work ends the pause
   */
  protected void pause(long nanos) {
    LockSupport.parkNanos(this, nanos);
  }

  /**
   * Wakes the worker's thread if it is parked. An application thread calls it in a log call only if
   * it then waits for the worker.
   */
  public final void signal() {
    if (parked) {
      LockSupport.unpark(shift);
    }
  }

  /**
   * Checks the worker, and replaces a thread that is dead or stuck. Called by the watchdog, once a
   * tick.
   *
   * @param late whether this tick comes long after its time
   * @return false if the worker has ended
   */
  final boolean lookAfter(boolean late) {
    Shift now = shift;
    if (over) {
      return false;
    }
    if (now.getState() == Thread.State.NEW) {
      now.start(); // no thread was available for it so far
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

  /** Returns the processor time that a thread has used, or -1 where that is not known. */
  long cpuNanos(Thread thread) {
    ProcessorTime known = processorTime;
    try {
      return known == null ? -1 : known.of(thread);
    } catch (OutOfMemoryError noMemory) {
      return -1;
    }
  }

  /** Loads classes that the watchdog needs to check a thread that lacks a processor. */
  static void rehearse() {
    ProcessorTime made = ProcessorTime.orNull();
    if (made != null) {
      made.of(Thread.currentThread());
    }
    processorTime = made;
  }

  /** Starts a new thread in place of one; after an OutOfMemoryError the next tick tries again. */
  private void replace(Shift gone) {
    if (over) {
      return; // the worker has ended meanwhile
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
    reportReplaced(gone);
    next.start();
  }

  private void reportReplaced(Shift gone) {
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

  /** Returns the part of a message that says where a thread is stuck, and what to do about it. */
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
   * Returns how many threads were replaced and have not returned from foreign code.
   *
   * @return the number of threads
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
