package io.spillway.jmh;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A log call <em>below saturation</em>: one thread logs 256 events into an appender that has
 * processed all earlier events, so that every queue has room and no call waits for the file, except
 * {@code ROLLING_FILE}'s, which has no queue. This is what a log call costs most services most of
 * the time.
 *
 * <p>Average time over a burst: single calls are too short to be timed, and a burst is long enough
 * (tens of microseconds) that the clock readings around it do not affect the score; the wait before
 * it is not timed. One thread only, because waiting for an empty queue makes no sense while others
 * fill it.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Threads(1)
@Fork(
    value = 2,
    jvmArgsAppend = {"-Xms1g", "-Xmx1g"})
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class BurstBenchmark {
  private static final int BURST = 256; // half of the smallest queue

  /** Called by JMH. */
  public BurstBenchmark() {}

  /** Waits for an empty queue before each burst. */
  @State(Scope.Thread)
  public static class EmptyQueue {
    /** Called by JMH. */
    public EmptyQueue() {}

    /** Waits until the appender is idle; not timed. */
    @Setup(Level.Invocation)
    public void await(PublishState state) throws InterruptedException {
      Subject.Settlement settlement = state.settle();
      if (settlement.dropped() > 0 || settlement.spilled() > 0) {
        throw new IllegalStateException("A burst found no room: " + settlement);
      }
    }
  }

  /** Measures a burst of calls. */
  @Benchmark
  @OperationsPerInvocation(BURST)
  public void call(Caller caller, EmptyQueue queue) {
    for (int i = 0; i < BURST; i++) {
      caller.log();
    }
  }
}
