package io.spillway.internal.route;

import io.spillway.internal.codec.CodecException;
import io.spillway.internal.codec.EventCodec;
import io.spillway.internal.metrics.Reports;
import io.spillway.internal.sink.Batch;
import io.spillway.internal.sink.EventBatch;
import io.spillway.internal.spill.Spill;
import io.spillway.internal.spill.SpillKind;

/** Runs of events through {@link EventCodec}. */
public final class EventBatchCodec implements BatchCodec {
  private final EventCodec codec = new EventCodec();
  private final Reports reports;
  private final EventCodec.EncodeFailure failed;

  /**
   * A codec.
   *
   * @param reports told of events that cannot be encoded
   */
  public EventBatchCodec(Reports reports) {
    this.reports = reports;
    failed =
        (index, cause) ->
            reports.error(
                "encode",
                "An event cannot be written to the spill, it is counted as lost (ENCODE_FAILED).",
                cause);
  }

  @Override
  public SpillKind kind() {
    return SpillKind.EVENTS;
  }

  @Override
  public Spill.Payload encode(Batch batch, int skip, EventCodec.Foreign how) {
    EventBatch run = (EventBatch) batch;
    int encoded = codec.encode(run.array(), run.from() + skip, run.array().length, how, failed);
    Spill.Payload payload = new Spill.Payload(codec.buffer(), 0, codec.length(), encoded);
    codec.letGoOfHugeBuffer();
    return payload;
  }

  @Override
  public Batch decode(byte[] payload, int events, int skip) throws CodecException {
    return new EventBatch(EventCodec.decode(payload), skip);
  }

  @Override
  public BatchCodec another() {
    return new EventBatchCodec(reports);
  }
}
