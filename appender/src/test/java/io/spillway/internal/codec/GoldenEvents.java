package io.spillway.internal.codec;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.LoggerContextVO;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.spi.StackTraceElementProxy;
import ch.qos.logback.classic.spi.ThrowableProxy;
import java.io.IOException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;
import org.slf4j.Marker;
import org.slf4j.event.KeyValuePair;
import org.slf4j.helpers.BasicMarkerFactory;

/** Events with everything in them, the same in every JVM, and what is known of an event as text. */
public final class GoldenEvents {
  private static final int LONGEST = 200;

  private GoldenEvents() {}

  @SuppressWarnings("deprecation") // newer SLF4J deprecates references of markers and has them
  public static ILoggingEvent[] events() {
    Events types =
        Events.of(
            "{} {} {}",
            null,
            "text",
            "Ж😀\ud800",
            true,
            false,
            (byte) -1,
            Short.MIN_VALUE,
            'ø',
            Integer.MIN_VALUE,
            Long.MAX_VALUE,
            1.5f,
            Double.NaN,
            Hostile.PLAIN,
            Hostile.NULL_TEXT,
            Hostile.THROWS,
            Hostile.THROWS_NULL);
    types.setSequenceNumber(Long.MIN_VALUE);
    BasicMarkerFactory markers = new BasicMarkerFactory();
    Marker outer = markers.getDetachedMarker("OUTER");
    Marker inner = markers.getDetachedMarker("INNER ж");
    outer.add(inner);
    inner.add(markers.getDetachedMarker("INNERMOST"));
    Map<String, String> mdc = new LinkedHashMap<>();
    mdc.put("user", "42");
    mdc.put("empty", "");
    mdc.put("null", null);
    Events rich =
        Events.of("rich {}", "argument")
            .markers(outer, null, inner)
            .mdc(mdc)
            .pairs(new KeyValuePair("key", 7L), new KeyValuePair("ключ", Hostile.PLAIN), null)
            .throwable(new ThrowableProxy(failure()))
            .caller(frame("com.example.Till", 12), frame("com.example.Shop", -2));
    Events odd = Events.of("line\r\n\ttwo \\{} {}", 1).time(Long.MIN_VALUE, -7, Instant.MAX);
    Events other = Events.of("in another context", (Object[]) null);
    other.setLoggerContextRemoteView(new LoggerContextVO("other", null, -1));
    LoggingEvent nothing = new Events();
    nothing.setThreadName("main");
    return new ILoggingEvent[] {
      types,
      rich,
      odd,
      other,
      nothing,
      Events.of("").markers(List.of()).mdc(Map.of()).pairs().caller(),
      rich,
      Events.of("x".repeat(20_000) + "{}", "ж".repeat(10_000)),
    };
  }

  private static Throwable failure() {
    IOException cause = new IOException("disk ж", new Error());
    IllegalStateException failure = new IllegalStateException("outer", cause);
    failure.addSuppressed(new RuntimeException("first suppressed"));
    failure.addSuppressed(new RuntimeException(null, new Error("its cause")));
    trace(failure);
    return failure;
  }

  private static void trace(Throwable throwable) {
    String name = throwable.getClass().getName();
    throwable.setStackTrace(
        new StackTraceElement[] {
          new StackTraceElement("app", "shop", "1.0", name, "run", "Run.java", 7),
          new StackTraceElement(null, "java.base", null, name, "run", null, -1),
          frame("com.example.Main", 99)
        });
    for (Throwable suppressed : throwable.getSuppressed()) {
      trace(suppressed);
    }
    if (throwable.getCause() != null) {
      trace(throwable.getCause());
    }
  }

  private static StackTraceElement frame(String name, int line) {
    return new StackTraceElement(name, "main", "Main.java", line);
  }

