package io.spillway.jmh;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.encoder.Encoder;
import io.spillway.internal.ring.Batcher;
import io.spillway.internal.ring.EncodingBatcher;
import io.spillway.internal.ring.PatternBatcher;
import io.spillway.internal.sink.Batch;
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
 * Encodes events into bytes, as the drainer does for {@code SpillwayRollingFileAppender}, and
 * Logback's file appenders do in the calling thread. The score is the time of one event, averaged
 * over a batch, the drainer's unit of work; average time, since this work waits for nothing and
 * varies little.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(2)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@OperationsPerInvocation(Events.BATCH)
public class EncoderBenchmark {
  private final LoggerContext context = Contexts.create();
  private ILoggingEvent[] events;
  private PatternLayoutEncoder pattern;
  private JsonEncoder json;
  private Batcher<ILoggingEvent> patternBatcher;
  private Batcher<ILoggingEvent> encoderBatcher;
  private Batcher<ILoggingEvent> jsonBatcher;

  /** Called by JMH. */
  public EncoderBenchmark() {}

  /** Creates encoders and events. */
  @Setup
  public void start() {
    events = Events.batch(context, Events.Content.PLAIN);
    pattern = Contexts.patternEncoder(context);
    json = new JsonEncoder();
    json.setContext(context);
    json.start();
    patternBatcher = PatternBatcher.forEncoder(pattern).get();
    encoderBatcher = new EncodingBatcher<>(pattern);
    jsonBatcher = new EncodingBatcher<>(json);
  }

  /** Stops the context. */
  @TearDown
  public void stop() {
    context.stop();
  }

  /** Logback's pattern encoder: a byte array for each event. */
  @Benchmark
  public void patternByEncoder(Blackhole sink) {
    encode(pattern, sink);
  }

  /**
   * Logback's pattern encoder, its arrays gathered into batches; Spillway's way for encoders
   * without a special batcher.
   */
  @Benchmark
  public void patternByEncoderInBatches(Blackhole sink) {
    batch(encoderBatcher, sink);
  }

  /** Spillway's batcher for patterns, which produces the same bytes. */
  @Benchmark
  public void patternByBatcher(Blackhole sink) {
    batch(patternBatcher, sink);
  }

  /** Logback's JSON encoder: a byte array for each event. */
  @Benchmark
  public void jsonByEncoder(Blackhole sink) {
    encode(json, sink);
  }

  /** Logback's JSON encoder, its arrays gathered into batches. */
  @Benchmark
  public void jsonByEncoderInBatches(Blackhole sink) {
    batch(jsonBatcher, sink);
  }

  private void encode(Encoder<ILoggingEvent> encoder, Blackhole sink) {
    for (ILoggingEvent event : events) {
      sink.consume(encoder.encode(event));
    }
  }

  private void batch(Batcher<ILoggingEvent> batcher, Blackhole sink) {
    for (ILoggingEvent event : events) {
      if (!batcher.add(event, null)) {
        sink.consume(batcher.take());
      }
    }
    Batch rest = batcher.take();
    sink.consume(rest);
  }
}
