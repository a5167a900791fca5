package io.spillway.internal.sink;

import java.util.Arrays;

/** Encoded events for the own log file, as one chunk of bytes that ends with an event. */
public final class ByteBatch extends Batch {
  private static final int OBJECT_BYTES = 64;

  private final byte[] bytes;
  private final int events;

  /**
   * A chunk.
   *
   * @param bytes used as it is, all of it
   * @param events how many events it holds
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

  /**
   * The chunk.
   *
   * @return not copied
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
