package io.spillway.rolling;

import ch.qos.logback.core.rolling.LengthCounter;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The length of the active file, told by the appender with each write, so that asking costs no look
 * at the file. Thread-safe: one thread may write while another asks.
 */
final class ByteCount implements LengthCounter {
  private final AtomicLong bytes = new AtomicLong();

  ByteCount() {}

  @Override
  public void add(long count) {
    bytes.addAndGet(count);
  }

  @Override
  public long getLength() {
    return bytes.get();
  }

  @Override
  public void reset() {
    bytes.set(0);
  }

  /** Starts anew and returns what had been counted. */
  long take() {
    return bytes.getAndSet(0);
  }
}
