package io.spillway.internal.route;

import ch.qos.logback.classic.spi.ILoggingEvent;
import io.spillway.internal.codec.CodecException;
import io.spillway.internal.codec.EventCodec;
import io.spillway.internal.metrics.Reports;
import io.spillway.internal.sink.Batch;
import io.spillway.internal.sink.ByteBatch;
import io.spillway.internal.sink.EventBatch;
import io.spillway.internal.sink.Tally;
import io.spillway.internal.spill.Spill;
import io.spillway.internal.spill.SpillRecord;
import java.util.Arrays;

/**
 * Turns batches of one kind into spill payloads and back. Each thread that encodes has its own
 * codec. The payload of a batch that has a {@link Tally} ends with the tally, and the tag of its
 * record says so.
 */
public abstract class BatchCodec {

  /** Creates a codec without state. */
  protected BatchCodec() {}

  /**
   * Returns a codec for chunks of bytes, which are spilled as they are. A chunk is delivered as a
   * whole, so {@code skip} is either 0 or all of its events.
   *
   * @return a codec
   */
  public static BatchCodec bytes() {
    return new Bytes();
  }

  /**
   * Returns a codec for runs of events, which {@link EventCodec} encodes.
   *
   * @param reports gets an error for each event that cannot be encoded
   * @return a codec
   */
  public static BatchCodec events(Reports reports) {
    return new Events(reports);
  }

  /** Encodes and decodes a batch of each kind, without a disk, to load the classes. */
  static void rehearse() {
    ILoggingEvent[] events = {EventCodec.sample()};
    rehearse(events(null), new EventBatch(events, 0, 0));
    rehearse(bytes(), new ByteBatch(new byte[1], 1));
  }

  private static void rehearse(BatchCodec codec, Batch batch) {
    try {
      codec.decode(Spill.rehearse(codec.encode(batch, 0, EventCodec.Foreign.UNWATCHED)));
    } catch (CodecException e) {
      throw new IllegalStateException(e); // the codec reads what it has written
    }
  }

  /**
   * Encodes a batch, leaving out events that cannot be encoded.
   *
   * @param batch the batch
   * @param skip how many events at its beginning to leave out
   * @param how whether to print foreign objects, and what is called for each event
   * @return a payload that is valid until the next call; it may have fewer events, even none
   */
  public abstract Spill.Payload encode(Batch batch, int skip, EventCodec.Foreign how);

  /**
   * Encodes a batch as {@link #encode} does, into a payload that the caller may keep.
   *
   * @param batch the batch
   * @param skip how many events at its beginning to leave out
   * @param how whether to print foreign objects, and what is called for each event
   * @return a payload that stays valid
   */
  Spill.Payload encodeToKeep(Batch batch, int skip, EventCodec.Foreign how) {
    return encode(batch, skip, how);
  }

  /**
   * Decodes a record.
   *
   * @param record a record of this codec's kind
   * @return the batch, without the events to be skipped
   * @throws CodecException if the record is malformed
   */
  public Batch decode(SpillRecord record) throws CodecException {
    byte[] payload = record.payload();
    if (record.tag() == 0) {
      return decode(payload, record.events(), record.skip());
    }
    Tally tally = tally(record.tag(), payload, record.events());
    if (tally == null) {
      throw new CodecException("a tally that does not fit");
    }
    byte[] own = Arrays.copyOf(payload, payload.length - Tally.BYTES);
    int skip = record.skip();
    Batch batch = decode(own, record.events(), 0).with(tally);
    return skip == 0 ? batch : decode(own, record.events(), skip).with(batch.tally(skip));
  }

  /**
   * Returns levels and age of the events of a payload of any kind.
   *
   * @param tag tag of its record
   * @param payload all of the payload
   * @param events how many events it has
   * @return the tally; null if the payload has none
   */
  static Tally tally(int tag, byte[] payload, int events) {
    return tag == Tally.BYTES ? Tally.read(payload, events) : null;
  }

  /** Appends the tally of the batch to a payload, unless some events could not be encoded. */
  private static Spill.Payload tallied(Spill.Payload payload, Batch batch, int skip) {
    Tally tally = batch.tally(skip);
    if (tally == null || payload.events() == 0 || payload.events() != batch.events() - skip) {
      return payload;
    }
    byte[] bytes = tally.behind(payload.bytes(), payload.length());
    return new Spill.Payload(bytes, 0, bytes.length, payload.events(), Tally.BYTES);
  }

  /**
   * Decodes a payload.
   *
   * @param payload a payload of this codec's kind
   * @param events how many events the record says it holds
   * @param skip how many events at its beginning to leave out
   * @return the batch
   * @throws CodecException if the payload is malformed
   */
  public abstract Batch decode(byte[] payload, int events, int skip) throws CodecException;

  /**
   * Returns a codec of the same kind, for another thread.
   *
   * @return a new codec, or this one if it keeps nothing
   */
  public abstract BatchCodec another();

  private static final class Bytes extends BatchCodec {
    private static final byte[] NOTHING = {};

    @Override
    public Spill.Payload encode(Batch batch, int skip, EventCodec.Foreign how) {
      byte[] bytes = skip == 0 ? ((ByteBatch) batch).bytes() : NOTHING;
      int events = batch.events() - skip;
      return tallied(new Spill.Payload(bytes, 0, bytes.length, events, 0), batch, skip);
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
    public Spill.Payload encode(Batch batch, int skip, EventCodec.Foreign how) {
      EventBatch run = (EventBatch) batch;
      Spill.Payload payload;
      try {
        int encoded = codec.encode(run.array(), run.from() + skip, run.array().length, how, failed);
        payload = new Spill.Payload(codec.buffer(), 0, codec.length(), encoded, 0);
      } finally {
        codec.releaseHugeBuffer(); // also after an OutOfMemoryError
      }
      return tallied(payload, batch, skip);
    }

    @Override
    Spill.Payload encodeToKeep(Batch batch, int skip, EventCodec.Foreign how) {
      Spill.Payload shared = encode(batch, skip, how);
      if (shared.tag() != 0) {
        return shared; // already a copy
      }
      byte[] own = Arrays.copyOf(shared.bytes(), shared.length());
      return new Spill.Payload(own, 0, own.length, shared.events(), 0);
    }

    @Override
    public Batch decode(byte[] payload, int events, int skip) throws CodecException {
      // No heap size: it is never in the memory hand-off.
      return new EventBatch(EventCodec.decode(payload), skip, 0);
    }

    @Override
    public BatchCodec another() {
      return new Events(reports);
    }
  }
}
