package io.spillway.jmh;

import com.sun.management.OperatingSystemMXBean;
import io.spillway.jmh.DeliveryState.Work;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * How many events are in the file per second, from the first call to the end of the stop, and what
 * processor time an event costs, that of all threads and the caller's own work included. Counted
 * are lines in the file: an appender that takes events quickly and writes them later gains nothing.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(
    value = 3,
    jvmArgsAppend = {"-Xms1g", "-Xmx1g"})
@Warmup(iterations = 3)
@Measurement(iterations = 3)
public class DeliveryBenchmark {

  private static final int STEADY_SHARE = 40; // of two million events: ten seconds
  private static final int STEADY_RATE = 5_000;
  private static final double NANOS = 1e9;

  /** Called by JMH. */
  public DeliveryBenchmark() {}

  /** Secondary figures of one shot. */
  @State(Scope.Thread)
  @AuxCounters(AuxCounters.Type.EVENTS)
  public static class Cost {
    /** Lines in the file per second of load and stop together. */
    public double eventsPerSecond;

    /** Processor time of the process for each event, in microseconds. */
    public double cpuMicrosPerEvent;

    /** Called by JMH. */
    public Cost() {}
  }

  /** As fast as the producers can. */
  @Benchmark
  public void saturated(DeliveryState state, Cost cost) throws Exception {
    shot(state, state.events, 0, cost);
  }

  /** At 5,000 events a second, as a service does. */
  @Benchmark
  public void steady(DeliveryState state, Cost cost) throws Exception {
    shot(state, state.events / STEADY_SHARE, STEADY_RATE, cost);
  }

  private static void shot(DeliveryState state, int events, int rate, Cost cost)
      throws IOException, InterruptedException {
    Subject subject = new Subject(state.appender);
    Work work = new Work(subject.logger(), state.busy);
    OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    long cpu = system.getProcessCpuTime();
    long start = System.nanoTime();
    List<Thread> threads = new ArrayList<>();
    int each = events / state.producers;
    for (int i = 0; i < state.producers; i++) {
      long first = start + (long) (rate == 0 ? 0 : i * NANOS / rate);
      double interval = rate == 0 ? 0 : state.producers * NANOS / rate;
      threads.add(new Thread(() -> produce(work, each, first, interval)));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
    int sent = each * state.producers;
    subject.settle(sent);
    subject.stop();
    double seconds = (System.nanoTime() - start) / NANOS;
    cost.cpuMicrosPerEvent = (system.getProcessCpuTime() - cpu) / 1e3 / sent;
    cost.eventsPerSecond = sent / seconds;
    subject.close(); // counts the lines, which is not measured
  }

  private static void produce(Work work, int events, long firstNanos, double intervalNanos) {
    for (int i = 0; i < events; i++) {
      long left = firstNanos + (long) (i * intervalNanos) - System.nanoTime();
      while (intervalNanos > 0 && left > 0) {
        LockSupport.parkNanos(left);
        left = firstNanos + (long) (i * intervalNanos) - System.nanoTime();
      }
      work.log(i);
    }
  }
}
