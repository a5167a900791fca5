package io.spillway.internal.route;

import io.spillway.internal.codec.EventCodec;
import io.spillway.internal.sink.Batch;
import io.spillway.internal.sink.ByteBatch;
import io.spillway.internal.spill.Spill;
import io.spillway.internal.spill.SpillKind;

/**
 * Chunks of bytes, spilled as they are. A chunk is delivered whole, so skipping is all or nothing.
 */
public final class ByteBatchCodec implements BatchCodec {
  private static final byte[] NOTHING = {};

  /** A codec without state. */
  public ByteBatchCodec() {}

  @Override
  public SpillKind kind() {
    return SpillKind.BYTES;
  }

  @Override
  public Spill.Payload encode(Batch batch, int skip, EventCodec.Foreign how) {
    byte[] bytes = skip == 0 ? ((ByteBatch) batch).bytes() : NOTHING;
    return new Spill.Payload(bytes, 0, bytes.length, batch.events() - skip);
  }

  @Override
  public Batch decode(byte[] payload, int events, int skip) {
    return new ByteBatch(payload, events);
  }

  @Override
  public BatchCodec another() {
    return this;
  }
}
