package io.spillway.internal.codec;

import ch.qos.logback.classic.spi.ILoggingEvent;
import java.time.DateTimeException;
import java.time.Instant;

/** Milliseconds, nanoseconds and instant of an event: as the instant alone if that says it all. */
final class TimeCodec {
  private static final int NANOS_PER_MILLI = 1_000_000;

  private TimeCodec() {}

  static int flags(ILoggingEvent event) {
    Instant instant = event.getInstant();
    if (instant == null) {
      return 0;
    }
    boolean plain =
        event.getTimeStamp() == epochMillis(instant) && event.getNanoseconds() == instant.getNano();
    return plain ? Format.PLAIN_TIME : Format.INSTANT;
  }

  static void write(Output out, ILoggingEvent event, int flags) {
    if ((flags & Format.PLAIN_TIME) == 0) {
      out.zigzag(event.getTimeStamp());
      out.i32(event.getNanoseconds());
    }
    if (flags != 0) {
      Instant instant = event.getInstant();
      out.zigzag(instant.getEpochSecond());
      out.i32(instant.getNano());
    }
  }

  static SpilledEvent.Time read(Input in, int flags) throws CodecException {
    boolean plain = (flags & Format.PLAIN_TIME) != 0;
    boolean explicit = (flags & Format.INSTANT) != 0;
    if (plain && explicit) {
      throw new CodecException("two kinds of time");
    }
    if (plain) {
      Instant instant = instant(in);
      return new SpilledEvent.Time(epochMillis(instant), instant.getNano(), instant);
    }
    long epochMillis = in.zigzag();
    int nanoseconds = in.i32();
    return new SpilledEvent.Time(epochMillis, nanoseconds, explicit ? instant(in) : null);
  }

  private static Instant instant(Input in) throws CodecException {
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

  /** As Logback reckons, overflow included. */
  private static long epochMillis(Instant instant) {
    return instant.getEpochSecond() * 1000 + instant.getNano() / NANOS_PER_MILLI;
  }
}
