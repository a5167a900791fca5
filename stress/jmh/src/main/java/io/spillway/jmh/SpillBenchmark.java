package io.spillway.jmh;

import io.spillway.internal.disk.SpillFiles;
import io.spillway.internal.spill.Spill;
import io.spillway.internal.spill.SpillConfig;
import io.spillway.internal.spill.SpillListener;
import java.io.IOException;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
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
 * Writes batches of events to the spill, then reads and marks them. Nothing is forced to the disk,
 * so writes end in the page cache and reads are served from it.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@OperationsPerInvocation(SpillBenchmark.RECORDS * SpillBenchmark.EVENTS)
public class SpillBenchmark {
  static final int RECORDS = 64;
  static final int EVENTS = 512; // of a record of 64 KB

  private final byte[] record = new byte[64 * 1024];
  private final Spill.Payload payload = new Spill.Payload();
  private WorkDirectory directory;
  private Spill spill;

  /** Opens the spill. */
  @Setup
  public void open() throws IOException {
    new SplittableRandom(1).nextBytes(record);
    directory = new WorkDirectory();
    SpillConfig config =
        new SpillConfig(directory.file("spill"), 1L << 30, SpillConfig.Kind.BYTES, 0, null);
    spill = new Spill(config, new SpillFiles(), new SpillListener(), () -> true);
    if (!spill.open()) {
      throw new IllegalStateException("The spill cannot be opened.");
    }
  }

  /** Closes the spill. */
  @TearDown
  public void close() {
    spill.close();
    directory.close();
  }

  /** Appends all records, then reads them. */
  @Benchmark
  public void writeAndReplay(Blackhole sink) {
    int written = 0;
    for (int i = 0; i < RECORDS; i++) {
      written += spill.append(record, record.length, EVENTS) == null ? 0 : 1;
    }
    int read = 0;
    for (Spill.Place first = spill.first(); first != null; first = spill.first()) {
      read += spill.read(first, payload) == Spill.Outcome.OK ? 1 : 0;
      sink.consume(payload.bytes);
      spill.mark(first, EVENTS);
    }
    if (written != RECORDS || read != RECORDS) {
      throw new IllegalStateException(written + " records written, " + read + " read.");
    }
  }
}
