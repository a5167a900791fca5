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
import java.util.zip.DataFormatException;
import net.logstash.logback.marker.Markers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Marker;
import org.slf4j.event.KeyValuePair;

/** Whatever the bytes are: a refusal or a run, soon, and no more memory than they account for. */
@Timeout(60)
class HostilePayloadTest {
  /** The dearest bytes: a map of one entry, or a throwable with nothing in it. */
  private static final int ALLOCATED_PER_BYTE = 64;

  private static final int ALLOCATED_ANYWAY = 64 << 10;

  private static byte[] run() {
    IllegalStateException throwable = new IllegalStateException("outer", new Error("cause"));
    Marker marker = Markers.append("key", "value").and(Markers.append("b", "c"));
    throwable.addSuppressed(new RuntimeException("suppressed Ж"));
    throwable.setStackTrace(Arrays.copyOf(throwable.getStackTrace(), 3));
    Events rich =
        Events.of("{} {}", "ø", Events.Odd.PLAIN)
            .markers(marker)
            .mdc(Map.of("first", "1", "second", "2"))
            .pairs(new KeyValuePair("key", 7L), new KeyValuePair("other", Events.Odd.THROWS))
            .throwable(new ThrowableProxy(throwable))
            .caller(Arrays.copyOf(new Throwable().getStackTrace(), 2));
    ILoggingEvent[] events = {
      Events.of("plain"), rich, Events.of("{}", 'c', 1.5, 2.5f, true, null), rich
    };
    EventCodec codec = new EventCodec();
    codec.encode(events, 4, event -> new byte[] {'l', 'i', 'n', 'e'}, cause -> {});
    return Arrays.copyOf(codec.buffer(), codec.length());
  }

  private static void refuse(byte[] payload, int length) {
    assertThatExceptionOfType(DataFormatException.class)
        .as("%d of %d bytes", length, payload.length)
        .isThrownBy(() -> EventCodec.decode(payload, length));
  }

  @Test
  void shouldRefuseARunCutAnywhereAndBytesAfterIt() {
    byte[] whole = run();
    for (int length = 0; length < whole.length; length++) {
      refuse(Arrays.copyOf(whole, length), length);
      refuse(whole, length); // in a buffer that goes on
    }
    refuse(Arrays.copyOf(whole, whole.length + 1), whole.length + 1);
    refuse(whole, whole.length + 1);
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

  /** Numbers that are large, small or negative once decoded come up more often than by chance. */
  @Test
  void shouldRefuseOrDecodeRandomChanges() {
    byte[] whole = run();
    byte[] likely = {0, 1, 2, 3, 0x7F, (byte) 0x80, (byte) 0xFF};
    Random random = new Random(42);
    for (int i = 0; i < 6_000; i++) {
      byte[] payload = whole.clone();
      for (int change = random.nextInt(4); change >= 0; change--) {
        payload[5 + random.nextInt(payload.length - 5)] =
            random.nextBoolean() ? likely[random.nextInt(7)] : (byte) random.nextInt(256);
      }
      refuseOrDecode(payload);
      byte[] noise = new byte[5 + random.nextInt(400)];
      random.nextBytes(noise);
      System.arraycopy(new byte[] {1, 0, 0, 0, 3}, 0, noise, 0, 5);
      refuseOrDecode(noise);
    }
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
      EventCodec.decode(payload, payload.length);
    } catch (DataFormatException refused) {
      assertThat(refused).hasMessageContaining("not a run of events");
    }
    return threads.getCurrentThreadAllocatedBytes() - before;
  }

  /** A run of one event up to what its markers are made of. */
  private static Output untilMarkers(int markers) {
    Output out = new Output();
    out.bytes(new byte[] {1, 0, 0, 0, 1});
    out.zigzag(0); // level
    out.bytes(new byte[] {0, 0, 0, 0, 0, 0, 1, 0, 0}); // to the arguments, all of them null or 0
    out.varint(markers);
    return out;
  }

  private static byte[] padded(Output out, int length) {
    return Arrays.copyOf(out.buffer(), Math.max(length, out.length()));
  }

  /** The bytes of a throwable with nothing in it, up to the suppressed ones. */
  private static void throwable(Output out) {
    out.bytes(new byte[] {1, 0, 0, 0, 0, 0, 0});
  }

  @Test
  void shouldNotAllocateAgainAtEachLevelOfSuppressed() {
    Output out = untilMarkers(0);
    out.bytes(new byte[2]); // MDC, pairs
    for (int level = 0; level < 200; level++) {
      throwable(out);
      out.varint(900_000);
    }

    refuseOrDecode(padded(out, 1_000_000));
  }

  @Test
  void shouldRefuseWhatIsNestedDeeperThanItWrites() {
    for (int suppressed : new int[] {0, 1}) {
      Output out = untilMarkers(0);
      out.bytes(new byte[2]);
      for (int level = 0; level < 200_000; level++) {
        throwable(out);
        out.varint(suppressed);
      }
      byte[] payload = padded(out, 3_000_000);
      refuse(payload, payload.length);
      refuseOrDecode(payload);
    }
    Output out = untilMarkers(1);
    for (int level = 0; level < 200_000; level++) {
      out.bytes(new byte[] {1, 0, 0});
    }
    refuse(padded(out, 1_000_000), 1_000_000);
  }

  /** Each count says as much as there are bytes left. */
  @Test
  void shouldRefuseCountsThatNothingFollows() {
    for (int place = 0; place < 4; place++) {
      Output out = untilMarkers(place == 0 ? 400_000 : 0);
      out.bytes(new byte[1]); // MDC
      out.varint(place == 1 ? 400_000 : 0); // pairs
      out.u8(0); // throwable
      out.varint(place == 2 ? 900_000 : 0); // caller data
      out.varint(place == 3 ? 200_000_000 : 0); // line
      byte[] payload = padded(out, 1_000_000);
      refuse(payload, payload.length);
      refuseOrDecode(payload);
    }
  }
}
