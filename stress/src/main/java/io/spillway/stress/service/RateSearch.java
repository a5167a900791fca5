package io.spillway.stress.service;

import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * Searches the highest rate of requests at which 99 % of the responses come within a limit.
 *
 * @param target where requests go
 * @param p99Millis the limit
 * @param stepSeconds how long each rate is tried, after a quarter of that as warm-up
 */
record RateSearch(Requests.Target target, double p99Millis, double stepSeconds) {

  private static final double FIRST_STEP = 1.5;
  private static final int STEPS = 12;
  private static final int REFINEMENTS = 2;
  private static final double WARM_UP = 0.25;
  private static final double NANOS = 1e9;
  private static final double NANOS_PER_MILLI = 1e6;
  private static final long POLL_NANOS = 5_000_000;
  private static final double P99 = 99;

  /**
   * Raises the rate in steps until one exceeds the limit twice, then bisects between that step and
   * the one before. A single failure may be a stall of the machine, and would hide all higher
   * rates.
   *
   * @return the rate, or null if even the first one was too high
   */
  Double highest(double fromRate) throws InterruptedException {
    double within = 0;
    double beyond = 0;
    double rate = fromRate;
    for (int i = 0; i < STEPS && beyond == 0; i++) {
      if (isWithin(rate) || isWithin(rate)) {
        within = rate;
        rate *= FIRST_STEP;
      } else {
        beyond = rate;
      }
    }
    for (int i = 0; i < REFINEMENTS && within > 0 && beyond > 0; i++) {
      rate = Math.sqrt(within * beyond);
      if (isWithin(rate)) {
        within = rate;
      } else {
        beyond = rate;
      }
    }
    return within == 0 ? null : within;
  }

  private boolean isWithin(double rate) throws InterruptedException {
    Histogram times = new ConcurrentHistogram(2);
    double warmUpSeconds = WARM_UP * stepSeconds;
    long measured = System.nanoTime() + (long) (warmUpSeconds * NANOS);
    Requests requests =
        new Requests(
            target,
            rate,
            warmUpSeconds,
            (due, end) -> {
              if (due >= measured) {
                times.recordValue(Math.max(0, end - due));
              }
            });
    requests.start();
    requests.stop(measured + (long) (stepSeconds * NANOS));
    while (!requests.isOver()) {
      if (Thread.interrupted()) {
        requests.abandon();
        throw new InterruptedException();
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
    return requests.answered() == requests.due()
        && times.getValueAtPercentile(P99) <= p99Millis * NANOS_PER_MILLI;
  }
}
