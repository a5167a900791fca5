package io.spillway.jmh;

import io.spillway.internal.spill.Spill;
import io.spillway.internal.spill.SpillConfig;
import io.spillway.internal.spill.SpillKind;
import io.spillway.internal.spill.SpillListener;
import io.spillway.internal.spill.SpillRecord;
import java.io.IOException;
import java.util.SplittableRandom;
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
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/**
 * Records to disk and back, as the drainer and the deliverer do it: one record of 64 KB, about a
 * batch. {@code spillSync} is {@code OS}, so a write ends in the page cache, and so does a read. A
 * burst of 64 records at a time, which is then read outside the time, or written before it, so that
 * the spill stays small however long an iteration is. Average time: the mean is what bounds the
 * drainer's pace.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(2)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@OperationsPerInvocation(SpillBenchmark.RECORDS)
public class SpillBenchmark {
  static final int RECORDS = 64;
  private static final int EVENTS = 512;

  /** Made by JMH. */
  public SpillBenchmark() {}

  /**
   * A spill in a directory of its own. Shared, as JMH gives another one to a state that depends on
   * one of a thread.
   */
  @State(Scope.Benchmark)
  public static class OpenSpill {
    private final byte[] record = new byte[64 * 1024];
    private WorkDirectory directory;
    private Spill spill;

    /** Made by JMH. */
    public OpenSpill() {}

    /** Opens it. */
    @Setup(Level.Trial)
    public void open() throws IOException {
      new SplittableRandom(1).nextBytes(record);
      directory = WorkDirectory.create();
      spill =
          Spill.of(
              new SpillConfig(
                  directory.path().resolve("spill"), 1L << 30, SpillKind.BYTES, 0, null, false),
              new SpillListener() {},
              () -> true);
      spill.open();
    }

    /** As the deliverer does when idle: gives up files that have been read. Not timed. */
    @TearDown(Level.Invocation)
    public void maintain() {
      spill.maintain();
    }

    /** Closes it; fails if a record was left or lost. */
    @TearDown(Level.Trial)
    public void close() {
      boolean empty = spill.isEmpty();
      spill.close();
      directory.close();
      if (!empty) {
        throw new IllegalStateException("The spill still holds records.");
      }
    }

    void writeAll() {
      for (int i = 0; i < RECORDS; i++) {
        Spill.Append append = spill.append(new Spill.Payload(record, 0, record.length, EVENTS, 0));
        if (append != Spill.Append.APPENDED) {
          throw new IllegalStateException("Not written: " + append);
        }
      }
    }

    void readAll(Blackhole sink) {
      for (int i = 0; i < RECORDS; i++) {
        SpillRecord next = spill.read();
        if (next == null) {
          throw new IllegalStateException("Record " + i + " of " + RECORDS + " is missing.");
        }
        spill.beforeDelivery(next);
        sink.consume(next.payload());
        spill.delivered(next);
      }
    }
  }

  /** For {@link #write}: empties the spill again. */
  @State(Scope.Thread)
  public static class ReadAfterwards {
    /** Made by JMH. */
    public ReadAfterwards() {}

    /** Not timed. */
    @TearDown(Level.Invocation)
    public void empty(OpenSpill spill, Blackhole sink) {
      spill.readAll(sink);
    }
  }

  /** For {@link #read}: fills the spill. */
  @State(Scope.Thread)
  public static class WrittenBefore {
    /** Made by JMH. */
    public WrittenBefore() {}

    /** Not timed. */
    @Setup(Level.Invocation)
    public void fill(OpenSpill spill) {
      spill.writeAll();
    }
  }

  /** A record: header, checksum and one write. */
  @Benchmark
  public void write(OpenSpill spill, ReadAfterwards afterwards) {
    spill.writeAll();
  }

  /** A record: read, checked, and the cursor moved on. */
  @Benchmark
  public void read(OpenSpill spill, WrittenBefore before, Blackhole sink) {
    spill.readAll(sink);
  }
}
