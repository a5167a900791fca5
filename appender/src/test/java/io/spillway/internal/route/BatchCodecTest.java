package io.spillway.internal.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.spi.ContextAwareBase;
import io.spillway.internal.codec.EventCodec;
import io.spillway.internal.metrics.Reports;
import io.spillway.internal.sink.EventBatch;
import io.spillway.internal.spill.Spill;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BatchCodecTest {
  private static final int HUGE = 16 << 20;

  private final BatchCodec codec = BatchCodec.events(new Reports(new ContextAwareBase()));

  private Spill.Payload encode(String message, Object... arguments) {
    return encode(EventCodec.Foreign.UNWATCHED, message, arguments);
  }

  private Spill.Payload encode(EventCodec.Foreign how, String message, Object... arguments) {
    Logger logger = new LoggerContext().getLogger("huge");
    LoggingEvent event = new LoggingEvent("", logger, Level.INFO, message, null, arguments);
    event.setMDCPropertyMap(Map.of());
    event.prepareForDeferredProcessing();
    EventBatch batch = new EventBatch(new ILoggingEvent[] {event}, 0, 0);
    return codec.encode(batch, 0, how);
  }

  @Test
  void shouldNotKeepTheBufferOfAHugeEvent() {
    Spill.Payload huge = encode("x".repeat(HUGE));
    assertThat(huge.length()).isGreaterThan(HUGE);
    Spill.Payload next = encode("small");
    assertThat(next.bytes()).as("the codec's buffer").hasSizeLessThan(HUGE);
    assertThat(huge.bytes()).as("what the caller has").hasSizeGreaterThan(HUGE);
  }

  @Test
  void shouldNotKeepTheBufferOfAHugeEventThatThereIsNoMemoryFor() {
    EventCodec.Foreign patient =
        new EventCodec.Foreign(false, true, EventCodec.Foreign.UNWATCHED.at());
    Object last =
        new Object() {
          @Override
          public String toString() {
            throw new OutOfMemoryError("of the test");
          }
        };
    String huge = "x".repeat(HUGE);
    assertThatThrownBy(() -> encode(patient, huge, last)).isInstanceOf(OutOfMemoryError.class);
    assertThat(encode("small").bytes()).hasSizeLessThan(HUGE);
  }

  @Test
  void shouldNeedNoMemoryToSayThatForeignCodeIsLeftOut() {
    assertThat(EventCodec.Foreign.NONE.careful()).isTrue();
    assertThat(EventCodec.Foreign.UNWATCHED.careful()).isFalse();
  }
}
