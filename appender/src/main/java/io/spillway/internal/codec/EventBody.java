package io.spillway.internal.codec;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.LoggerContextVO;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.slf4j.Marker;
import org.slf4j.event.KeyValuePair;

/** Writes and reads the fields of one event, in the order of the format. */
final class EventBody {
  // Flags are the low bits, and the level is above them.
  static final int SAME_TEXT = 1;
  private static final int PLAIN_TIME = 1 << 1;
  private static final int INSTANT = 1 << 2;
  private static final int ARGUMENTS = 1 << 3;
  private static final int MARKERS = 1 << 4;
  private static final int MDC = 1 << 5;
  private static final int KEY_VALUES = 1 << 6;
  static final int THROWABLE = 1 << 7;
  private static final int CALLER = 1 << 8;
  private static final int LEVEL_SHIFT = 9;
  private static final int KNOWN_FLAGS = (1 << LEVEL_SHIFT + 4) - 1;

  private static final int NANOS_PER_MILLI = 1_000_000;

  private EventBody() {}

  /** Computes milliseconds as Logback does, overflow included. */
  private static long epochMillis(Instant instant) {
    return instant.getEpochSecond() * 1000 + instant.getNano() / NANOS_PER_MILLI;
  }

  /** Writes one event after another, or nothing of an event that fails. */
  static final class Writer {
    /** The levels by their codes. Logback has no others: it reads any unknown level as DEBUG. */
    private static final Level[] LEVELS = {
      null,
      Level.toLevel(Level.ALL_INT),
      Level.TRACE,
      Level.DEBUG,
      Level.INFO,
      Level.WARN,
      Level.ERROR,
      Level.OFF
    };

    private final Output out;
    private final Dictionary.Writer dictionary;
    private final MarkerCodec.Writer markers;
    private final ThrowableCodec.Writer throwables;

    Writer(Output out) {
      this.out = out;
      this.dictionary = new Dictionary.Writer(out);
      this.markers = new MarkerCodec.Writer(out, dictionary);
      this.throwables = new ThrowableCodec.Writer(out, dictionary);
    }

    /** Clears the dictionary, so that each payload can be read alone and no event is held. */
    void clear() {
      dictionary.clear();
    }

    /** Writes an event; returns null, or the failure, after which nothing of the event is left. */
    Throwable write(ILoggingEvent event, EventCodec.Foreign how) {
      int length = out.length();
      dictionary.mark();
      try {
        body(event, how);
        return null;
      } catch (Throwable failure) {
        out.truncate(length);
        dictionary.rollBack();
        return failure;
      }
    }

    private static int code(Level level) {
      if (level == null) {
        return 0;
      }
      Level known = Level.toLevel(level.levelInt);
      int code = 1;
      while (LEVELS[code] != known) {
        code++;
      }
      return code;
    }

    private void body(ILoggingEvent event, EventCodec.Foreign how) {
      String message = event.getMessage();
      String formatted = event.getFormattedMessage();
      Object[] arguments = event.getArgumentArray();
      List<Marker> markerList = event.getMarkerList();
      Map<String, String> mdc = event.getMDCPropertyMap();
      List<KeyValuePair> pairs = event.getKeyValuePairs();
      IThrowableProxy throwable = event.getThrowableProxy();
      StackTraceElement[] caller = event.hasCallerData() ? event.getCallerData() : null;
      boolean sameText = message == null ? formatted == null : message.equals(formatted);
      int timeFlags = timeFlags(event);
      out.u16(
          timeFlags
              | code(event.getLevel()) << LEVEL_SHIFT
              | (sameText ? SAME_TEXT : 0)
              | (arguments != null ? ARGUMENTS : 0)
              | (markerList != null ? MARKERS : 0)
              | (mdc != null ? MDC : 0)
              | (pairs != null ? KEY_VALUES : 0)
              | (throwable != null ? THROWABLE : 0)
              | (caller != null ? CALLER : 0));
      dictionary.context(event.getLoggerContextVO());
      dictionary.name(event.getLoggerName());
      dictionary.name(event.getThreadName());
      time(event, timeFlags);
      out.zigzag(event.getSequenceNumber());
      message(message, arguments);
      if (!sameText) {
        out.string(formatted);
      }
      if (arguments != null) {
        for (Object argument : arguments) {
          ValueCodec.write(out, argument, how);
        }
      }
      if (markerList != null) {
        markers.write(markerList, how);
      }
      if (mdc != null) {
        dictionary.map(mdc);
      }
      if (pairs != null) {
        pairs(pairs, how);
      }
      if (throwable != null) {
        throwables.write(throwable);
      }
      if (caller != null) {
        caller(caller);
      }
    }

    /** Returns which parts of the time to write: the instant alone if the others follow from it. */
    private static int timeFlags(ILoggingEvent event) {
      Instant instant = event.getInstant();
      if (instant == null) {
        return 0;
      }
      boolean plain =
          event.getTimeStamp() == epochMillis(instant)
              && event.getNanoseconds() == instant.getNano();
      return plain ? PLAIN_TIME : INSTANT;
    }

    private void time(ILoggingEvent event, int flags) {
      if ((flags & PLAIN_TIME) == 0) {
        out.zigzag(event.getTimeStamp());
        out.i32(event.getNanoseconds());
      }
      if (flags != 0) {
        Instant instant = event.getInstant();
        out.zigzag(instant.getEpochSecond());
        out.i32(instant.getNano());
      }
    }

