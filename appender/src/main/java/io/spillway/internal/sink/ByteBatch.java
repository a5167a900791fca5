package io.spillway.internal.sink;

/** Encoded events for the own log file, as one chunk of bytes that ends with an event. */
public final class ByteBatch implements Batch {
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
    this.bytes = bytes;
    this.events = events;
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
