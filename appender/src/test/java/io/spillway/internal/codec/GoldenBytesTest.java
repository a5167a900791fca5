package io.spillway.internal.codec;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggerContextVO;
import ch.qos.logback.classic.spi.ThrowableProxy;
import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import net.logstash.logback.marker.Markers;
import org.junit.jupiter.api.Test;
import org.slf4j.Marker;
import org.slf4j.event.KeyValuePair;
import org.slf4j.helpers.BasicMarkerFactory;

/** What is on disk today is read for ever: a change of these bytes needs another version. */
class GoldenBytesTest {
  @SuppressWarnings("deprecation") // references of markers, still in use
  private static ILoggingEvent[] events() {
    Marker outer = new BasicMarkerFactory().getDetachedMarker("OUTER");
    outer.add(new BasicMarkerFactory().getDetachedMarker("INNER ж"));
    Map<String, String> mdc = new LinkedHashMap<>();
    mdc.put("user", "42");
    mdc.put("null", null);
    Events rich =
        Events.of("rich {}", "argument")
            .markers(outer, Markers.append("k", "v"))
            .mdc(mdc)
            .pairs(new KeyValuePair("key", 7L), new KeyValuePair("ключ", Events.Odd.PLAIN))
            .throwable(new ThrowableProxy(failure()))
            .caller(frame(12), frame(-2));
    Events types =
        Events.of("{} {}", null, "text", "Ж😀\ud800", true, false, -1, Long.MAX_VALUE, 1.5f, 2.5);
    types.setSequenceNumber(Long.MIN_VALUE);
    types.setInstant(Instant.ofEpochSecond(-5, 999_999_999));
    Events other = Events.of("in another context", (Object[]) null);
    other.setLoggerContextRemoteView(new LoggerContextVO("other", Map.of(), -1));
    Events bare = new Events();
    bare.setLevel(Level.ERROR);
    bare.setThreadName("main");
    bare.setInstant(Instant.EPOCH);
    return new ILoggingEvent[] {rich, types, other, bare, rich};
  }

  private static Throwable failure() {
    IllegalStateException failure = new IllegalStateException("outer", new IOException("disk ж"));
    failure.addSuppressed(new RuntimeException("suppressed"));
    StackTraceElement loaded = new StackTraceElement("app", "shop", "1.0", "a.Run", "run", null, 7);
    for (Throwable each :
        new Throwable[] {failure, failure.getCause(), failure.getSuppressed()[0]}) {
      each.setStackTrace(new StackTraceElement[] {loaded, frame(99)});
    }
    return failure;
  }

  private static StackTraceElement frame(int line) {
    return new StackTraceElement("com.example.Main", "main", "Main.java", line);
  }

  private static byte[] golden() throws IOException {
    try (InputStream in = GoldenBytesTest.class.getResourceAsStream("/golden/codec/run-1.hex")) {
      return HexFormat.of().parseHex(new String(in.readAllBytes(), US_ASCII).replace("\n", ""));
    }
  }

  private static byte[] encode(ILoggingEvent[] events, Function<ILoggingEvent, byte[]> lines) {
    EventCodec codec = new EventCodec();
    codec.encode(events, events.length, lines, cause -> {});
    return Arrays.copyOf(codec.buffer(), codec.length());
  }

  @Test
  void shouldWriteAndReadTheBytesOfVersion1() throws Exception {
    byte[] golden = golden();
    byte[] line = "line\n".getBytes(US_ASCII);
    ILoggingEvent[] read = EventCodec.decode(golden, golden.length);

    assertThat(HexFormat.of().formatHex(encode(events(), e -> e.hasCallerData() ? line : null)))
        .isEqualTo(HexFormat.of().formatHex(golden));
    assertThat(encode(read, event -> ((SpilledEvent) event).line())).isEqualTo(golden);
  }
}
