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
 * Writes records to the spill, as the drainer does, and reads them, as the deliverer does. The
 * score is the time of one record of 64 KB, about a batch. {@code spillSync} is {@code OS}, so
 * writes end in the page cache and reads are served from it. A burst of 64 records is read after
 * the timed writes, or written before the timed reads, so that the spill stays small however long
 * an iteration is. Average time, because the mean limits the drainer's throughput.
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

  /** Called by JMH. */
  public SpillBenchmark() {}

  /**
   * A spill in a separate directory. It has benchmark scope, because JMH would give a state that
   * depends on one of thread scope another instance.
   */
  @State(Scope.Benchmark)
  public static class OpenSpill {
    private final byte[] record = new byte[64 * 1024];
    private WorkDirectory directory;
    private Spill spill;

    /** Called by JMH. */
    public OpenSpill() {}

    /** Opens the spill. */
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

    /** Deletes files that have been read, as the deliverer does when idle; not timed. */
    @TearDown(Level.Invocation)
    public void maintain() {
      spill.maintain();
    }

    /** Closes the spill; fails if it still holds a record. */
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

  /** Empties the spill after each {@link #write}. */
  @State(Scope.Thread)
  public static class ReadAfterwards {
    /** Called by JMH. */
    public ReadAfterwards() {}

    /** Reads all records; not timed. */
    @TearDown(Level.Invocation)
    public void empty(OpenSpill spill, Blackhole sink) {
      spill.readAll(sink);
    }
  }

  /** Fills the spill before each {@link #read}. */
  @State(Scope.Thread)
  public static class WrittenBefore {
    /** Called by JMH. */
    public WrittenBefore() {}

    /** Writes all records; not timed. */
    @Setup(Level.Invocation)
    public void fill(OpenSpill spill) {
      spill.writeAll();
    }
  }

  /** Writes a record: header, checksum and one write call. */
  @Benchmark
  public void write(OpenSpill spill, ReadAfterwards afterwards) {
    spill.writeAll();
  }

  /** Reads a record, verifies it, and advances the cursor. */
  @Benchmark
  public void read(OpenSpill spill, WrittenBefore before, Blackhole sink) {
    spill.readAll(sink);
  }
}
