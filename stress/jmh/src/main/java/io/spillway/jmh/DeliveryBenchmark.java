package io.spillway.jmh;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.ConcurrentHistogram;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.slf4j.Logger;

/**
 * Threads log, then the appender is stopped, and the lines in its file are counted: an appender
 * that takes events quickly and writes them later gains nothing. Processor time is that of all
 * threads, with what callers do besides.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@Fork(
    value = 1,
    jvmArgs = {"-Xms1g", "-Xmx1g"})
@Warmup(iterations = 2)
@Measurement(iterations = 3)
public class DeliveryBenchmark {
  private static final double SECOND = 1e9;
  private static final double MICRO = 1e3;

  /** What a thread does for an event. */
  public enum Caller {
    /** A log call with five arguments, and what a service does: clock, histogram, texts. */
    BUSY("order {} of {} in {} accepted after {} ns with {} items"),
    /** A log call. */
    LIGHT("order {} accepted, 3 items, customer 4711, card, total 99.90");

    private final String text;

    Caller(String text) {
      this.text = text;
    }
  }

  /** What a thread does for an event. */
  @Param public Caller caller;

  /** Events of a shot at saturation. */
  @Param("2000000")
  public int events;

  /** Threads that log. */
  @Param({"1", "8", "300"})
  public int producers;

  /** Events a second, all threads together, of a shot at a steady rate. */
  @Param("5000")
  public int rate;

  /** Duration of a shot at a steady rate. */
  @Param("5")
  public double seconds;

  /** The appender; JMH varies the parameter whose name is last in the alphabet first. */
  @Param public AppenderKind subject;

  /** Figures of a shot at saturation. */
  @State(Scope.Thread)
  @AuxCounters(AuxCounters.Type.EVENTS)
  public static class Saturated {
    /** Lines in the file per second, from the first log call to the end of the stop. */
    public double eventsPerSecond;

    /** Processor time of the process for each event. */
    public double cpuMicrosPerEvent;
  }

  /** Figures of a shot at a steady rate. */
  @State(Scope.Thread)
  @AuxCounters(AuxCounters.Type.EVENTS)
  public static class Steady {
    /** Processor time of the process for each event. */
    public double cpuMicrosPerEvent;

    /** Median duration of a log call. */
    public double logCallMicrosP50;

    /** Duration that one log call in a thousand exceeds. */
    public double logCallMicrosP999;
  }

  /** As fast as the threads can. */
  @Benchmark
  public void saturated(Saturated figures) throws Exception {
    Cost cost = shoot(events / producers, 0, null);
    figures.eventsPerSecond = cost.eventsPerSecond;
    figures.cpuMicrosPerEvent = cost.cpuMicrosPerEvent;
  }

  /** At a steady rate, as a service does. */
  @Benchmark
  public void steady(Steady figures) throws Exception {
    ConcurrentHistogram calls = new ConcurrentHistogram(3);
    Cost cost = shoot((int) (seconds * rate / producers), rate, calls);
    figures.cpuMicrosPerEvent = cost.cpuMicrosPerEvent;
    figures.logCallMicrosP50 = calls.getValueAtPercentile(50) / MICRO;
    figures.logCallMicrosP999 = calls.getValueAtPercentile(99.9) / MICRO;
  }

  private record Cost(double eventsPerSecond, double cpuMicrosPerEvent) {}

  /**
   * Lets each thread log a number of events, all threads together so many a second unless it is 0.
   */
  private Cost shoot(int each, int perSecond, ConcurrentHistogram calls) throws Exception {
    try (Subject tested = new Subject(subject)) {
      Work work = new Work(tested.logger(), caller, new ConcurrentHistogram(2), calls);
      OperatingSystemMXBean system =
          ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
      long cpu = system.getProcessCpuTime();
      long start = System.nanoTime();
      Thread[] threads = new Thread[producers];
      for (int i = 0; i < producers; i++) {
        double first = perSecond == 0 ? 0 : i * SECOND / perSecond;
        double interval = perSecond == 0 ? 0 : producers * SECOND / perSecond;
        threads[i] = new Thread(() -> work.run(each, start + (long) first, interval));
        threads[i].start();
      }
      for (Thread thread : threads) {
        thread.join();
      }
      tested.stop();
      double nanos = System.nanoTime() - start;
      double cpuNanos = system.getProcessCpuTime() - cpu;
      int sent = each * producers;
      tested.requireLines(sent);
      return new Cost(sent / nanos * SECOND, cpuNanos / MICRO / sent);
    }
  }

  /** What threads do for their events; {@code calls}, if there is one, gets durations of calls. */
  private record Work(
      Logger logger, Caller caller, ConcurrentHistogram requests, ConcurrentHistogram calls) {

    void run(int events, long first, double interval) {
      for (int i = 0; i < events; i++) {
        long due = first + (long) (i * interval);
        while (interval > 0 && System.nanoTime() < due) {
          LockSupport.parkNanos(due - System.nanoTime());
        }
        Object[] arguments = caller == Caller.BUSY ? served(i) : new Object[] {i};
        long call = calls == null ? 0 : System.nanoTime();
        logger.info(caller.text, arguments);
        if (calls != null) {
          calls.recordValue(System.nanoTime() - call);
        }
      }
    }

    private Object[] served(int event) {
      long start = System.nanoTime();
      String customer = "customer-" + (event & 1023);
      String region = customer.substring(9).toUpperCase(Locale.ROOT);
      requests.recordValue(System.nanoTime() - start);
      return new Object[] {event, customer, region, start & 0xffff, event & 7};
    }
  }
}
