package io.spillway.internal.ring;

import ch.qos.logback.core.encoder.Encoder;
import java.io.ByteArrayOutputStream;

/**
 * Batches of bytes, made by any encoder.
 *
 * @param <E> the type of event
 */
public final class EncodingBatcher<E> extends ByteBatcher<E> {
  private static final int RETAINED_BYTES = 4 * TARGET_BYTES;

  private final Encoder<E> encoder;
  private ByteArrayOutputStream bytes = new ByteArrayOutputStream(TARGET_BYTES);

  /**
   * A batcher.
   *
   * @param encoder started
   */
  public EncodingBatcher(Encoder<E> encoder) {
    this.encoder = encoder;
  }

  @Override
  void encode(E event, Object[] arguments) {
    byte[] encoded = encoder.encode(event);
    if (encoded != null) {
      bytes.write(encoded, 0, encoded.length); // all of it, or nothing and an OutOfMemoryError
    }
  }

  @Override
  public int length() {
    return bytes.size();
  }

  @Override
  byte[] takeBytes() {
    byte[] chunk = bytes.toByteArray();
    if (chunk.length > RETAINED_BYTES) {
      bytes = new ByteArrayOutputStream(TARGET_BYTES); // one huge event must not hold memory
    } else {
      bytes.reset();
    }
    return chunk;
  }
}
