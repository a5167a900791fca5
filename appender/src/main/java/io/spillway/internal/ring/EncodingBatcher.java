package io.spillway.internal.ring;

import ch.qos.logback.core.encoder.Encoder;
import java.nio.charset.StandardCharsets;

/**
 * Makes batches of bytes with any Logback encoder.
 *
 * @param <E> the type of event
 */
public final class EncodingBatcher<E> extends ByteBatcher<E> {
  private final Encoder<E> encoder;

  /**
   * Creates a batcher.
   *
   * @param encoder a started encoder
   */
  public EncodingBatcher(Encoder<E> encoder) {
    super(new EncodedText(StandardCharsets.UTF_8, TARGET_BYTES)); // for bytes only
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
