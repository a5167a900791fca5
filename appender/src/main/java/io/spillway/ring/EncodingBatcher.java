package io.spillway.ring;

import ch.qos.logback.core.encoder.Encoder;
import io.spillway.metrics.Counters;
import io.spillway.metrics.LossCause;
import io.spillway.metrics.Reports;
import io.spillway.sink.Batch;
import io.spillway.sink.ByteBatch;
import java.io.ByteArrayOutputStream;

/**
 * Batches of bytes, made by any encoder.
 *
 * @param <E> the type of event
 */
public final class EncodingBatcher<E> implements Batcher<E> {
  /** Large enough that a write costs nothing per event, small enough to roll over in time. */
  static final int TARGET_BYTES = 64 * 1024;

  private final Encoder<E> encoder;
  private final Counters counters;
  private final Reports reports;
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream(TARGET_BYTES);
  private int events;

  /**
   * A batcher.
   *
   * @param encoder started
   * @param counters told of lost events
   * @param reports told of failures
   */
  public EncodingBatcher(Encoder<E> encoder, Counters counters, Reports reports) {
    this.encoder = encoder;
    this.counters = counters;
    this.reports = reports;
  }

  @Override
  public boolean add(E event) {
    try {
      byte[] encoded = encoder.encode(event);
      if (encoded != null) {
        bytes.write(encoded, 0, encoded.length);
      }
      events++; // an encoder may make nothing of an event: that is its delivery
    } catch (Throwable t) {
      failed(t, counters, reports);
    }
    return bytes.size() < TARGET_BYTES && events < Batch.MAX_EVENTS;
  }

  static void failed(Throwable t, Counters counters, Reports reports) {
    counters.lost(LossCause.ENCODE_FAILED, 1, false);
    reports.error("encode", "The encoder threw, the event is counted as lost (ENCODE_FAILED).", t);
  }

  @Override
  public Batch take() {
    if (events == 0) {
      return null;
    }
    Batch batch = new ByteBatch(bytes.toByteArray(), events);
    bytes.reset();
    events = 0;
    return batch;
  }
}
