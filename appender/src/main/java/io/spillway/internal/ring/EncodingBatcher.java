package io.spillway.internal.ring;

import ch.qos.logback.core.encoder.Encoder;
import io.spillway.internal.sink.Batch;
import io.spillway.internal.sink.ByteBatch;
import java.io.ByteArrayOutputStream;

/**
 * Batches of bytes, made by any encoder.
 *
 * @param <E> the type of event
 */
public final class EncodingBatcher<E> implements Batcher<E> {
  /** Large enough that a write costs nothing per event, small enough to roll over in time. */
  static final int TARGET_BYTES = 64 * 1024;

  private static final int RETAINED_BYTES = 4 * TARGET_BYTES;

  private final Encoder<E> encoder;
  private ByteArrayOutputStream bytes = new ByteArrayOutputStream(TARGET_BYTES);
  private int events;
  private int aloneFrom; // where an event begins that has a batch of its own, or 0
  private Batch alone;

  /**
   * A batcher.
   *
   * @param encoder started
   */
  public EncodingBatcher(Encoder<E> encoder) {
    this.encoder = encoder;
  }

  @Override
  public boolean add(E event) {
    byte[] encoded = encoder.encode(event);
    if (encoded != null) {
      aloneFrom = encoded.length >= Batch.ALONE_BYTES ? bytes.size() : 0;
      bytes.write(encoded, 0, encoded.length); // all of it, or nothing and an OutOfMemoryError
    }
    events++; // an encoder may make nothing of an event: that is its delivery
    return bytes.size() < TARGET_BYTES && events < Batch.MAX_EVENTS;
  }

  @Override
  public Batch take() {
    if (events == 0) {
      Batch last = alone;
      alone = null;
      return last;
    }
    int taken = events;
    events = 0;
    ByteArrayOutputStream full = bytes;
    try {
      byte[] chunk = full.toByteArray();
      if (chunk.length > RETAINED_BYTES) {
        bytes = new ByteArrayOutputStream(TARGET_BYTES); // one huge event must not hold memory
      }
      ByteBatch batch = new ByteBatch(chunk, taken);
      if (aloneFrom == 0) {
        return batch;
      }
      alone = batch.from(aloneFrom);
      return batch.before(aloneFrom);
    } finally {
      aloneFrom = 0;
      full.reset();
    }
  }
}