  /** One line for each part of each event. */
  public static String describe(ILoggingEvent[] events) {
    StringBuilder text = new StringBuilder();
    for (ILoggingEvent event : events) {
      text.append("event\n");
      line(text, "level", event.getLevel());
      line(text, "logger", event.getLoggerName());
      line(text, "thread", event.getThreadName());
      line(text, "millis", event.getTimeStamp());
      line(text, "nanoseconds", event.getNanoseconds());
      line(text, "instant", event.getInstant());
      line(text, "sequence", event.getSequenceNumber());
      line(text, "message", event.getMessage());
      line(text, "formatted", event.getFormattedMessage());
      LoggerContextVO context = event.getLoggerContextVO();
      line(text, "context", context == null ? null : context.getName());
      if (context != null) {
        line(text, "context born", context.getBirthTime());
        line(text, "context properties", context.getPropertyMap());
      }
      values(text, "argument", event.getArgumentArray());
      if (event.getMarkerList() != null) {
        line(text, "markers", event.getMarkerList().size());
        event.getMarkerList().forEach(marker -> marker(text, "marker", marker));
      }
      line(text, "mdc", event.getMDCPropertyMap());
      if (event.getKeyValuePairs() != null) {
        line(text, "pairs", event.getKeyValuePairs().size());
        for (KeyValuePair pair : event.getKeyValuePairs()) {
          line(text, "key", pair == null ? "no pair" : pair.key);
          values(text, "value", pair == null ? null : new Object[] {pair.value});
        }
      }
      if (event.getThrowableProxy() != null) {
        throwable(text, "throwable", event.getThrowableProxy());
      }
      line(text, "has caller", event.hasCallerData());
      for (StackTraceElement frame : event.hasCallerData() ? event.getCallerData() : NONE) {
        line(text, "caller", frame);
      }
    }
    return text.toString();
  }

  private static final StackTraceElement[] NONE = {};

  private static void values(StringBuilder text, String name, Object[] values) {
    if (values == null) {
      return;
    }
    line(text, name + "s", values.length);
    for (Object value : values) {
      boolean plain = value == null || value.getClass().getName().startsWith("java.lang.");
      String type = value == null ? "" : plain ? value.getClass().getSimpleName() : "foreign";
      String shown;
      try {
        shown = String.valueOf(value);
      } catch (RuntimeException e) {
        shown = "throws " + e.getMessage();
      }
      line(text, name + " " + type, shown);
    }
  }

  @SuppressWarnings("deprecation")
  private static void marker(StringBuilder text, String name, Marker marker) {
    line(text, name, marker);
    if (marker != null) {
      line(text, name + " name", marker.getName());
      for (Iterator<Marker> each = marker.iterator(); each.hasNext(); ) {
        marker(text, name + " reference", each.next());
      }
    }
  }

  private static void throwable(StringBuilder text, String name, IThrowableProxy proxy) {
    line(text, name, proxy.getClassName());
    line(text, name + " message", proxy.getMessage());
    line(text, name + " common frames", proxy.getCommonFrames());
    line(text, name + " cyclic", proxy.isCyclic());
    for (StackTraceElementProxy frame : proxy.getStackTraceElementProxyArray()) {
      line(text, name + " frame", frame.getStackTraceElement());
    }
    for (IThrowableProxy suppressed : proxy.getSuppressed()) {
      throwable(text, name + " suppressed", suppressed);
    }
    if (proxy.getCause() != null) {
      throwable(text, name + " cause", proxy.getCause());
    }
  }

  private static void line(StringBuilder text, String name, Object value) {
    String shown = escaped(String.valueOf(value));
    text.append("  ").append(name.trim()).append(": ");
    if (shown.length() > LONGEST) {
      CRC32C crc = new CRC32C();
      crc.update(shown.getBytes(java.nio.charset.StandardCharsets.US_ASCII));
      text.append(shown.length()).append(" characters, CRC32C ");
      text.append(Long.toHexString(crc.getValue()));
    } else {
      text.append(value == null ? "(null)" : "[" + shown + "]");
    }
    text.append('\n');
  }

  private static String escaped(String value) {
    StringBuilder escaped = new StringBuilder();
    for (char c : value.toCharArray()) {
      if (c >= ' ' && c < 0x7F) {
        escaped.append(c);
      } else {
        escaped.append(String.format("\\u%04x", (int) c));
      }
    }
    return escaped.toString();
  }

  /** A run of events as the codec writes it. */
  public static byte[] encode(ILoggingEvent... events) {
    return Runs.encode(Arrays.copyOf(events, events.length));
  }

  public static ILoggingEvent[] decode(byte[] payload) {
    return Runs.decode(payload);
  }
}
