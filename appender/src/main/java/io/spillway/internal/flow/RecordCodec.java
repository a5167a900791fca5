package io.spillway.internal.flow;

import ch.qos.logback.classic.spi.ILoggingEvent;
import io.spillway.internal.codec.EventCodec;
import io.spillway.internal.metrics.Reports;
import io.spillway.internal.sink.Batch;
import io.spillway.internal.sink.NestedAppenderSink;
import io.spillway.internal.spill.Spill.Payload;
import java.util.zip.DataFormatException;

/** Turns batches of one kind into records of the spill and back. */
public interface RecordCodec {
  /** Returns the estimated bytes of an event, which bound a batch. */
  default int weight(Object event) {
    return 0;
  }

  /** Encodes a batch, without the lock. The record lacks the events that cannot be encoded. */
  void encode(Batch batch, Payload record);

  /** Fills a batch with a record, without the lock. */
  void decode(Payload record, Batch into) throws DataFormatException;

  /** Records of the own log file: the chunk itself. */
  final class Bytes implements RecordCodec {
    @Override
    public void encode(Batch batch, Payload record) {
      record.bytes = batch.bytes();
      record.length = batch.length();
      record.events = batch.count();
    }

    @Override
    public void decode(Payload record, Batch into) {
      into.fill(record.bytes, record.length, null, record.events, record.done, record.leftover);
    }
  }

  /** Records of events for a nested appender, each with the line that its encoder makes of it. */
  final class Events implements RecordCodec {
    private final EventCodec codec = new EventCodec();
    private final NestedAppenderSink sink;
    private final Reports reports;

    public Events(NestedAppenderSink sink, Reports reports) {
      this.sink = sink;
      this.reports = reports;
    }

    @Override
    public int weight(Object event) {
      String text = ((ILoggingEvent) event).getFormattedMessage();
      return text == null ? 0 : text.length();
    }

    @Override
    public void encode(Batch batch, Payload record) {
      record.events = codec.encode(batch.events(), batch.count(), sink::line, this::failed);
      record.bytes = codec.buffer();
      record.length = codec.length();
    }

    private void failed(Throwable cause) {
      reports.error(
          "encode",
          "An event cannot be written to the spill; it is lost (ENCODE_FAILED) unless the sink takes"
              + " it from memory.",
          cause);
    }

    @Override
    public void decode(Payload record, Batch into) throws DataFormatException {
      ILoggingEvent[] events = EventCodec.decode(record.bytes, record.length);
      if (events.length != record.events || events.length > Batch.MAX_EVENTS) {
        throw new DataFormatException(events.length + " events in a record of " + record.events);
      }
      into.fill(null, 0, events, events.length, record.done, record.leftover);
    }
  }
}
