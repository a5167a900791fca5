package io.spillway.internal.route;

import io.spillway.internal.codec.CodecException;
import io.spillway.internal.codec.EventCodec;
import io.spillway.internal.sink.Batch;
import io.spillway.internal.spill.Spill;
import io.spillway.internal.spill.SpillKind;

/** Turns batches into spill payloads and back. One per thread that encodes. */
public interface BatchCodec {
  /**
   * What its payloads are.
   *
   * @return written to every segment
   */
  SpillKind kind();

  /**
   * Encodes a batch, leaving out events that cannot be encoded.
   *
   * @param batch the batch
   * @param skip leave out this many events at its beginning
   * @param how whether to print foreign objects, and who hears of each event
   * @return valid until the next call; its events may be fewer, even none
   */
  Spill.Payload encode(Batch batch, int skip, EventCodec.Foreign how);

  /**
   * Decodes a payload.
   *
   * @param payload of this kind
   * @param events how many events the record says it holds
   * @param skip leave out this many events at its beginning
   * @return the batch
   * @throws CodecException if it is malformed
   */
  Batch decode(byte[] payload, int events, int skip) throws CodecException;

  /**
   * One more of the same kind, for another thread.
   *
   * @return a new codec
   */
  BatchCodec another();
}
