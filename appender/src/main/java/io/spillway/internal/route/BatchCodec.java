package io.spillway.internal.route;

import io.spillway.internal.codec.CodecException;
import io.spillway.internal.codec.EventCodec;
import io.spillway.internal.metrics.Reports;
import io.spillway.internal.sink.Batch;
import io.spillway.internal.sink.ByteBatch;
import io.spillway.internal.sink.EventBatch;
import io.spillway.internal.sink.EventIndex;
import io.spillway.internal.spill.Spill;
import io.spillway.internal.spill.SpillKind;
import io.spillway.internal.spill.SpillRecord;

/** Turns batches of one kind into spill payloads and back. One per thread that encodes. */
public abstract class BatchCodec {

  /** Without state. */
  protected BatchCodec() {}

  /**
   * Chunks of bytes, spilled as they are. A chunk is delivered whole, so skipping is all or
   * nothing.
   *
   * @return a codec
   */
  public static BatchCodec bytes() {
    return new Bytes();
  }

  /**
   * Runs of events through {@link EventCodec}.
   *
   * @param reports told of events that cannot be encoded
   * @return a codec
   */
  public static BatchCodec events(Reports reports) {
    return new Events(reports);
  }

  /**
   * What its payloads are.
   *
   * @return written to every segment
   */
  public abstract SpillKind kind();

  /**
   * Encodes a batch, leaving out events that cannot be encoded.
   *
   * @param batch the batch
   * @param skip leave out this many events at its beginning
   * @param how whether to print foreign objects, and who hears of each event
   * @return valid until the next call; its events may be fewer, even none
   */
  public abstract Spill.Payload encode(Batch batch, int skip, EventCodec.Foreign how);

  /**
   * Decodes a record.
   *
   * @param record of this kind
   * @return the batch, with an index if the record has one, without the events to be skipped
   * @throws CodecException if it is malformed
   */
  public Batch decode(SpillRecord record) throws CodecException {
    Batch batch = decode(record.payload(), record.events(), record.skip());
    EventIndex index = index(record);
    return index == null ? batch : batch.with(index.behind(index.events() - batch.events()));
  }

  /**
   * What a record tells of its events.
   *
   * @param record of this kind
   * @return null if it tells nothing
   */
  public EventIndex index(SpillRecord record) {
    int bytes = kind() == SpillKind.BYTES ? record.payload().length : -1;
    return EventIndex.decode(record.trailer(), record.events(), bytes);
  }

  /**
   * A payload with the index of its events, if the batch has one.
   *
   * @param batch that was encoded
   * @param skip events at its beginning that were left out
   * @param payload the others
   * @return the same payload if some of them could not be encoded
   */
  static Spill.Payload indexed(Batch batch, int skip, Spill.Payload payload) {
    EventIndex index = batch.index();
    return index == null || payload.events() == 0 || payload.events() != index.events() - skip
        ? payload
        : new Spill.Payload(
            payload.bytes(),
            payload.offset(),
            payload.length(),
            payload.events(),
            index.behind(skip).encode());
  }

  /**
   * Decodes a payload.
   *
   * @param payload of this kind
   * @param events how many events the record says it holds
   * @param skip leave out this many events at its beginning
   * @return the batch
   * @throws CodecException if it is malformed
   */
  public abstract Batch decode(byte[] payload, int events, int skip) throws CodecException;

  /**
   * One more of the same kind, for another thread.
   *
   * @return a new codec
   */
  public abstract BatchCodec another();

  private static final class Bytes extends BatchCodec {
    private static final byte[] NOTHING = {};

    @Override
    public SpillKind kind() {
      return SpillKind.BYTES;
    }

    @Override
    public Spill.Payload encode(Batch batch, int skip, EventCodec.Foreign how) {
      byte[] bytes = skip == 0 ? ((ByteBatch) batch).bytes() : NOTHING;
      return indexed(batch, skip, new Spill.Payload(bytes, 0, bytes.length, batch.events() - skip));
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

  private static final class Events extends BatchCodec {
    private final EventCodec codec = new EventCodec();
    private final Reports reports;
    private final EventCodec.EncodeFailure failed;

    Events(Reports reports) {
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
      return indexed(batch, skip, payload);
    }

    @Override
    public Batch decode(byte[] payload, int events, int skip) throws CodecException {
      return new EventBatch(EventCodec.decode(payload), skip);
    }

    @Override
    public BatchCodec another() {
      return new Events(reports);
    }
  }
}
