package io.spillway.internal.ring;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Group;
import org.openjdk.jmh.annotations.GroupThreads;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;
import org.openjdk.jmh.infra.Control;

/**
 * The ring alone, of the default size, without logging around it: with room, and with publishers at
 * full speed beside a consumer that only polls. The scores of interest in the groups are {@code
 * publishers2:publish2} and {@code publishers8:publish8}; {@code refused} counts the attempts that
 * found the ring full. If there are many, the scores show the consumer's throughput.
 *
 * <p>Average time: a publication takes less than reading the clock.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(2)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class RingBenchmark {
  private static final int BURST = 8192; // half of the ring
  private static final Object EVENT = new Object();

  /** Called by JMH. */
  public RingBenchmark() {}

  /** A ring that one thread half fills, then empties. */
  @State(Scope.Thread)
  public static class Emptied {
    private final EventRing<Object> ring = new EventRing<>(EventRing.MIN_CAPACITY, event -> 0, 0);

    /** Called by JMH. */
    public Emptied() {}

    /** Empties the ring; not timed. */
    @Setup(Level.Invocation)
    public void empty(Blackhole sink) {
      Rings.empty(ring, sink);
    }
  }

  /** A ring between publishers and a consumer. */
  @State(Scope.Group)
  public static class Shared {
    private final EventRing<Object> ring = new EventRing<>(EventRing.MIN_CAPACITY, event -> 0, 0);

    /** Called by JMH. */
    public Shared() {}
  }

  /** Attempts that found the ring full. */
  @State(Scope.Thread)
  @AuxCounters(AuxCounters.Type.EVENTS)
  public static class Attempts {
    /** The number of such attempts. */
    public long refused;

    /** Called by JMH. */
    public Attempts() {}
  }

  /** Publishes with room and without contention: the lower bound of a publication's cost. */
  @Benchmark
  @OperationsPerInvocation(BURST)
  public void withRoom(Emptied emptied) {
    for (int i = 0; i < BURST; i++) {
      if (!emptied.ring.tryPublish(EVENT)) {
        throw new IllegalStateException("No room.");
      }
    }
  }

  /** Two publishers and a consumer that only polls. */
  @Benchmark
  @Group("publishers2")
  @GroupThreads(2)
  public void publish2(Shared shared, Attempts attempts, Control control) {
    publish(shared, attempts, control);
  }

  /** The consumer of {@link #publish2}. */
  @Benchmark
  @Group("publishers2")
  @GroupThreads(1)
  public void poll2(Shared shared, Blackhole sink) {
    Rings.empty(shared.ring, sink);
  }

  /** Eight publishers and a consumer that only polls. */
  @Benchmark
  @Group("publishers8")
  @GroupThreads(8)
  public void publish8(Shared shared, Attempts attempts, Control control) {
    publish(shared, attempts, control);
  }

  /** The consumer of {@link #publish8}. */
  @Benchmark
  @Group("publishers8")
  @GroupThreads(1)
  public void poll8(Shared shared, Blackhole sink) {
    Rings.empty(shared.ring, sink);
  }

  private static void publish(Shared shared, Attempts attempts, Control control) {
    // At the end of a trial the consumer may stop before the publishers.
    while (!shared.ring.tryPublish(EVENT) && !control.stopMeasurement) {
      attempts.refused++;
      Thread.yield(); // with fewer cores than threads, spinning would delay the consumer
    }
  }
}
