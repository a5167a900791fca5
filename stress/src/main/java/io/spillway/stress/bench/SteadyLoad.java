package io.spillway.stress.bench;

import ch.qos.logback.classic.LoggerContext;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.slf4j.Logger;

/** Logs from many threads at a steady rate; each call is made when it is due, as in a service. */
final class SteadyLoad {
  private static final long SECOND = 1_000_000_000L;

  private final Logger logger;
  private final int producers;
  private final int perSecond;
  private volatile Histogram histogram;

  /** Creates a load of 300 threads that log 5,000 events a second together. */
  SteadyLoad(LoggerContext context) {
    this(context.getLogger("io.spillway.stress.bench.Service"), 300, 5_000);
  }

  SteadyLoad(Logger logger, int producers, int perSecond) {
    this.logger = logger;
    this.producers = producers;
    this.perSecond = perSecond;
  }

  /** Logs for the given time, and returns the service times of the calls in nanoseconds. */
  Histogram run(int seconds) throws InterruptedException {
    Histogram all = recordAnew();
    long begin = System.nanoTime();
    long end = begin + seconds * SECOND;
    long interval = SECOND * producers / perSecond;
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < producers; i++) {
      long first = begin + interval * i / producers;
      threads.add(new Thread(() -> send(first, interval, end), "app-" + i));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
    return all;
  }

  /** Creates a histogram for the calls that end from now on, also those of a running load. */
  Histogram recordAnew() {
    histogram = new ConcurrentHistogram(3);
    return histogram;
  }

  private void send(long first, long interval, long end) {
    for (long due = first; due < end; due += interval) {
      for (long wait = due - System.nanoTime(); wait > 0; wait = due - System.nanoTime()) {
        LockSupport.parkNanos(wait);
      }
      long start = System.nanoTime();
      logger.info("order {} accepted, 3 items, customer 4711, payment by card, total 99.90", due);
      histogram.recordValue(System.nanoTime() - start);
    }
  }
}
