package io.spillway.internal.codec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.UUID;
import net.logstash.logback.encoder.LogstashEncoder;
import org.junit.jupiter.api.Test;
import org.slf4j.event.KeyValuePair;

class ValuesTest {
  private static final Object[] TYPED = {
    null,
    "text",
    "",
    true,
    false,
    Byte.MIN_VALUE,
    Short.MAX_VALUE,
    '\ud800',
    Integer.MIN_VALUE,
    -1,
    Integer.MAX_VALUE,
    Long.MIN_VALUE,
    Long.MAX_VALUE,
    Float.MIN_VALUE,
    Float.NaN,
    Double.NEGATIVE_INFINITY,
    -0.0,
    0.1
  };

  @Test
  void shouldKeepStringsAndBoxedPrimitivesWithTheirType() {
    assertThat(Runs.roundTrip(Events.of("{}", TYPED)).getArgumentArray()).containsExactly(TYPED);
    for (Object value : TYPED) {
      KeyValuePair pair = new KeyValuePair("key", value);
      assertThat(Runs.roundTrip(Events.of("").pairs(pair)).getKeyValuePairs())
          .containsExactly(pair);
    }
  }

  @Test
  void shouldKeepTheTextOfAnythingElse() {
    Object[] arguments = {new BigDecimal("1.50"), new int[] {1}, Hostile.PLAIN, new char[] {'a'}};
    ILoggingEvent spilled = Runs.roundTrip(Events.of("{} {} {} {}", arguments));

    for (int i = 0; i < arguments.length; i++) {
      assertThat(spilled.getArgumentArray()[i]).hasToString(String.valueOf(arguments[i]));
    }
    assertThat(spilled.getFormattedMessage()).startsWith("1.50 [1] plain");
  }

  @Test
  void shouldBePrintedAsTextByEncodersThatLookIntoValues() {
    Events event =
        Events.of("{}", Duration.ofMillis(3), new StringBuilder("built"))
            .pairs(
                new KeyValuePair("id", new UUID(1, 2)), new KeyValuePair("after", Duration.ZERO));
    LogstashEncoder encoder = new LogstashEncoder();
    encoder.setContext(new LoggerContext());
    encoder.setIncludeNonStructuredArguments(true);
    encoder.start();
    String printed = new String(encoder.encode(event), UTF_8);

    assertThat(printed).contains("\"PT0.003S\"", "\"built\"", "\"" + new UUID(1, 2) + "\"");
    assertThat(new String(encoder.encode(Runs.roundTrip(event)), UTF_8)).isEqualTo(printed);
  }

  @Test
  void shouldThrowAgainWhatThrew() {
    Events event =
        Events.of("{}", Hostile.THROWS, Hostile.THROWS_NULL)
            .pairs(new KeyValuePair("key", Hostile.THROWS));
    ILoggingEvent spilled = Runs.roundTrip(event);

    assertThatThrownBy(() -> spilled.getArgumentArray()[0].toString())
        .hasMessage("no text for you");
    assertThatThrownBy(() -> spilled.getArgumentArray()[1].toString()).hasMessage(null);
    assertThatThrownBy(() -> spilled.getKeyValuePairs().get(0).value.toString())
        .hasMessage("no text for you");
    assertThat(spilled.getFormattedMessage()).isEqualTo(event.getFormattedMessage());
  }

  @Test
  void shouldKeepANullText() {
    ILoggingEvent spilled = Runs.roundTrip(Events.of("", Hostile.NULL_TEXT));

    assertThat(spilled.getArgumentArray()[0]).isNotNull();
    assertThat(spilled.getArgumentArray()[0].toString()).isNull();
  }

  @Test
  void shouldTakeAnExceptionWhoseMessageThrowsToo() {
    Object worst =
        new Object() {
          @Override
          public String toString() {
            throw new IllegalStateException() {
              private static final long serialVersionUID = 1L;

              @Override
              public String getMessage() {
                throw new StackOverflowError();
              }
            };
          }
        };
    ILoggingEvent spilled = Runs.roundTrip(Events.of("", worst));

    assertThatThrownBy(() -> spilled.getArgumentArray()[0].toString())
        .hasMessage(StackOverflowError.class.getName());
  }

  @Test
  void shouldTakeANullPair() {
    assertThat(Runs.roundTrip(Events.of("").pairs((KeyValuePair) null)).getKeyValuePairs())
        .containsExactly((KeyValuePair) null);
  }
}
