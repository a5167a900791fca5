package io.spillway.internal.codec;

import ch.qos.logback.classic.spi.LoggerContextVO;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.slf4j.Marker;
import org.slf4j.event.KeyValuePair;

/** Reads the events of one run, one after another. */
final class EventReader {
  private final Input in;
  private final NameReader names;
  private final ContextReader contexts;
  private final MarkerReader markers;
  private final ThrowableReader throwables;

  EventReader(Input in) {
    this.in = in;
    this.names = new NameReader(in);
    this.contexts = new ContextReader(in, names);
    this.markers = new MarkerReader(in, names);
    this.throwables = new ThrowableReader(in, names);
  }

  SpilledEvent read() throws CodecException {
    int flags = in.u16();
    if ((flags & ~Format.KNOWN_FLAGS) != 0) {
      throw new CodecException("unknown event flags " + Integer.toHexString(flags));
    }
    LoggerContextVO context = contexts.read();
    String logger = names.read();
    String thread = names.read();
    SpilledEvent.Time time = TimeCodec.read(in, flags & (Format.PLAIN_TIME | Format.INSTANT));
    long sequence = in.zigzag();
    int pattern = (flags & Format.ARGUMENTS) != 0 ? in.varint() : 0;
    String message = pattern != 0 ? names.read() : in.string();
    String formatted = (flags & Format.SAME_TEXT) != 0 ? message : in.string();
    Object[] arguments = (flags & Format.ARGUMENTS) != 0 ? arguments(pattern) : null;
    List<Marker> markerList = (flags & Format.MARKERS) != 0 ? markers.read() : null;
    Map<String, String> mdc = (flags & Format.MDC) != 0 ? MapCodec.read(in, names) : null;
    List<KeyValuePair> pairs = (flags & Format.KEY_VALUES) != 0 ? pairs() : null;
    SpilledThrowable throwable = (flags & Format.THROWABLE) != 0 ? throwables.read() : null;
    StackTraceElement[] caller = (flags & Format.CALLER) != 0 ? caller() : null;

    SpilledEvent event =
        new SpilledEvent(
            new SpilledEvent.Texts(thread, formatted), time, markerList, mdc, throwable);
    event.setLevel(LevelCodec.level(flags >>> Format.LEVEL_SHIFT));
    event.setLoggerContextRemoteView(context);
    event.setLoggerName(logger);
    event.setMessage(message);
    event.setSequenceNumber(sequence);
    event.setArgumentArray(arguments);
    event.setKeyValuePairs(pairs);
    event.setCallerData(caller);
    return event;
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
      pairs.add(present == 0 ? null : new KeyValuePair(names.read(), ValueCodec.read(in)));
    }
    return pairs;
  }

  private StackTraceElement[] caller() throws CodecException {
    StackTraceElement[] frames = new StackTraceElement[in.count(1)];
    for (int i = 0; i < frames.length; i++) {
      frames[i] = FrameCodec.read(in, names);
    }
    return frames;
  }
}
