package io.spillway.internal.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxy;
import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import net.logstash.logback.marker.Markers;
import org.junit.jupiter.api.Test;
import org.slf4j.Marker;
import org.slf4j.event.KeyValuePair;

/** Whatever the bytes are: a refusal or a run, and no more memory than they account for. */
class HostilePayloadTest {
  /** The dearest byte: a null frame costs a reference; the rest is objects of a few bytes each. */
  private static final int ALLOCATED_PER_BYTE = 64;

  private static final int ALLOCATED_ANYWAY = 64 << 10;

  private static byte[] run() {
    IllegalStateException throwable = new IllegalStateException("outer", new Error("cause"));
    Marker marker = Markers.append("key", "value").and(Markers.append("b", "c"));
    throwable.addSuppressed(new RuntimeException("suppressed Ж"));
    throwable.setStackTrace(Arrays.copyOf(throwable.getStackTrace(), 3));
    Events rich =
        Events.of("{} {}", "ø", Hostile.PLAIN)
            .markers(marker)
            .mdc(Map.of("first", "1", "second", "2"))
            .pairs(new KeyValuePair("key", 7L), new KeyValuePair("other", Hostile.THROWS), null)
            .throwable(new ThrowableProxy(throwable))
            .caller(Arrays.copyOf(new Throwable().getStackTrace(), 2));
    return Runs.encode(Events.of("plain"), rich, Events.of("{}", 'c', 1.5, 2.5f, true, null), rich);
  }

  @Test
  void shouldRefuseARunCutAnywhere() {
    byte[] whole = run();
    for (int length = 0; length < whole.length; length++) {
      byte[] cut = Arrays.copyOf(whole, length);
      assertThatExceptionOfType(CodecException.class)
          .as("cut at %d", length)
          .isThrownBy(() -> EventCodec.decode(cut));
    }
  }

  @Test
  void shouldRefuseBytesAfterTheRun() {
    byte[] whole = run();

    assertThatExceptionOfType(CodecException.class)
        .isThrownBy(() -> EventCodec.decode(Arrays.copyOf(whole, whole.length + 1)));
  }

  @Test
  void shouldRefuseOrDecodeEachFlippedBit() {
    byte[] payload = run();
    for (int bit = 0; bit < 8 * payload.length; bit++) {
      payload[bit / 8] ^= (byte) (1 << bit % 8);
      refuseOrDecode(payload);
      payload[bit / 8] ^= (byte) (1 << bit % 8);
    }
  }

  @Test
  void shouldRefuseOrDecodeRandomMutations() {
    byte[] whole = run();
    Random random = new Random(42);
    for (int i = 0; i < 6_000; i++) {
      byte[] payload = whole.clone();
      for (int change = random.nextInt(4); change >= 0; change--) {
        payload[5 + random.nextInt(payload.length - 5)] = value(random);
      }
      refuseOrDecode(payload);
    }
  }

  @Test
  void shouldRefuseOrDecodeRandomBytes() {
    Random random = new Random(43);
    for (int i = 0; i < 6_000; i++) {
      byte[] payload = new byte[5 + random.nextInt(400)];
      random.nextBytes(payload);
      Arrays.fill(payload, 0, 5, (byte) 0);
      payload[0] = EventCodec.VERSION;
      payload[4] = 3;
      refuseOrDecode(payload);
    }
  }

  /** Numbers that are large, small or negative once decoded come up more often than by chance. */
  private static byte value(Random random) {
    byte[] likely = {0, 1, 2, 3, 0x7F, (byte) 0x80, (byte) 0xFF};
    return random.nextBoolean()
        ? likely[random.nextInt(likely.length)]
        : (byte) random.nextInt(256);
  }

  private static void refuseOrDecode(byte[] payload) {
    long limit = ALLOCATED_ANYWAY + (long) ALLOCATED_PER_BYTE * payload.length;
    // Classes loaded on the way are not the payload's doing; they are loaded once.
    if (allocated(payload) >= limit) {
      assertThat(allocated(payload)).isLessThan(limit);
    }
  }

  private static long allocated(byte[] payload) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    try {
      ILoggingEvent[] events = EventCodec.decode(payload);
      assertThat(events.length).isLessThanOrEqualTo(payload.length / EventCodec.MIN_EVENT_BYTES);
    } catch (CodecException refused) {
      assertThat(refused).hasMessageMatching("(?s).+");
    }
    return threads.getCurrentThreadAllocatedBytes() - before;
  }

  @Test
  void shouldNotAllocateAgainAtEachLevelOfSuppressed() {
    // Each throwable says that as many are suppressed as there are bytes left.
    Output out = new Output();
    header(out);
    for (int level = 0; level < 1_000; level++) {
      out.u8(ThrowableCodec.Writer.PRESENT | ThrowableCodec.Writer.SUPPRESSED);
      out.varint(Dictionary.NULL);
      out.string(null);
      out.zigzag(0);
      out.varint(900_000);
    }
    byte[] payload = Arrays.copyOf(out.buffer(), 1_000_000);

    refuseOrDecode(payload);
  }

  /** However deep: no stack overflows, and no more memory than the bytes account for. */
  @Test
  void shouldReadThrowablesNestedAsDeepAsTheBytesSay() throws CodecException {
    Output out = new Output();
    header(out);
    for (int level = 0; level < 100_000; level++) {
      throwable(
          out, level % 2 == 0 ? ThrowableCodec.Writer.SUPPRESSED : ThrowableCodec.Writer.CAUSE);
    }
    byte[] cut = Arrays.copyOf(out.buffer(), out.length());
    throwable(out, 0);
    byte[] whole = Arrays.copyOf(out.buffer(), out.length());

    refuseOrDecode(cut);
    assertThatExceptionOfType(CodecException.class).isThrownBy(() -> EventCodec.decode(cut));
    refuseOrDecode(whole);
    assertThat(EventCodec.decode(whole)).hasSize(1);
  }

  private static void throwable(Output out, int flags) {
    out.u8(ThrowableCodec.Writer.PRESENT | flags);
    out.varint(Dictionary.NULL);
    out.string(null);
    out.zigzag(0);
    if (flags == ThrowableCodec.Writer.SUPPRESSED) {
      out.varint(1);
    }
  }

  /** A run of one event with nothing but a throwable, which is to follow. */
  private static void header(Output out) {
    out.u8(EventCodec.VERSION);
    out.i32(1);
    out.u16(EventBody.THROWABLE | EventBody.SAME_TEXT);
    for (int reference = 0; reference < 3; reference++) {
      out.varint(Dictionary.NULL);
    }
    out.zigzag(0);
    out.i32(0);
    out.zigzag(0);
    out.string(null);
  }
}
