package io.spillway.internal.sink;

import java.util.Arrays;

/**
 * Encoded events for the own log file, as one chunk of bytes that ends with an event.
 *
 * @param bytes the chunk, all of it; not copied
 * @param events how many events it holds
 * @param tally null if none of them may be dropped
 */
public record ByteBatch(byte[] bytes, int events, Tally tally) implements Batch {
  private static final int OBJECT_BYTES = 64;

  /**
   * A chunk of which nothing may be dropped.
   *
   * @param bytes used as it is, all of it
   * @param events how many events it holds
   */
  public ByteBatch(byte[] bytes, int events) {
    this(bytes, events, null);
  }

  @Override
  public Batch with(Tally known) {
    return new ByteBatch(bytes, events, known);
  }

  /**
   * This batch without its last event.
   *
   * @param end where that begins
   * @return the others
   */
  public ByteBatch before(int end) {
    return new ByteBatch(Arrays.copyOf(bytes, end), events - 1);
  }

  /**
   * The last event of this batch.
   *
   * @param begin where it begins
   * @return that alone
   */
  public ByteBatch from(int begin) {
    return new ByteBatch(Arrays.copyOfRange(bytes, begin, bytes.length), 1);
  }

  @Override
  public long heapBytes() {
    return (long) bytes.length + OBJECT_BYTES;
  }
}
