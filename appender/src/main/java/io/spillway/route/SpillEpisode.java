package io.spillway.route;

import io.spillway.metrics.Counters;
import io.spillway.metrics.Reports;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Tells when spilling begins and ends. The drainer begins, the deliverer ends; if a batch is
 * spilled while the deliverer ends the episode, that batch is counted in the one before. Only
 * messages depend on it.
 */
final class SpillEpisode {
  private final Counters counters;
  private final Reports reports;
  private final AtomicBoolean running = new AtomicBoolean();
  private final AtomicLong events = new AtomicLong();
  private volatile long beganNanos;

  SpillEpisode(Counters counters, Reports reports) {
    this.counters = counters;
    this.reports = reports;
  }

  void begin(int spilled) {
    if (running.compareAndSet(false, true)) {
      counters.spillEpisode();
      events.set(0);
      beganNanos = System.nanoTime();
      reports.info(
          "spill.begin", "The sink is behind and the memory buffer is full: spilling to disk.");
    }
    events.addAndGet(spilled);
  }

  void end() {
    if (running.compareAndSet(true, false)) {
      long millis = (System.nanoTime() - beganNanos) / 1_000_000;
      reports.info(
          "spill.end",
          "The sink has caught up: "
              + events.get()
              + " events went through the spill in "
              + millis
              + " ms, none of them lost by it.");
    }
  }
}
