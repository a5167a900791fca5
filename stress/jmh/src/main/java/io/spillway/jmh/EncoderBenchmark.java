package io.spillway.jmh;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import io.spillway.internal.sink.PatternEncoder;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
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
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/**
 * Encodes events by a pattern, as both file appenders do in the log call; events are new, so their
 * messages are not formatted yet.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@OperationsPerInvocation(EncoderBenchmark.BATCH)
public class EncoderBenchmark {
  static final int BATCH = 512;
  private static final long FIRST_MILLIS = 1_790_000_000_000L;
  private static final int PER_MILLI = 5; // dates repeat as under load, 5,000 events a second
  private static final int THREADS = 8;

  /** {@code PatternLayoutEncoder} and {@code PatternEncoder}, which make the same bytes. */
  public enum Kind {
    LOGBACK,
    SPILLWAY
  }

  /** The encoder. */
  @Param public Kind subject;

  private final LoggerContext context = new LoggerContext();
  private final Logger logger = context.getLogger("io.spillway.jmh.Service");
  private final ILoggingEvent[] events = new ILoggingEvent[BATCH];
  private Function<ILoggingEvent, byte[]> encoder;

  /** Creates the encoder. */
  @Setup
  public void start() {
    PatternLayoutEncoder logback = new PatternLayoutEncoder();
    logback.setContext(context);
    logback.setPattern(AppenderKind.PATTERN);
    logback.start();
    encoder = subject == Kind.LOGBACK ? logback::encode : PatternEncoder.of(logback, true)::encode;
  }

  /** Creates events; not timed. */
  @Setup(org.openjdk.jmh.annotations.Level.Invocation)
  public void log() {
    for (int i = 0; i < BATCH; i++) {
      String text = "order {} accepted, 3 items, customer 4711, payment by card, total 99.90";
      LoggingEvent event =
          new LoggingEvent("fqcn", logger, Level.INFO, text, null, new Object[] {i});
      event.setThreadName("worker-" + i % THREADS);
      event.setInstant(Instant.ofEpochMilli(FIRST_MILLIS + i / PER_MILLI));
      event.setMDCPropertyMap(Map.of());
      events[i] = event;
    }
  }

  /** Encodes a batch. */
  @Benchmark
  public void encode(Blackhole sink) {
    for (ILoggingEvent event : events) {
      sink.consume(encoder.apply(event));
    }
  }
}
