package io.spillway.jmh;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ClassLoadingMXBean;
import java.lang.management.ManagementFactory;
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

/**
 * What logging adds to the start of an application: a JVM that has not logged yet configures the
 * appender from XML and logs one event. The stop is not part of it.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@Fork(5)
@Warmup(iterations = 0)
@Measurement(iterations = 1)
public class StartBenchmark {
  private static final double MILLI = 1e6;

  /** The appender. */
  @Param public AppenderKind subject;

  /** Figures of a start. */
  @State(Scope.Thread)
  @AuxCounters(AuxCounters.Type.EVENTS)
  public static class Start {
    /** Processor time of the process. */
    public double cpuMillis;

    /** Duration. */
    public double millis;

    /** Classes that were loaded. */
    public double loadedClasses;
  }

  /** Configures, logs one event. */
  @Benchmark
  public void firstEvent(Start figures) throws Exception {
    OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    ClassLoadingMXBean classes = ManagementFactory.getClassLoadingMXBean();
    long loaded = classes.getTotalLoadedClassCount();
    long cpu = system.getProcessCpuTime();
    long start = System.nanoTime();
    try (Subject tested = new Subject(subject)) {
      tested.logger().info("started");
      figures.millis = (System.nanoTime() - start) / MILLI;
      figures.cpuMillis = (system.getProcessCpuTime() - cpu) / MILLI;
      figures.loadedClasses = classes.getTotalLoadedClassCount() - loaded;
      tested.stop();
      tested.requireLines(1);
    }
  }
}
