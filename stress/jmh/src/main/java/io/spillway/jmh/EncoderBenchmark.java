package io.spillway.jmh;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.spillway.internal.sink.PatternEncoder;
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
 * Encodes events by a pattern, as both file appenders do in the log call. The score is the time of
 * one event, averaged over a batch of new ones, whose messages are not formatted yet; average time,
 * since this work waits for nothing and varies little.
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
  private final PatternLayoutEncoder logback = Contexts.patternEncoder(context);
  private final PatternEncoder own = PatternEncoder.of(logback);
  private ILoggingEvent[] events;

  /** Called by JMH. */
  public EncoderBenchmark() {}

  /** Creates events; not timed. */
  @Setup(Level.Invocation)
  public void log() {
    events = Events.logged(context);
  }

  /** Stops the context. */
  @TearDown
  public void stop() {
    context.stop();
  }

  /** Logback's pattern encoder. */
  @Benchmark
  public void logback(Blackhole sink) {
    for (ILoggingEvent event : events) {
      sink.consume(logback.encode(event));
    }
  }

  /** Spillway's encoder, which makes the same bytes. */
  @Benchmark
  public void spillway(Blackhole sink) {
    for (ILoggingEvent event : events) {
      sink.consume(own.encode(event));
    }
  }
}
