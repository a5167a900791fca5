package io.spillway.jmh;

import java.util.Locale;
import org.HdrHistogram.ConcurrentHistogram;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.slf4j.Logger;

/** What {@link DeliveryBenchmark} compares. */
@State(Scope.Benchmark)
public class DeliveryState {
  /** The kind of appender. */
  @Param({"ROLLING_FILE", "ASYNC_8192", "ASYNC_131072", "SPILLWAY", "SPILLWAY_FILE"})
  public AppenderKind appender;

  /** Threads that log. */
  @Param({"1", "8", "300"})
  public int producers;

  /** Whether producers do what a service does besides: clock, histogram, texts, five arguments. */
  @Param({"true", "false"})
  public boolean busy;

  /** Events of a shot at saturation; at a steady rate there are a fortieth. */
  @Param("2000000")
  public int events;

  /** Called by JMH. */
  public DeliveryState() {}

  /** What a producer does for an event. */
  record Work(Logger logger, boolean busy, ConcurrentHistogram histogram) {

    private static final long HIGHEST_NANOS = 3_600_000_000_000L;

    Work(Logger logger, boolean busy) {
      this(logger, busy, new ConcurrentHistogram(HIGHEST_NANOS, 2));
    }

    void log(int event) {
      if (!busy) {
        logger.info("order {} accepted, 3 items, customer 4711, card, total 99.90", event);
        return;
      }
      long start = System.nanoTime();
      String customer = "customer-" + (event & 1023);
      String region = customer.substring(9).toUpperCase(Locale.ROOT);
      histogram.recordValue(Math.min(HIGHEST_NANOS, System.nanoTime() - start));
      logger.info(
          "order {} of {} in {} accepted after {} ns with {} items",
          event,
          customer,
          region,
          start & 0xffff,
          event & 7);
    }
  }
}
