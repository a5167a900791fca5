package io.spillway.internal.ring;

import ch.qos.logback.core.encoder.Encoder;
import java.nio.charset.StandardCharsets;

/**
 * Batches of bytes, made by any encoder.
 *
 * @param <E> the type of event
 */
public final class EncodingBatcher<E> extends ByteBatcher<E> {
  private final Encoder<E> encoder;

  /**
   * A batcher.
   *
   * @param encoder started
   */
  public EncodingBatcher(Encoder<E> encoder) {
    super(new EncodedText(StandardCharsets.UTF_8, TARGET_BYTES)); // its bytes alone, no text
    this.encoder = encoder;
  }

  @Override
  void encode(E event, Object[] arguments) {
    byte[] encoded = encoder.encode(event);
    if (encoded != null) {
      text.append(encoded);
    }
  }
}
