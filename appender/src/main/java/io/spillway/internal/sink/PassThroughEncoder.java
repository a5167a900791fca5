package io.spillway.internal.sink;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.encoder.EncoderBase;
import io.spillway.internal.codec.SpilledEvent;

/**
 * Stands in front of a nested appender's encoder and prints the line that the encoder made when an
 * event was spilled; everything else is the encoder's. A pattern of Logback's own converters is
 * encoded by {@link PatternEncoder}, which takes a fifth off the deliverer's work.
 *
 * <p>Concurrency: the deliverer encodes within the appender while the spiller makes lines. The
 * monitor serializes the calls, as behind an asynchronous appender an encoder meets one thread and
 * may rely on that. It is not held during a write, which may block without holding up the spiller.
 */
public final class PassThroughEncoder extends EncoderBase<ILoggingEvent> {
  private final Encoder<ILoggingEvent> encoder;
  private final PatternEncoder pattern; // in place of the encoder; null if that is not possible
  private final boolean stateful; // bytes depend on the calls before, as of a compressing encoder
  private volatile Failed failed;

  private record Failed(ILoggingEvent event, Throwable cause) {}

  private PassThroughEncoder(Encoder<ILoggingEvent> encoder) {
    this.encoder = encoder;
    setContext(encoder.getContext());
    pattern = PatternEncoder.of(encoder, false);
    stateful = isStateful(encoder);
  }

  /**
   * Returns whether an encoder has to encode lines in their order. Then {@code
   * OutputStreamAppender} of Logback 1.6 encodes and writes under one lock; before, it did not.
   */
  public static boolean isStateful(Encoder<?> encoder) {
    try {
      return (boolean) Encoder.class.getMethod("isStateful").invoke(encoder);
    } catch (ReflectiveOperationException before16) {
      return false;
    }
  }

  /** Returns what is in front of the appender's encoder, put there if need be; null without one. */
  static PassThroughEncoder before(OutputStreamAppender<ILoggingEvent> appender) {
    Encoder<ILoggingEvent> encoder = appender.getEncoder();
    if (encoder == null || encoder instanceof PassThroughEncoder) {
      return (PassThroughEncoder) encoder;
    }
    PassThroughEncoder front = new PassThroughEncoder(encoder);
    appender.setEncoder(front);
    return front;
  }

  /** Gives the appender its encoder back, unless another one is set. */
  void remove(OutputStreamAppender<ILoggingEvent> appender) {
    if (appender.getEncoder() == this) {
      appender.setEncoder(encoder);
    }
  }

  /** Makes the line of a spilled event; null from a stopped encoder, which may print nothing. */
  byte[] line(ILoggingEvent event) {
    return stateful || !encoder.isStarted() ? null : made(event);
  }

  private byte[] made(ILoggingEvent event) {
    if (pattern != null) {
      return pattern.encode(event);
    }
    synchronized (this) {
      return encoder.encode(event);
    }
  }

  @Override
  public byte[] encode(ILoggingEvent event) {
    if (!stateful && event instanceof SpilledEvent spilled && spilled.line() != null) {
      return spilled.line();
    }
    try {
      return made(event);
    } catch (Throwable cause) {
      failed = new Failed(event, cause);
      throw cause;
    }
  }

  /** Returns what the encoder threw at this event, or null; the appender has swallowed it. */
  Throwable failureOf(ILoggingEvent event) {
    Failed last = failed;
    failed = null;
    return last == null || last.event != event ? null : last.cause;
  }

  @Override
  public synchronized byte[] headerBytes() {
    return encoder.headerBytes();
  }

  @Override
  public synchronized byte[] footerBytes() {
    return encoder.footerBytes();
  }

  public boolean isStateful() {
    return stateful;
  }

  @Override
  public boolean isStarted() {
    return encoder.isStarted();
  }

  @Override
  public void start() {
    encoder.start();
  }

  @Override
  public synchronized void stop() {
    encoder.stop();
  }
}
