package io.spillway.internal.codec;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxy;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import org.slf4j.event.KeyValuePair;
import org.slf4j.helpers.BasicMarkerFactory;

/**
 * Encodes a run of events as bytes and decodes it; the package description shows the format.
 *
 * <p>Encoding keeps a buffer and a dictionary between runs and is meant for one thread; decoding
 * keeps no state. A payload is untrusted: decoding looks up no class, runs no code of an event,
 * checks lengths before it allocates, and does not recurse.
 */
public final class EventCodec {
  /** A new version needs a new segment version, which is the only one an old Spillway checks. */
  static final int VERSION = 1;

  /** Flags, three references, time (1 + 4), sequence number and message. */
  static final int MIN_EVENT_BYTES = 2 + 3 + 5 + 1 + 1;

  private static final int COUNT_AT = 1;

  private final Output out = new Output();
  private final EventBody.Writer writer = new EventBody.Writer(out);

  static {
    ForeignObjects.isOne(Foreign.UNWATCHED); // initializes both classes, before memory may be short
  }

  private static final EncodeFailure RETHROWING =
      (index, cause) -> {
        throw new IllegalStateException("an event without its foreign objects", cause);
      };

  /** Makes a codec with an empty buffer. */
  public EventCodec() {
    start();
  }

  /** Receives each event that could not be encoded. */
  @FunctionalInterface
  public interface EncodeFailure {
    /**
     * Called in the middle of a run, which ends if this method throws; must not use the codec.
     *
     * @param index the index of the event in the array
     * @param cause what encoding the event has thrown
     */
    void failed(int index, Throwable cause);
  }

  /**
   * How foreign code is treated, that is, {@code toString()} of arguments, markers and values.
   *
   * @param careful whether to run no foreign code, and write a text that says so instead
   * @param patient whether to throw an OutOfMemoryError, so that the run is tried again, instead of
   *     leaving an event out or taking the error for its text
   * @param at receives an event's index in the array, before the event and with each part of it
   *     that has been encoded
   */
  public record Foreign(boolean careful, boolean patient, LongConsumer at) {
    /** Runs foreign code, and reports no index. */
    public static final Foreign UNWATCHED = new Foreign(false, false, new Nobody());

    /** Runs no foreign code, and reports no index. Created here, as memory may be short later. */
    public static final Foreign NONE = new Foreign(true, false, UNWATCHED.at);

    /** A class, because a lambda would generate three classes at start. */
    private static final class Nobody implements LongConsumer {
      @Override
      public void accept(long index) {}
    }
  }

  /**
   * Returns an event as any layout prints it, without its foreign objects: instead of the result of
   * their {@code toString()}, a text says that they are left out. The formatted message is that of
   * the event.
   *
   * @param event an event that is prepared for deferred processing
   * @return a new event, or the event itself if it holds no foreign objects
   */
  public static ILoggingEvent withoutForeign(ILoggingEvent event) {
    if (!ForeignObjects.isIn(event)) {
      return event;
    }
    EventCodec codec = new EventCodec();
    codec.encode(new ILoggingEvent[] {event}, 0, 1, Foreign.NONE, RETHROWING);
    try {
      return decode(Arrays.copyOf(codec.buffer(), codec.length()))[0];
    } catch (CodecException e) {
      throw new IllegalStateException(e); // the codec reads what it has written
    }
  }

  /**
   * Creates an artificial event that has one of each thing that an event may have.
   *
   * @return the new event
   */
  public static ILoggingEvent sample() {
    Exception suppressed = new IllegalStateException("suppressed");
    Exception throwable = new IllegalStateException("failed", new IllegalStateException("cause"));
    throwable.addSuppressed(suppressed);
    SpilledEvent event =
        new SpilledEvent(
            "thread",
            "message 1",
            new SpilledEvent.Time(0, 0, Instant.EPOCH),
            List.of(new BasicMarkerFactory().getMarker("MARKER")),
            Map.of("key", "value"));
    event.throwable(new ThrowableProxy(throwable));
    event.setLevel(Level.INFO);
    event.setLoggerName("logger");
    event.setMessage("message {}");
    event.setArgumentArray(new Object[] {1, new StringBuilder("any")});
    event.addKeyValuePair(new KeyValuePair("key", 1L));
    event.setCallerData(throwable.getStackTrace());
    return event;
  }

  /**
   * Encodes a run of events into the buffer. An event that throws anything is left out and
   * reported, and the run goes on with the next. Foreign {@code toString()} methods of arguments,
   * markers and values of key-value pairs run here; what they throw is part of the event, not a
   * failure.
   *
   * @param events the array that holds the run
   * @param from index of the first event
   * @param to index after the last event
   * @param how whether to run foreign code, and what receives the index of each event
   * @param onFailure receives each event that is left out
   * @return the number of events encoded
   */
  public int encode(
      ILoggingEvent[] events, int from, int to, Foreign how, EncodeFailure onFailure) {
    start();
    int encoded = 0;
    try {
      for (int i = from; i < to; i++) {
        out.tell(how.at, i);
        Throwable failure = writer.write(events[i], how);
        if (failure == null) {
          encoded++;
        } else if (how.patient && failure instanceof OutOfMemoryError noMemory) {
          throw noMemory;
        } else {
          onFailure.failed(i, failure);
        }
      }
    } finally {
      out.tell(null, 0);
      out.putI32(COUNT_AT, encoded);
      writer.clear();
    }
    return encoded;
  }

  private void start() {
    out.clear();
    out.u8(VERSION);
    out.i32(0);
  }

  /**
   * Returns the buffer that holds the encoded run from its start.
   *
   * @return the buffer itself, valid until the next {@link #encode}
   */
  public byte[] buffer() {
    return out.buffer();
  }

  /**
   * Releases the buffer if it has more than 4 MiB, so that one huge run does not hold its memory
   * for ever. A released array belongs to the caller that has got it from {@link #buffer()}.
   */
  public void releaseHugeBuffer() {
    out.releaseIfHuge();
  }

  /**
   * Returns the length of the encoded run.
   *
   * @return the number of bytes in the {@link #buffer()} that belong to the run
   */
  public int length() {
    return out.length();
  }

  /**
   * Decodes a run.
   *
   * @param payload exactly the bytes of one run
   * @return the events, each a {@link SpilledEvent}
   * @throws CodecException if the bytes are anything else, or of another format version
   */
  public static ILoggingEvent[] decode(byte[] payload) throws CodecException {
    Input in = new Input(payload);
    int version = in.u8();
    if (version != VERSION) {
      throw new CodecException(
          "events of format version " + version + ", this Spillway reads " + VERSION);
    }
    int count = in.i32();
    if (count < 0 || count > in.remaining() / MIN_EVENT_BYTES) {
      throw new CodecException(count + " events with " + in.remaining() + " bytes left");
    }
    EventBody.Reader reader = new EventBody.Reader(in);
    ILoggingEvent[] events = new ILoggingEvent[count];
    for (int i = 0; i < count; i++) {
      events[i] = reader.read();
    }
    if (in.remaining() != 0) {
      throw new CodecException(in.remaining() + " bytes after the last event");
    }
    return events;
  }
}
