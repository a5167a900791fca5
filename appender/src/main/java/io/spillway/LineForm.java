package io.spillway;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.spi.DeferredProcessingAware;
import io.spillway.internal.sink.PassThroughEncoder;
import io.spillway.internal.sink.PatternEncoder;
import java.util.concurrent.locks.ReentrantLock;

/** Encodes in the log call, as Logback's own appenders do: without a lock unless it has one. */
final class LineForm<E> implements PublishGate.Form<E> {
  private final Encoder<E> encoder;
  private final PatternEncoder pattern; // in place of the encoder; null if that is not possible
  private final ReentrantLock lock; // null unless the encoder is stateful

  LineForm(Encoder<E> encoder) {
    this.encoder = encoder;
    pattern = PatternEncoder.of(encoder, true);
    lock = encoder != null && PassThroughEncoder.isStateful(encoder) ? new ReentrantLock() : null;
  }

  /** Appends an event; lines of a stateful encoder keep the order in which they are encoded. */
  void append(E event, PublishGate<E> gate) {
    if (lock == null) {
      gate.append(event);
      return;
    }
    lock.lock();
    try {
      gate.append(event);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public Object of(E event) {
    if (pattern != null && event instanceof ILoggingEvent logging) {
      return pattern.encode(logging);
    }
    if (event instanceof DeferredProcessingAware deferred) {
      deferred.prepareForDeferredProcessing();
    }
    byte[] line = encoder.encode(event);
    return line == null ? new byte[0] : line;
  }

  @Override
  public int weight(Object taken) {
    return ((byte[]) taken).length;
  }
}
