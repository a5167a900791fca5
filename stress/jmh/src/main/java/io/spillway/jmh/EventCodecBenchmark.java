package io.spillway.jmh;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.spillway.internal.codec.CodecException;
import io.spillway.internal.codec.EventCodec;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Encodes events for the spill and decodes them, without the disk. The score is the time of one
 * event, averaged over a batch, which stores each name once; average time, since this work waits
 * for nothing and varies little.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(2)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@OperationsPerInvocation(Events.BATCH)
public class EventCodecBenchmark {
  /** The content of events. */
  @Param public Events.Content content;

  private final LoggerContext context = Contexts.create();
  private final EventCodec codec = new EventCodec();
  private ILoggingEvent[] events;
  private byte[] payload;

  /** Called by JMH. */
  public EventCodecBenchmark() {}

  /** Creates events, and a payload of them. */
  @Setup
  public void start() {
    events = Events.batch(context, content);
    payload = Arrays.copyOf(encode(), codec.length());
  }

  /** Ends the context. */
  @TearDown
  public void stop() {
    context.stop();
  }

  /** Encodes a batch into the codec's buffer. */
  @Benchmark
  public byte[] encode() {
    int encoded = codec.encode(events, 0, events.length, null, EventCodecBenchmark::fail);
    if (encoded != events.length) {
      throw new IllegalStateException("Only " + encoded + " events encoded.");
    }
    return codec.buffer();
  }

  /** Decodes a payload into events. */
  @Benchmark
  public ILoggingEvent[] decode() throws CodecException {
    return EventCodec.decode(payload, payload.length);
  }

  private static void fail(int index, Throwable cause) {
    throw new IllegalStateException("Event " + index, cause);
  }
}
