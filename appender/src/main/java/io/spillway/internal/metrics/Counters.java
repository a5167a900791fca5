package io.spillway.internal.metrics;

import io.spillway.metrics.Health;
import io.spillway.metrics.LossCause;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What happened to events, counted before it is reported.
 *
 * <p>Application threads count only when something is wrong, or when they have waited: the number
 * of accepted events is the ring's own cursor. That needs no memory, unlike a striped adder: their
 * event would be neither accepted nor counted. Everything else has one writer at a time, a worker
 * or, after the exit hook, a log call, which adds once a batch, and needs no memory for that
 * either: what was done and could not be counted would be done again. Readers may see a delivered
 * count that is ahead of a lost count by one batch, never a total that shrinks.
 */
public final class Counters {
  private static final LossCause[] CAUSES = LossCause.values();
  private static final long OUTSIDE = 0;

  /** Names of levels, from the lowest. */
  public static final List<String> LEVELS = List.of("TRACE", "DEBUG", "INFO", "WARN", "ERROR");

  private final AtomicLong[] dropped = new AtomicLong[CAUSES.length]; // null: of accepted events
  private final AtomicLong[] fullByLevel = new AtomicLong[LEVELS.size()];
  private final AtomicLong[] lost = new AtomicLong[CAUSES.length]; // null: before acceptance
  private final AtomicLong[] lostRecovered = new AtomicLong[CAUSES.length];
  private final AtomicLong[][] lostByLevel = new AtomicLong[CAUSES.length][]; // null: not so
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
  private volatile long sinkEnteredNanos = OUTSIDE; // by the deliverer
  private volatile boolean sinkMissing; // by the deliverer

  /** All zero, of an appender without a name. */
  public Counters() {
    this(new FlightLog(null, null));
  }

  /**
   * All zero.
   *
   * @param flightLog told of what happens as well, by those who count it
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
   * Where to tell what a count cannot.
   *
   * @return never null
   */
  public FlightLog flightLog() {
    return flightLog;
  }

  /**
   * An event was dropped before it was accepted.
   *
   * @param cause why
   */
  public void dropped(LossCause cause) {
    dropped[cause.ordinal()].incrementAndGet();
  }

  /**
   * An event was dropped before it was accepted, because the ring was full ({@link
   * LossCause#QUEUE_FULL}).
   *
   * @param level of the event, an index in {@link #LEVELS}
   */
  public void droppedFull(int level) {
    fullByLevel[level].incrementAndGet();
    dropped[LossCause.QUEUE_FULL.ordinal()].incrementAndGet();
  }

  /**
   * Accepted events were dropped, as the settings want it.
   *
   * @param cause one that {@linkplain LossCause#isByPolicy() is chosen}
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
   * Accepted events were lost.
   *
   * @param cause why
   * @param events how many
   * @param leftover whether an earlier run had accepted them
   */
  public void lost(LossCause cause, long events, boolean leftover) {
    (leftover ? lostRecovered : lost)[cause.ordinal()].addAndGet(events);
  }

  /**
   * The sink took events.
   *
   * @param events how many
   * @param leftover whether an earlier run had accepted them
   */
  public void delivered(long events, boolean leftover) {
    (leftover ? recovered : delivered).addAndGet(events);
  }

  /**
   * A batch was written to the spill.
   *
   * @param events how many events it held
   */
  public void spilled(long events) {
    spilled.addAndGet(events);
  }

  /** A spill episode began. */
  public void spillEpisode() {
    spillEpisodes.incrementAndGet();
  }

  /** A file operation of the spill failed. */
  public void spillFailure() {
    spillFailures.add();
  }

  /** The sink threw or an operation on the log file failed. */
  public void sinkFailure() {
    sinkFailures.add();
  }

  /** A worker met something unexpected and went on. */
  public void workerFailure() {
    workerFailures.add();
  }

  /** The log file was rolled over. */
  public void rollover() {
    rollovers.incrementAndGet();
  }

  /**
   * Events wait for an appender to be nested and started, or do no longer.
   *
   * @param missing whether they wait
   */
  public void sinkMissing(boolean missing) {
    if (missing != sinkMissing) { // asked for every event
      sinkMissing = missing;
    }
  }

  boolean isSinkMissing() {
    return sinkMissing;
  }

  /**
   * A batch is given to the sink.
   *
   * @param nowNanos on the clock of {@link System#nanoTime}
   */
  public void sinkEntered(long nowNanos) {
    sinkEnteredNanos = nowNanos == OUTSIDE ? 1 : nowNanos;
  }

  /**
   * The sink returned.
   *
   * @param nanos how long it took
   */
  public void sinkTime(long nanos) {
    sinkEnteredNanos = OUTSIDE;
    sinkNanos.addAndGet(nanos);
    if (nanos > longestStallNanos.get()) {
      longestStallNanos.set(nanos);
    }
  }

  /** An application thread begins to wait for room in the ring, perhaps for good. */
  public void blocked() {
    blockedCalls.incrementAndGet();
  }

  /**
   * It has waited, and may wait on.
   *
   * @param nanos since it began, or since this was called last
   */
  public void blockedFor(long nanos) {
    blockedNanos.getAndAdd(nanos);
  }

  /** A log call has waited for its event to be written, and it is. */
  public void acknowledged() {
    acknowledged.incrementAndGet();
  }

  /** A log call that was to wait for that has returned without it. */
  public void unacknowledged() {
    unacknowledged.add();
  }

  /**
   * Accepted events of this run that are delivered or lost, that is, no longer pending.
   *
   * @return their number
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
   * Events not delivered for one cause, leftovers included.
   *
   * @param cause why
   * @return their number
   */
  public long count(LossCause cause) {
    int i = cause.ordinal();
    return cause.beforeAcceptance() ? dropped[i].get() : lost[i].get() + lostRecovered[i].get();
  }

  /**
   * Events dropped for one cause, of one level, leftovers included.
   *
   * @param cause one that {@linkplain LossCause#isByPolicy() is chosen}
   * @param level an index in {@link #LEVELS}
   * @return their number
   */
  long count(LossCause cause, int level) {
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
   * How long the batch that is in the sink now has been there.
   *
   * @param nowNanos on the clock of {@link System#nanoTime}
   * @return zero if none is
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

  /** How often something failed, and when last. */
  static final class Failures {
    private final AtomicLong count = new AtomicLong();
    private volatile long lastNanos;

    private void add() {
      lastNanos = System.nanoTime();
      count.incrementAndGet(); // last: who sees it sees the time
    }

    long count() {
      return count.get();
    }

    /** Whether the last one is as recent as what {@link Health} tells of. */
    boolean recent() {
      return count.get() > 0 && System.nanoTime() - lastNanos < Pulse.RECENT_NANOS;
    }
  }
}
