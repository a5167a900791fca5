package io.spillway.internal.sink;

import java.util.Arrays;

/** Encoded events for the own log file, as one chunk of bytes that ends with an event. */
public final class ByteBatch extends Batch {
  private static final int OBJECT_BYTES = 64;

  private final byte[] bytes;
  private final int events;

  /**
   * Creates a batch.
   *
   * @param bytes used as a whole, not copied
   * @param events how many events the bytes hold
   */
  public ByteBatch(byte[] bytes, int events) {
    this(bytes, events, null);
  }

  private ByteBatch(byte[] bytes, int events, Tally tally) {
    super(tally);
    this.bytes = bytes;
    this.events = events;
  }

  @Override
  public Batch with(Tally known) {
    return new ByteBatch(bytes, events, known);
  }

  /**
   * Returns this batch without its last event.
   *
   * @param end index of the byte at which the last event begins
   * @return the other events
   */
  public ByteBatch before(int end) {
    return new ByteBatch(Arrays.copyOf(bytes, end), events - 1);
  }

  /**
   * Returns the last event of this batch.
   *
   * @param begin index of the byte at which it begins
   * @return a batch of that event alone
   */
  public ByteBatch from(int begin) {
    return new ByteBatch(Arrays.copyOfRange(bytes, begin, bytes.length), 1);
  }

  /**
   * Returns the chunk.
   *
   * @return the array itself, not a copy
   */
  public byte[] bytes() {
    return bytes;
  }

  @Override
  public int events() {
    return events;
  }

  @Override
  public long heapBytes() {
    return (long) bytes.length + OBJECT_BYTES;
  }
}
