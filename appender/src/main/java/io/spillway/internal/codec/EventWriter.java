package io.spillway.internal.codec;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import java.util.List;
import java.util.Map;
import org.slf4j.Marker;
import org.slf4j.event.KeyValuePair;

/** Writes one event after another, or nothing of an event that fails. */
final class EventWriter {
  private final Output out;
  private final NameWriter names;
  private final ContextWriter contexts;
  private final MarkerWriter markers;
  private final ThrowableWriter throwables;

  EventWriter(Output out) {
    this.out = out;
    this.names = new NameWriter(out);
    this.contexts = new ContextWriter(out, names);
    this.markers = new MarkerWriter(out, names);
    this.throwables = new ThrowableWriter(out, names);
  }

  /** Forgets the run, so that a payload stands for itself and no event is held. */
  void clear() {
    names.rollBack(0);
    contexts.rollBack(0);
  }

  /** Returns null, or what kept the event from being encoded, of which then nothing is left. */
  Throwable write(ILoggingEvent event, boolean careful) {
    int length = out.length();
    int nameCount = names.count();
    int contextCount = contexts.count();
    try {
      body(event, careful);
      return null;
    } catch (Throwable failure) {
      out.truncate(length);
      names.rollBack(nameCount);
      contexts.rollBack(contextCount);
      return failure;
    }
  }

  private void body(ILoggingEvent event, boolean careful) {
    String message = event.getMessage();
    String formatted = event.getFormattedMessage();
    Object[] arguments = event.getArgumentArray();
    List<Marker> markerList = event.getMarkerList();
    Map<String, String> mdc = event.getMDCPropertyMap();
    List<KeyValuePair> pairs = event.getKeyValuePairs();
    IThrowableProxy throwable = event.getThrowableProxy();
    StackTraceElement[] caller = event.hasCallerData() ? event.getCallerData() : null;
    boolean sameText = message == null ? formatted == null : message.equals(formatted);
    int timeFlags = TimeCodec.flags(event);
    out.u16(
        timeFlags
            | LevelCodec.code(event.getLevel()) << Format.LEVEL_SHIFT
            | (sameText ? Format.SAME_TEXT : 0)
            | (arguments != null ? Format.ARGUMENTS : 0)
            | (markerList != null ? Format.MARKERS : 0)
            | (mdc != null ? Format.MDC : 0)
            | (pairs != null ? Format.KEY_VALUES : 0)
            | (throwable != null ? Format.THROWABLE : 0)
            | (caller != null ? Format.CALLER : 0));
    contexts.write(event.getLoggerContextVO());
    names.write(event.getLoggerName());
    names.write(event.getThreadName());
    TimeCodec.write(out, event, timeFlags);
    out.zigzag(event.getSequenceNumber());
    message(message, arguments);
    if (!sameText) {
      out.string(formatted);
    }
    if (arguments != null) {
      for (Object argument : arguments) {
        ValueCodec.write(out, argument, careful);
      }
    }
    if (markerList != null) {
      markers.write(markerList, careful);
    }
    if (mdc != null) {
      MapCodec.write(out, names, mdc);
    }
    if (pairs != null) {
      pairs(pairs, careful);
    }
    if (throwable != null) {
      throwables.write(throwable);
    }
    if (caller != null) {
      caller(caller);
    }
  }

  // A message with arguments is a pattern, and patterns repeat; others are mostly unique.
  private void message(String message, Object[] arguments) {
    if (arguments != null) {
      out.varint(arguments.length);
    }
    if (arguments != null && arguments.length > 0) {
      names.write(message);
    } else {
      out.string(message);
    }
  }

  private void pairs(List<KeyValuePair> pairs, boolean careful) {
    int size = pairs.size();
    out.varint(size);
    for (int i = 0; i < size; i++) {
      KeyValuePair pair = pairs.get(i);
      out.u8(pair == null ? 0 : 1);
      if (pair != null) {
        names.write(pair.key);
        ValueCodec.write(out, pair.value, careful);
      }
    }
  }

  private void caller(StackTraceElement[] frames) {
    out.varint(frames.length);
    for (StackTraceElement frame : frames) {
      FrameCodec.write(out, names, frame);
    }
  }
}
