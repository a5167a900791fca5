package io.spillway.stress.service;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * Requests at a constant rate, in an open loop: each has a due time that does not depend on earlier
 * requests. The next free connection sends it, at once if it is late, and its response time counts
 * from when it was due, so that a stall of the service neither reduces the load nor hides the waits
 * of callers. Requests that were due in the warm-up and not sent by its end are left out.
 */
final class Requests {

  /** Requests that were due and not sent this long after the end are not made. */
  private static final double PATIENCE_SECONDS = 60;

  private static final double NANOS = 1e9;
  private static final long RETRY_NANOS = 100_000_000;
  private static final long NONE = Long.MAX_VALUE;

  /** Receives response times, by {@link System#nanoTime()}; called by several threads. */
  interface Times {
    void response(long dueNanos, long endNanos);
  }

  private final Target target;
  private final double rate;
  private final Times times;
  private final long startNanos = System.nanoTime();
  private final long measureNanos;
  private final AtomicLong next = new AtomicLong();
  private final AtomicLong due = new AtomicLong();
  private final AtomicLong answered = new AtomicLong();
  private final AtomicLong measured = new AtomicLong();
  private final AtomicReference<String> failure = new AtomicReference<>();
  private final AtomicLong failed = new AtomicLong();
  private final AtomicLongArray pending;
  private final List<Thread> threads = new ArrayList<>();
  private volatile long stopNanos = NONE;
  private volatile boolean abandoned;

  /**
   * Where requests go.
   *
   * @param port the service's
   * @param connections their number
   * @param post whether requests have a body
   */
  record Target(int port, int connections, boolean post) {}

  Requests(Target target, double rate, double warmUpSeconds, Times times) {
    this.target = target;
    this.rate = rate;
    this.times = times;
    measureNanos = startNanos + (long) (warmUpSeconds * NANOS);
    pending = new AtomicLongArray(target.connections());
    for (int i = 0; i < target.connections(); i++) {
      int connection = i;
      pending.set(i, NONE);
      Thread thread = new Thread(() -> run(connection), "client-" + i);
      thread.setDaemon(true);
      threads.add(thread);
    }
  }

  void start() {
    threads.forEach(Thread::start);
  }

  /** Ends the load: only requests that are due before this time are still sent. */
  void stop(long nanos) {
    stopNanos = nanos;
    threads.forEach(LockSupport::unpark);
  }

  /** Ends the load without the requests that are due. */
  void abandon() {
    abandoned = true;
    stop(System.nanoTime());
  }

  boolean isOver() {
    return threads.stream().noneMatch(Thread::isAlive);
  }

  /** Returns the delay of the request that is the latest at this moment, in nanoseconds. */
  long lateNanos(long now) {
    long latest = 0;
    for (int i = 0; i < pending.length(); i++) {
      long since = pending.get(i);
      latest = since == NONE ? latest : Math.max(latest, now - since);
    }
    return latest;
  }

  /** Returns the number of requests that were due; read it and the others after the end. */
  long due() {
    return due.get();
  }

  long answered() {
    return answered.get();
  }

  /** Returns the requests that were answered between the warm-up and the end of the load. */
  long measured() {
    return measured.get();
  }

  /** Returns the requests that were sent and got no answer of 200. */
  long failed() {
    return failed.get();
  }

  /** Returns the first failure of a request, or null. */
  String failure() {
    return failure.get();
  }

  long startNanos() {
    return startNanos;
  }

  private void run(int connection) {
    HttpConnection open = null;
    try {
      while (!abandoned) {
        long number = next.getAndIncrement();
        long at = startNanos + (long) (number / rate * NANOS);
        pending.set(connection, at);
        awaitTime(at);
        if (at >= stopNanos) {
          break;
        }
        long now = System.nanoTime();
        if (at >= measureNanos || now < measureNanos) {
          due.incrementAndGet();
          if (now - stopNanos > PATIENCE_SECONDS * NANOS) {
            times.response(at, now);
          } else {
            open = ask(open, number, at);
          }
        }
      }
    } finally {
      pending.set(connection, NONE);
      close(open);
    }
  }

  private void awaitTime(long nanos) {
    long left = nanos - System.nanoTime();
    while (left > 0 && nanos < stopNanos) {
      LockSupport.parkNanos(left);
      left = nanos - System.nanoTime();
    }
  }

  /**
   * Sends a request over a connection, which is opened if there is none; returns it if it holds.
   */
  private HttpConnection ask(HttpConnection open, long number, long at) {
    HttpConnection used = open;
    try {
      used = used == null ? new HttpConnection(target.port()) : used;
      used.ask(number, target.post());
      long now = System.nanoTime();
      times.response(at, now);
      answered.incrementAndGet();
      if (now >= measureNanos && now < stopNanos) {
        measured.incrementAndGet();
      }
      return used;
    } catch (IOException e) {
      failed.incrementAndGet();
      failure.compareAndSet(null, "a request failed: " + e);
      close(used);
      LockSupport.parkNanos(RETRY_NANOS);
      return null;
    }
  }

  private static void close(HttpConnection open) {
    try {
      if (open != null) {
        open.close();
      }
    } catch (IOException e) {
      return; // it is given up anyway
    }
  }
}
