package io.spillway.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * Memory that is short at chosen moments, and a clock that runs fast: what {@link ShortageLoader}
 * makes code call. Nothing is short until {@link #begin}.
 */
public final class Shortage {
  /** So many times as fast as the clock of the JVM, so that patience ends soon. */
  public static final int SPEED = 20;

  private static final long START_NANOS = System.nanoTime();

  /** All threads but the one that starts and stops. */
  public static final String ALL = "all";

  private static final int MOST_PLACES = 1 << 14;
  private static final List<String> NAMES = new ArrayList<>(); // under itself
  private static volatile Shortage now;

  private final String threads;
  private final int place;
  private final int visit;
  private final int length;
  private final AtomicIntegerArray visits = new AtomicIntegerArray(MOST_PLACES);
  private final AtomicInteger left = new AtomicInteger();
  private final AtomicInteger numbers = new AtomicInteger();
  private volatile int share;
  private volatile long endNanos;
  private volatile OutOfMemoryError first;
  private final Queue<OutOfMemoryError> thrown = new ConcurrentLinkedQueue<>();

  private Shortage(String threads, int place, int visit, int length) {
    this.threads = threads;
    this.place = place;
    this.visit = visit;
    this.length = length;
  }

  /**
   * Begins to count how often threads come to places in the code, and lets memory be short from one
   * of these visits on.
   *
   * @param threads beginning of their names
   * @param place where that begins; -1 for nowhere
   * @param visit at the how-manieth visit of the place, from 1
   * @param length for so many visits of places in a row; negative: for half of so many
   */
  public static Shortage begin(String threads, int place, int visit, int length) {
    Shortage begun = new Shortage(threads, place, visit, length);
    now = begun;
    return begun;
  }

  /** Counts no more, and there is memory again. */
  public static void end() {
    now = null;
  }

  /**
   * Lets memory be short for a time, at some visits.
   *
   * @param threads beginning of their names
   * @param nanos by the JVM's clock
   * @param share of the visits, of 256
   */
  public static Shortage begin(String threads, long nanos, int share) {
    Shortage begun = new Shortage(threads, -1, 0, 0);
    begun.share = share;
    begun.endNanos = System.nanoTime() + nanos;
    now = begun;
    return begun;
  }

  private boolean isShort() {
    return share > 0
        && System.nanoTime() - endNanos < 0
        && (numbers.incrementAndGet() * 0x9e3779b9 >>> 24) < share;
  }

  private boolean isShort(int number) {
    return number > 0 && (length > 0 || number * 0x9e3779b9 < 0 || number == -length);
  }

  /** How often the threads have come to a place. */
  public int visits(int counted) {
    return visits.get(counted);
  }

  /** The first that was thrown, or null. */
  public OutOfMemoryError first() {
    return first;
  }

  /** Whether memory has been short in what a method called. */
  public boolean hasThrownIn(String method) {
    return thrown.stream()
        .flatMap(noMemory -> Stream.of(noMemory.getStackTrace()))
        .anyMatch(frame -> frame.getMethodName().equals(method));
  }

  /** Places so far. */
  public static int places() {
    synchronized (NAMES) {
      return NAMES.size();
    }
  }

  /** Where in the code a place is. */
  public static String name(int place) {
    synchronized (NAMES) {
      return NAMES.get(place);
    }
  }

  static int place(String name) {
    synchronized (NAMES) {
      NAMES.add(name);
      return NAMES.size() - 1;
    }
  }

  /** Called where memory may be short. */
  public static void at(int place) {
    Shortage current = now;
    if (current != null && current.isAbout(Thread.currentThread().getName())) {
      current.visited(place);
    }
  }

  private boolean isAbout(String name) {
    return threads.equals(ALL) ? !name.equals("main") : name.startsWith(threads);
  }

  private void visited(int here) {
    if (visits.incrementAndGet(here) == visit && here == place) {
      left.set(Math.abs(length));
    }
    if ((left.get() > 0 && isShort(left.getAndDecrement())) || isShort()) {
      OutOfMemoryError noMemory = new OutOfMemoryError(name(here));
      thrown.add(noMemory);
      if (first == null) {
        first = noMemory;
      }
      throw noMemory;
    }
  }

  /** Called instead of the JVM's. */
  public static long nanoTime() {
    return START_NANOS + (System.nanoTime() - START_NANOS) * SPEED;
  }

  /** Called instead of the JVM's. */
  public static void parkNanos(long nanos) {
    LockSupport.parkNanos(Math.max(1, nanos / SPEED));
  }

  /** Called instead of the JVM's. */
  public static void parkNanos(Object blocker, long nanos) {
    LockSupport.parkNanos(blocker, Math.max(1, nanos / SPEED));
  }
}
