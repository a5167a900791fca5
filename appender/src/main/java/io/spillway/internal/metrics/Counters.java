package io.spillway.internal.metrics;

import io.spillway.metrics.Health;
import io.spillway.metrics.LossCause;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts what happened to events, before it is reported.
 *
 * <p>Application threads count only drops, failures and waits: the number of accepted events is the
 * ring's own cursor. Their counts need no memory, unlike a striped adder, whose OutOfMemoryError
 * would leave an event neither accepted nor counted. All other counts have one writer at a time, a
 * worker or, after the exit hook, a log call. It adds once per batch and needs no memory either,
 * since what was done and could not be counted would be done again. Readers may see a delivered
 * count that is ahead of a lost count by one batch, never a total that shrinks.
 */
public final class Counters {
  private static final LossCause[] CAUSES = LossCause.values();
  private static final long OUTSIDE = 0;

  /** Names of levels, from the lowest. */
  public static final List<String> LEVELS = List.of("TRACE", "DEBUG", "INFO", "WARN", "ERROR");

  private final AtomicLong[] dropped = new AtomicLong[CAUSES.length]; // null: after acceptance
  private final AtomicLong[] fullByLevel = new AtomicLong[LEVELS.size()];
  private final AtomicLong[] lost = new AtomicLong[CAUSES.length]; // null: before acceptance
  private final AtomicLong[] lostRecovered = new AtomicLong[CAUSES.length];
  private final AtomicLong[][] lostByLevel = new AtomicLong[CAUSES.length][]; // null: not by policy
  private final AtomicLong blockedCalls = new AtomicLong();
  private final AtomicLong blockedNanos = new AtomicLong();
  private final AtomicLong acknowledged = new AtomicLong();
  private final Failures unacknowledged = new Failures();
  private final AtomicLong delivered = new AtomicLong();
  private final AtomicLong recovered = new AtomicLong();
  private final AtomicLong spilled = new AtomicLong();
  private final AtomicLong spillEpisodes = new AtomicLong();
  private final Failures spillFailures = new Failures();
  private final Failures sinkFailures = new Failures();
  private final Failures workerFailures = new Failures();
  private final AtomicLong sinkNanos = new AtomicLong();
  private final AtomicLong longestStallNanos = new AtomicLong();
  private final AtomicLong rollovers = new AtomicLong();
  private final FlightLog flightLog;
  private volatile long sinkEnteredNanos = OUTSIDE; // written by the deliverer
  private volatile boolean sinkMissing; // written by the deliverer

  /** Creates counters of zero for an appender without a name. */
  public Counters() {
    this(new FlightLog(null, null));
  }

  /**
   * Creates counters of zero.
   *
   * @param flightLog records what counts do not show; called by the threads that count
   */
  public Counters(FlightLog flightLog) {
    this.flightLog = flightLog;
    for (LossCause cause : CAUSES) {
      int i = cause.ordinal();
      if (cause.beforeAcceptance()) {
        dropped[i] = new AtomicLong();
      } else {
        lost[i] = new AtomicLong();
        lostRecovered[i] = new AtomicLong();
        lostByLevel[i] = cause.isByPolicy() ? zeros() : null;
      }
    }
    for (int level = 0; level < fullByLevel.length; level++) {
      fullByLevel[level] = new AtomicLong();
    }
  }

  private static AtomicLong[] zeros() {
    AtomicLong[] zeros = new AtomicLong[LEVELS.size()];
    for (int level = 0; level < zeros.length; level++) {
      zeros[level] = new AtomicLong();
    }
    return zeros;
  }

  /**
   * Returns the flight log, for what a count cannot show.
   *
   * @return never null
   */
  public FlightLog flightLog() {
    return flightLog;
  }

  /**
   * Counts an event that was dropped before it was accepted.
   *
   * @param cause why
   */
  public void dropped(LossCause cause) {
    dropped[cause.ordinal()].incrementAndGet();
  }

  /**
   * Counts an event that was dropped before it was accepted because the ring was full ({@link
   * LossCause#QUEUE_FULL}).
   *
   * @param level of the event, an index in {@link #LEVELS}
   */
  public void droppedFull(int level) {
    fullByLevel[level].incrementAndGet();
    dropped[LossCause.QUEUE_FULL.ordinal()].incrementAndGet();
  }

  /**
   * Counts accepted events that were dropped as the settings require.
   *
   * @param cause one that {@linkplain LossCause#isByPolicy() settings choose}
   * @param events how many of each level
   * @param leftover whether an earlier run had accepted them
   */
  public void lost(LossCause cause, int[] events, boolean leftover) {
    long sum = 0;
    for (int level = 0; level < events.length; level++) {
      lostByLevel[cause.ordinal()][level].addAndGet(events[level]);
      sum += events[level];
    }
    lost(cause, sum, leftover);
  }

  /**
   * Counts accepted events that were lost.
   *
   * @param cause why
   * @param events how many
   * @param leftover whether an earlier run had accepted them
   */
  public void lost(LossCause cause, long events, boolean leftover) {
    (leftover ? lostRecovered : lost)[cause.ordinal()].addAndGet(events);
  }

  /**
   * Counts events that the sink took.
   *
   * @param events how many
   * @param leftover whether an earlier run had accepted them
   */
  public void delivered(long events, boolean leftover) {
    (leftover ? recovered : delivered).addAndGet(events);
  }

