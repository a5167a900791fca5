package io.spillway.internal.ring;

import io.spillway.internal.sink.Batch;
import io.spillway.internal.sink.ByteBatch;

/**
 * Makes batches of bytes for the own log file.
 *
 * @param <E> the type of event
 */
abstract class ByteBatcher<E> implements Batcher<E> {
  /** Large enough that a write costs nothing per event, small enough to roll over in time. */
  static final int TARGET_BYTES = 64 * 1024;

  final EncodedText text; // of all events encoded since the last take
  private int events;
  private int aloneFrom; // where the last event begins if it has a batch of its own, or 0
  private Batch alone;

  ByteBatcher(EncodedText text) {
    this.text = text;
  }

  /** Appends the bytes of an event; if it throws, nothing of the event remains. */
  abstract void encode(E event, Object[] arguments);

  @Override
  public final boolean add(E event, Object[] arguments) {
    int before = text.length();
    encode(event, arguments);
    events++; // an event for which the encoder makes no bytes counts as delivered with the batch
    int after = text.length();
    aloneFrom = after - before >= Batch.ALONE_BYTES ? before : 0;
    return after < TARGET_BYTES && events < Batch.MAX_EVENTS;
  }

  @Override
  public final Batch take() {
    if (events == 0) {
      Batch last = alone;
      alone = null;
      return last;
    }
    ByteBatch batch = new ByteBatch(text.take(), events);
    events = 0;
    if (aloneFrom == 0) {
      return batch;
    }
    alone = batch.from(aloneFrom);
    return batch.before(aloneFrom);
  }
}
