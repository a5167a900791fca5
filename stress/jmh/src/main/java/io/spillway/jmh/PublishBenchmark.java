package io.spillway.jmh;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A log call <em>at saturation</em>: threads log as fast as they can, for a second, so that the
 * queue of every appender is as full as the appender allows. The score shows what limits a caller
 * then: the file's lock, the wait for the queue, the drop, the spill. {@link BurstBenchmark}
 * measures a call in a service that logs less.
 *
 * <p>Average time, not samples: most calls take less than the two clock readings around a sample,
 * and at saturation the mean matters, because the slowest stage determines it. The score is the
 * time of one call in one thread, so with more threads than cores it includes the time that the
 * thread waits for its turn on a core.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(
    value = 2,
    jvmArgsAppend = {"-Xms1g", "-Xmx1g"})
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class PublishBenchmark {

  /** Called by JMH. */
  public PublishBenchmark() {}

  /** One thread. */
  @Benchmark
  @Threads(1)
  public void threads1(Caller caller, Losses losses) {
    caller.log();
  }

  /** Two threads. */
  @Benchmark
  @Threads(2)
  public void threads2(Caller caller, Losses losses) {
    caller.log();
  }

  /** Eight threads. */
  @Benchmark
  @Threads(8)
  public void threads8(Caller caller, Losses losses) {
    caller.log();
  }

  /** 64 threads. */
  @Benchmark
  @Threads(64)
  public void threads64(Caller caller, Losses losses) {
    caller.log();
  }
}