    // A message with arguments is a pattern, and patterns repeat; others are mostly unique.
    private void message(String message, Object[] arguments) {
      if (arguments != null) {
        out.varint(arguments.length);
      }
      if (arguments != null && arguments.length > 0) {
        dictionary.name(message);
      } else {
        out.string(message);
      }
    }

    private void pairs(List<KeyValuePair> pairs, EventCodec.Foreign how) {
      int size = pairs.size();
      out.varint(size);
      for (int i = 0; i < size; i++) {
        KeyValuePair pair = pairs.get(i);
        out.u8(pair == null ? 0 : 1);
        if (pair != null) {
          dictionary.name(pair.key);
          ValueCodec.write(out, pair.value, how);
        }
      }
    }

    private void caller(StackTraceElement[] frames) {
      out.varint(frames.length);
      for (StackTraceElement frame : frames) {
        FrameCodec.write(out, dictionary, frame);
      }
    }
  }

  /** Reads the events of one run, one after another. */
  static final class Reader {
    private final Input in;
    private final Dictionary.Reader dictionary;
    private final MarkerCodec.Reader markers;
    private final ThrowableCodec.Reader throwables;

    Reader(Input in) {
      this.in = in;
      this.dictionary = new Dictionary.Reader(in);
      this.markers = new MarkerCodec.Reader(in, dictionary);
      this.throwables = new ThrowableCodec.Reader(in, dictionary);
    }

    SpilledEvent read() throws CodecException {
      int flags = in.u16();
      if ((flags & ~KNOWN_FLAGS) != 0) {
        throw new CodecException("unknown event flags " + Integer.toHexString(flags));
      }
      LoggerContextVO context = dictionary.context();
      String logger = dictionary.name();
      String thread = dictionary.name();
      SpilledEvent.Time time = time(flags);
      long sequence = in.zigzag();
      int pattern = (flags & ARGUMENTS) != 0 ? in.varint() : 0;
      String message = pattern != 0 ? dictionary.name() : in.string();
      String formatted = (flags & SAME_TEXT) != 0 ? message : in.string();
      Object[] arguments = (flags & ARGUMENTS) != 0 ? arguments(pattern) : null;
      List<Marker> markerList = (flags & MARKERS) != 0 ? markers.read() : null;
      Map<String, String> mdc = (flags & MDC) != 0 ? dictionary.map() : null;
      List<KeyValuePair> pairs = (flags & KEY_VALUES) != 0 ? pairs() : null;
      IThrowableProxy throwable = (flags & THROWABLE) != 0 ? throwables.read() : null;
      StackTraceElement[] caller = (flags & CALLER) != 0 ? caller() : null;

      SpilledEvent event = new SpilledEvent(thread, formatted, time, markerList, mdc);
      event.throwable(throwable);
      event.setLevel(level(flags >>> LEVEL_SHIFT));
      event.setLoggerContextRemoteView(context);
      event.setLoggerName(logger);
      event.setMessage(message);
      event.setSequenceNumber(sequence);
      event.setArgumentArray(arguments);
      event.setKeyValuePairs(pairs);
      event.setCallerData(caller);
      return event;
    }

    private SpilledEvent.Time time(int flags) throws CodecException {
      boolean plain = (flags & PLAIN_TIME) != 0;
      boolean explicit = (flags & INSTANT) != 0;
      if (plain && explicit) {
        throw new CodecException("two kinds of time");
      }
      if (plain) {
        Instant instant = instant();
        return new SpilledEvent.Time(epochMillis(instant), instant.getNano(), instant);
      }
      long epochMillis = in.zigzag();
      int nanoseconds = in.i32();
      return new SpilledEvent.Time(epochMillis, nanoseconds, explicit ? instant() : null);
    }

    private Instant instant() throws CodecException {
      long second = in.zigzag();
      int nano = in.i32();
      if (nano < 0 || nano > 999_999_999) {
        throw new CodecException(nano + " nanoseconds of a second");
      }
      try {
        return Instant.ofEpochSecond(second, nano);
      } catch (DateTimeException beyond) {
        throw new CodecException("second " + second + " is beyond what an instant holds");
      }
    }

    private static Level level(int code) throws CodecException {
      if (code >= Writer.LEVELS.length) {
        throw new CodecException("unknown level code " + code);
      }
      return Writer.LEVELS[code];
    }

    private Object[] arguments(int count) throws CodecException {
      if (count > in.remaining()) {
        throw new CodecException(count + " arguments with " + in.remaining() + " bytes left");
      }
      Object[] arguments = new Object[count];
      for (int i = 0; i < count; i++) {
        arguments[i] = ValueCodec.read(in);
      }
      return arguments;
    }

    private List<KeyValuePair> pairs() throws CodecException {
      int count = in.count(1);
      List<KeyValuePair> pairs = new ArrayList<>(count);
      for (int i = 0; i < count; i++) {
        int present = in.u8();
        if (present > 1) {
          throw new CodecException("key-value pair flag " + present);
        }
        pairs.add(present == 0 ? null : new KeyValuePair(dictionary.name(), ValueCodec.read(in)));
      }
      return pairs;
    }

    private StackTraceElement[] caller() throws CodecException {
      StackTraceElement[] frames = new StackTraceElement[in.count(1)];
      for (int i = 0; i < frames.length; i++) {
        frames[i] = FrameCodec.read(in, dictionary);
      }
      return frames;
    }
  }
}
