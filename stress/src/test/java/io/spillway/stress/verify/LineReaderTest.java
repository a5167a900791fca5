package io.spillway.stress.verify;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.stress.verify.LineReader.Kind;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LineReaderTest {
  private final LineReader parser = new LineReader();

  private static String event(int thread, long sequence) {
    String text = LogLine.text(thread, sequence);
    return "event "
        + thread
        + " "
        + sequence
        + " "
        + text
        + " #"
        + LogLine.checksum(thread, sequence, text);
  }

  private Kind parse(String line) {
    byte[] bytes = ("before" + line + "after").getBytes(StandardCharsets.UTF_8);
    return parser.parse(bytes, 6, bytes.length - 5);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "%s",
        "12:00:00.123 [app-001] INFO  s.OrderService - %s",
        "{\"@timestamp\":\"2026-01-01\",\"message\":\"%s\",\"level\":\"INFO\"}",
        "12:00:00 audit event %s",
        "%s of event 12",
        "<14>1 host app: %s (OrderService.java:12) #unrelated",
      })
  void shouldKnowAnEventInAnyLayout(String layout) {
    assertThat(parse(layout.replace("%s", event(7, 42)))).isEqualTo(Kind.EVENT);
    assertThat(parser.thread()).isEqualTo(7);
    assertThat(parser.sequence()).isEqualTo(42);
  }

  @Test
  void shouldCallTornWhateverIsNotOneWholeEvent() {
    String whole = event(7, 42);
    assertThat(parse(whole.substring(0, whole.length() - 1))).as("cut").isEqualTo(Kind.TORN);
    assertThat(parse(whole.replace("order", "Order"))).as("altered").isEqualTo(Kind.TORN);
    assertThat(parse(whole + whole)).as("two in one line").isEqualTo(Kind.TORN);
    assertThat(parse(whole.substring(0, 20) + whole)).as("run together").isEqualTo(Kind.TORN);
  }

  @Test
  void shouldTellPrefilledAndForeignLines() {
    assertThat(parse("2026-01-01 00:00:00,000 [prefill] INFO  shop.OrderService - prefill 1 a"))
        .isEqualTo(Kind.PREFILL);
    assertThat(parse("# a header")).isEqualTo(Kind.FOREIGN);
    assertThat(parse("")).isEqualTo(Kind.FOREIGN);
  }
}
