package io.spillway.internal.sink;

import java.util.Arrays;

/** Encoded events for the own log file, as one chunk of bytes that ends with an event. */
public final class ByteBatch implements Batch {
  private static final int OBJECT_BYTES = 64;
  private static final int INDEX_BYTES = 1 + Long.BYTES + Integer.BYTES;

  private final byte[] bytes;
  private final int events;
  private final EventIndex index;

  /**
   * A chunk.
   *
   * @param bytes used as it is, all of it
   * @param events how many events it holds
   */
  public ByteBatch(byte[] bytes, int events) {
    this(bytes, events, null);
  }

  private ByteBatch(byte[] bytes, int events, EventIndex index) {
    this.bytes = bytes;
    this.events = events;
    this.index = index;
  }

  @Override
  public EventIndex index() {
    return index;
  }

  @Override
  public Batch with(EventIndex known) {
    return new ByteBatch(bytes, events, known);
  }

  @Override
  public Batch only(EventIndex rest, EventIndex.Selection out) {
    byte[] left = new byte[rest.ends()[rest.events() - 1]];
    int size = 0;
    for (int i = 0; i < events; i++) {
      if (!index.isIn(out, i)) {
        int begin = index.begin(i);
        int length = index.ends()[i] - begin;
        System.arraycopy(bytes, begin, left, size, length);
        size += length;
      }
    }
    return new ByteBatch(left, rest.events(), rest);
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
    return (long) bytes.length + OBJECT_BYTES + (index == null ? 0 : (long) events * INDEX_BYTES);
  }
}
