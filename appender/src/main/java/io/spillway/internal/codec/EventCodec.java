package io.spillway.internal.codec;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.zip.DataFormatException;
import org.slf4j.event.KeyValuePair;

/** Encodes runs of events, in one thread, and decodes them; the package shows the format. */
public final class EventCodec {
  private static final int VERSION = 1;
  private static final int COUNT_AT = 1;

  /** Level, context, two names, time, number, two for the message, and seven counts or nulls. */
  private static final int MIN_EVENT_BYTES = 1 + 1 + 2 + 2 + 1 + 2 + 7;

  private final Output out = new Output();

  /**
   * Encodes the first events of an array, which are prepared for deferred processing. Returns how
   * many: one that throws is left out, and what it threw is handed on. What makes the line beside
   * an event may return null, and throw at the cost of the line alone.
   */
  public int encode(
      Object[] events,
      int count,
      Function<ILoggingEvent, byte[]> lines,
      Consumer<Throwable> onFailure) {
    out.clear();
    out.u8(VERSION);
    out.bytes(new byte[Integer.BYTES]);
    int encoded = 0;
    for (int i = 0; i < count; i++) {
      int length = out.length();
      int names = out.nameCount();
      try {
        write(out, (ILoggingEvent) events[i], lines);
        encoded++;
      } catch (Throwable failure) {
        out.truncate(length, names);
        onFailure.accept(failure);
      }
    }
    out.putI32(COUNT_AT, encoded);
    return encoded;
  }

  /** Returns the buffer that begins with the encoded run; valid until the next {@link #encode}. */
  public byte[] buffer() {
    return out.buffer();
  }

  /** Returns how many bytes of the {@link #buffer()} belong to the run. */
  public int length() {
    return out.length();
  }

  /** Decodes a run, the first bytes of an array; throws if they are anything else. */
  public static ILoggingEvent[] decode(byte[] bytes, int length) throws DataFormatException {
    try {
      Input in = new Input(bytes, length);
      int version = in.u8();
      Input.check(version == VERSION, "format version " + version + ", not " + VERSION);
      int count = in.u8() << 24 | in.u8() << 16 | in.u8() << 8 | in.u8();
      Input.check(count >= 0 && count <= in.remaining() / MIN_EVENT_BYTES, "too few bytes");
      ILoggingEvent[] events = new ILoggingEvent[count];
      for (int i = 0; i < count; i++) {
        events[i] = read(in);
      }
      Input.check(in.remaining() == 0, "bytes behind the last event");
      return events;
    } catch (RuntimeException damaged) {
      throw new DataFormatException("not a run of events: " + damaged.getMessage());
    }
  }

  private static void write(
      Output out, ILoggingEvent event, Function<ILoggingEvent, byte[]> lines) {
    String message = event.getMessage();
    String formatted = event.getFormattedMessage();
    boolean sameText = message == null ? formatted == null : message.equals(formatted);
    out.zigzag(event.getLevel().levelInt);
    out.context(event.getLoggerContextVO());
    out.name(event.getLoggerName());
    out.name(event.getThreadName());
    Instant known = event.getInstant();
    Instant instant = known != null ? known : Instant.ofEpochMilli(event.getTimeStamp());
    out.zigzag(instant.getEpochSecond());
    out.varint(instant.getNano());
    out.zigzag(event.getSequenceNumber());
    out.u8(sameText ? 1 : 0);
    if (sameText) {
      out.string(message);
    } else {
      out.name(message); // a pattern, which repeats
      out.string(formatted);
    }
    Object[] arguments = event.getArgumentArray();
    out.varint(arguments == null ? 0 : 1 + arguments.length);
    for (int i = 0; arguments != null && i < arguments.length; i++) {
      out.value(arguments[i]);
    }
    Markers.write(out, event.getMarkerList());
    Map<String, String> mdc = event.getMDCPropertyMap();
    out.map(mdc == null ? Map.of() : mdc);
    List<KeyValuePair> pairs = event.getKeyValuePairs();
    int pairCount = pairs == null ? 0 : pairs.size();
    out.varint(pairCount);
    for (int i = 0; i < pairCount; i++) {
      out.name(pairs.get(i).key);
      out.value(pairs.get(i).value);
    }
    Throwables.write(out, event.getThrowableProxy());
    StackTraceElement[] caller = event.hasCallerData() ? event.getCallerData() : null;
    out.varint(caller == null ? 0 : 1 + caller.length);
    for (int i = 0; caller != null && i < caller.length; i++) {
      Throwables.writeFrame(out, caller[i], null);
    }
    byte[] line = line(lines, event);
    out.varint(line == null ? 0 : 1 + line.length);
    if (line != null) {
      out.bytes(line);
    }
  }

  private static byte[] line(Function<ILoggingEvent, byte[]> lines, ILoggingEvent event) {
    try {
      return lines.apply(event);
    } catch (Throwable failure) {
      return null; // the encoder is asked again, and reported, when the event is delivered
    }
  }

  private static SpilledEvent read(Input in) {
    SpilledEvent event = new SpilledEvent();
    event.setLevel(Level.toLevel((int) in.zigzag())); // Logback reads an unknown one as DEBUG
    event.setLoggerContextRemoteView(in.context());
    event.setLoggerName(in.name());
    event.setThreadName(String.valueOf(in.name()));
    event.setInstant(Instant.ofEpochSecond(in.zigzag(), in.varint()));
    event.setSequenceNumber(in.zigzag());
    boolean sameText = in.u8() != 0;
    event.setMessage(sameText ? in.string() : in.name());
    event.formattedMessage = sameText ? event.getMessage() : in.string();
    int count = in.count(1);
    if (count > 0) {
      Object[] arguments = new Object[count - 1];
      for (int i = 0; i < arguments.length; i++) {
        arguments[i] = in.value();
      }
      event.setArgumentArray(arguments);
    }
    Markers.read(in, event);
    event.setMDCPropertyMap(in.map());
    count = in.count(2);
    if (count > 0) {
      List<KeyValuePair> pairs = new ArrayList<>(count);
      for (int i = 0; i < count; i++) {
        pairs.add(new KeyValuePair(in.name(), in.value()));
      }
      event.setKeyValuePairs(pairs);
    }
    event.throwable = Throwables.read(in, 0);
    count = in.count(1);
    if (count > 0) {
      StackTraceElement[] caller = new StackTraceElement[count - 1];
      for (int i = 0; i < caller.length; i++) {
        caller[i] = Throwables.readFrame(in).getStackTraceElement();
      }
      event.setCallerData(caller);
    }
    count = in.varint();
    event.line = count == 0 ? null : in.bytes(count - 1);
    return event;
  }
}