  /**
   * Counts the events of a batch that was written to the spill.
   *
   * @param events how many events the batch held
   */
  public void spilled(long events) {
    spilled.addAndGet(events);
  }

  /** Counts a spill episode that began. */
  public void spillEpisode() {
    spillEpisodes.incrementAndGet();
  }

  /** Counts a failed file operation of the spill. */
  public void spillFailure() {
    spillFailures.add();
  }

  /** Counts an exception of the sink or a failed operation on the log file. */
  public void sinkFailure() {
    sinkFailures.add();
  }

  /** Counts an unexpected failure of a worker, which goes on. */
  public void workerFailure() {
    workerFailures.add();
  }

  /** Counts a rollover of the log file. */
  public void rollover() {
    rollovers.incrementAndGet();
  }

  /**
   * Sets whether events wait for an appender to be nested and started.
   *
   * @param missing whether they wait
   */
  public void sinkMissing(boolean missing) {
    if (missing != sinkMissing) { // called for every event, so only changes are written
      sinkMissing = missing;
    }
  }

  boolean isSinkMissing() {
    return sinkMissing;
  }

  /**
   * Records that a batch is given to the sink.
   *
   * @param nowNanos on the clock of {@link System#nanoTime}
   */
  public void sinkEntered(long nowNanos) {
    sinkEnteredNanos = nowNanos == OUTSIDE ? 1 : nowNanos;
  }

  /**
   * Records that the sink has returned.
   *
   * @param nanos how long the sink took
   */
  public void sinkTime(long nanos) {
    sinkEnteredNanos = OUTSIDE;
    sinkNanos.addAndGet(nanos);
    if (nanos > longestStallNanos.get()) {
      longestStallNanos.set(nanos);
    }
  }

  /** Counts an application thread that begins to wait for room in the ring, perhaps without end. */
  public void blocked() {
    blockedCalls.incrementAndGet();
  }

  /**
   * Adds time that an application thread has waited for room in the ring.
   *
   * @param nanos since its wait began, or since it last called this method
   */
  public void blockedFor(long nanos) {
    blockedNanos.getAndAdd(nanos);
  }

  /** Counts a log call that has waited for its event to be written, with success. */
  public void acknowledged() {
    acknowledged.incrementAndGet();
  }

  /** Counts a log call that has returned without the acknowledgement that it was to wait for. */
  public void unacknowledged() {
    unacknowledged.add();
  }

  /**
   * Returns how many accepted events of this run are delivered or lost, that is, no longer pending.
   *
   * @return the number of events
   */
  public long settled() {
    long sum = delivered.get();
    for (LossCause cause : CAUSES) {
      if (!cause.beforeAcceptance()) {
        sum += lost[cause.ordinal()].get();
      }
    }
    return sum;
  }

  /**
   * Returns how many events were not delivered for one cause, leftovers included.
   *
   * @param cause why
   * @return the number of events
   */
  public long count(LossCause cause) {
    int i = cause.ordinal();
    return cause.beforeAcceptance() ? dropped[i].get() : lost[i].get() + lostRecovered[i].get();
  }

  /**
   * Returns how many events of one level were dropped for one cause, leftovers included.
   *
   * @param cause why
   * @param level an index in {@link #LEVELS}, or -1
   * @return the number of events; 0 for -1, and for a cause that {@linkplain LossCause#isByPolicy()
   *     settings do not choose}, since it is not counted by level
   */
  long count(LossCause cause, int level) {
    if (level < 0 || !cause.isByPolicy()) {
      return 0;
    }
    return cause.beforeAcceptance()
        ? fullByLevel[level].get()
        : lostByLevel[cause.ordinal()][level].get();
  }

  long delivered() {
    return delivered.get();
  }

  long recovered() {
    return recovered.get();
  }

  long spilled() {
    return spilled.get();
  }

  long spillEpisodes() {
    return spillEpisodes.get();
  }

  Failures spillFailures() {
    return spillFailures;
  }

  Failures sinkFailures() {
    return sinkFailures;
  }

  Failures workerFailures() {
    return workerFailures;
  }

  long sinkNanos() {
    return sinkNanos.get();
  }

  long longestStallNanos() {
    return longestStallNanos.get();
  }

  /**
   * Returns how long the batch that is in the sink now has been there.
   *
   * @param nowNanos on the clock of {@link System#nanoTime}
   * @return nanoseconds; zero if no batch is in the sink
   */
  public long currentStallNanos(long nowNanos) {
    long entered = sinkEnteredNanos;
    return entered == OUTSIDE ? 0 : Math.max(0, nowNanos - entered);
  }

  long rollovers() {
    return rollovers.get();
  }

  long acknowledgedCalls() {
    return acknowledged.get();
  }

  Failures unacknowledgedCalls() {
    return unacknowledged;
  }

  long blockedCalls() {
    return blockedCalls.get();
  }

  long blockedNanos() {
    return blockedNanos.get();
  }

  /** Counts failures of one kind and keeps the time of the last one. */
  static final class Failures {
    private final AtomicLong count = new AtomicLong();
    private volatile long lastNanos;

    private void add() {
      lastNanos = System.nanoTime();
      count.incrementAndGet(); // last: a thread that sees the count sees the time
    }

    long count() {
      return count.get();
    }

    /** Returns whether the last failure is as recent as those that {@link Health} shows. */
    boolean recent() {
      return count.get() > 0 && System.nanoTime() - lastNanos < Pulse.RECENT_NANOS;
    }
  }
}
