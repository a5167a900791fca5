package io.spillway.jmh;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import io.spillway.SpillwayAppender;
import io.spillway.metrics.SpillwayMetrics;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A log call while the sink stands still, memory is full and every batch goes to the spill. Threads
 * log as fast as they can, so the ring fills up as soon as callers are faster than the spill's
 * disk. The counter {@code blocked} gives the number of calls that waited for a slot; the score
 * means little without it.
 *
 * <p>Samples, not the mean: most calls only take a slot, a few wait, and the percentiles tell the
 * two apart. A sample includes two clock readings, tens of nanoseconds, so scores compare with each
 * other, but not with {@link PublishBenchmark}.
 */
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(
    value = 2,
    jvmArgsAppend = {"-Xms1g", "-Xmx1g"})
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class SpillingBenchmark {

  /** Called by JMH. */
  public SpillingBenchmark() {}

  /** An appender whose sink stands still while it is measured, and catches up in between. */
  @State(Scope.Benchmark)
  public static class Stalled {
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final LoggerContext context = Contexts.create();
    private final StandstillAppender sink = new StandstillAppender();
    private final SpillwayAppender appender = new SpillwayAppender();
    private WorkDirectory directory;
    private long spilledBefore;
    private long blockedBefore;

    /** Called by JMH. */
    public Stalled() {}

    /** Starts the appender. */
    @Setup(Level.Trial)
    public void start() throws IOException {
      directory = WorkDirectory.create();
      sink.setContext(context);
      sink.start();
      appender.setContext(context);
      appender.setName("SPILLWAY");
      appender.setSpillDirectory(directory.path().resolve("spill").toString());
      appender.setMaxSpillSize("8 GB");
      appender.setMaxFlushTime("0");
      appender.addAppender(sink);
      appender.start();
      Contexts.attach(context, appender);
    }

    /** Stops the sink and fills memory, until batches go to the spill. */
    @Setup(Level.Iteration)
    public void stall() {
      sink.stall();
      SpillwayMetrics metrics = appender.getMetrics();
      spilledBefore = metrics.getSpilled();
      while (metrics.getSpilled() == spilledBefore) {
        logger().info("fills memory, so that what is measured goes to the spill");
      }
      spilledBefore = metrics.getSpilled();
      blockedBefore = metrics.getBlockedCalls();
    }

    /** Releases the sink, and waits until all events are delivered; fails if any was lost. */
    @TearDown(Level.Iteration)
    public void catchUp() {
      sink.goOn();
      SpillwayMetrics metrics = appender.getMetrics();
      if (!appender.awaitDelivered(PATIENCE) || metrics.getLost() + metrics.getDropped() > 0) {
        throw new IllegalStateException("Not all delivered: " + metrics.getLossByCause());
      }
    }

    /** Stops the appender and deletes its files. */
    @TearDown(Level.Trial)
    public void stop() {
      context.stop();
      directory.close();
    }

    Logger logger() {
      return context.getLogger("io.spillway.jmh.Service");
    }
  }

  /** One thread that logs. */
  @State(Scope.Thread)
  public static class Client {
    private Logger logger;
    private long number;

    /** Called by JMH. */
    public Client() {}

    /** Takes the logger of the trial. */
    @Setup(Level.Trial)
    public void join(Stalled stalled) {
      logger = stalled.logger();
    }

    void log() {
      logger.info(
          "order {} accepted, 3 items, customer 4711, payment by card, total 99.90", number++);
    }
  }

  /** Counters of an iteration; each event is counted by one thread, no matter which. */
  @State(Scope.Thread)
  @AuxCounters(AuxCounters.Type.EVENTS)
  public static class Spilled {
    /** Events written to the spill. */
    public long spilled;

    /** Calls that found the ring full and waited. */
    public long blocked;

    /** Called by JMH. */
    public Spilled() {}

    /** Takes the counts that no other thread has taken. */
    @TearDown(Level.Iteration)
    public void read(Stalled stalled) {
      synchronized (stalled) {
        SpillwayMetrics metrics = stalled.appender.getMetrics();
        spilled = metrics.getSpilled() - stalled.spilledBefore;
        blocked = metrics.getBlockedCalls() - stalled.blockedBefore;
        stalled.spilledBefore += spilled;
        stalled.blockedBefore += blocked;
      }
    }
  }

  /** One thread. */
  @Benchmark
  @Threads(1)
  public void threads1(Client client, Spilled spilled) {
    client.log();
  }

  /** Eight threads. */
  @Benchmark
  @Threads(8)
  public void threads8(Client client, Spilled spilled) {
    client.log();
  }
}
