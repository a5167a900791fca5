package io.spillway.internal.codec;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.spi.ILoggingEvent;
import java.util.Arrays;

/** Events through the codec and back. */
final class Runs {
  private Runs() {}

  static byte[] encode(ILoggingEvent... events) {
    EventCodec codec = new EventCodec();
    int encoded =
        codec.encode(
            events,
            0,
            events.length,
            EventCodec.Foreign.UNWATCHED,
            (index, cause) -> {
              throw new AssertionError("event " + index, cause);
            });
    assertThat(encoded).isEqualTo(events.length);
    return Arrays.copyOf(codec.buffer(), codec.length());
  }

  static ILoggingEvent[] roundTrip(ILoggingEvent... events) {
    return decode(encode(events));
  }

  static ILoggingEvent roundTrip(ILoggingEvent event) {
    return roundTrip(new ILoggingEvent[] {event})[0];
  }

  static ILoggingEvent[] decode(byte[] payload) {
    try {
      return EventCodec.decode(payload);
    } catch (CodecException e) {
      throw new AssertionError(e);
    }
  }
}
