package io.spillway.internal.codec;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.spi.ILoggingEvent;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class StringsTest {
  @Provide
  Arbitrary<String> anything() {
    return Arbitraries.oneOf(
        Arbitraries.strings().all().ofMaxLength(300),
        Arbitraries.strings().withCharRange('\u0000', '\u00ff').ofMaxLength(300),
        Arbitraries.strings().withCharRange('\ud700', '\ue100').ofMaxLength(30));
  }

  @Property(tries = 500)
  void shouldKeepEveryCharacter(@ForAll("anything") String text) {
    ILoggingEvent spilled = Runs.roundTrip(Events.of(text, (Object[]) null));

    assertThat(spilled.getMessage()).isEqualTo(text);
    assertThat(spilled.getFormattedMessage()).isEqualTo(text);
  }

  @Test
  void shouldKeepEachOf65536Characters() {
    String all =
        IntStream.rangeClosed(0, 0xFFFF)
            .collect(StringBuilder::new, (s, c) -> s.append((char) c), StringBuilder::append)
            .toString();

    assertThat(Runs.roundTrip(Events.of(all)).getMessage()).isEqualTo(all);
    for (char c : all.toCharArray()) {
      if (c % 61 == 0) {
        String text = "latin until " + c;
        assertThat(Runs.roundTrip(Events.of(text)).getMessage()).isEqualTo(text);
      }
    }
  }

  @Test
  void shouldKeepStringsOfEachLengthAroundAHeaderByteMore() {
    for (int length : new int[] {0, 1, 62, 63, 64, 127, 128, 8190, 8191, 8192, 8193, 70_000}) {
      for (String unit : new String[] {"a", "ÿ", "\u0100"}) {
        String text = unit.repeat(length);
        assertThat(Runs.roundTrip(Events.of(text)).getMessage()).isEqualTo(text);
      }
    }
  }

  @Test
  void shouldKeepMessagesOfSeveralMegabytes() {
    String latin = "0123456789abcdef".repeat(4 << 16);
    String wide = latin + "\ud83d";
    ILoggingEvent[] spilled = Runs.roundTrip(Events.of("{} {}", latin, wide), Events.of(latin));

    assertThat(spilled[0].getFormattedMessage()).isEqualTo(latin + " " + wide);
    assertThat(spilled[0].getArgumentArray()).containsExactly(latin, wide);
    assertThat(spilled[1].getMessage()).isEqualTo(latin);
  }

  @Test
  void shouldTakeOneByteForACharacterOfLatin1() {
    int without = Runs.encode(Events.of("", (Object[]) null)).length;

    assertThat(Runs.encode(Events.of("ä".repeat(60), (Object[]) null)).length - without)
        .isEqualTo(60);
  }

  @Test
  void shouldWriteNamesOnceAsLongAsThereAreNumbers() {
    ILoggingEvent[] events = new ILoggingEvent[2 * Dictionary.MAX_NAMES];
    for (int i = 0; i < events.length; i++) {
      Events event = Events.of("pattern " + i % 5_000 + " {}", i);
      event.setLoggerName("logger " + i % 3);
      events[i] = event;
    }
    ILoggingEvent[] spilled = Runs.roundTrip(events);

    for (int i = 0; i < events.length; i++) {
      assertThat(spilled[i].getMessage()).isEqualTo(events[i].getMessage());
      assertThat(spilled[i].getLoggerName()).isEqualTo(events[i].getLoggerName());
    }
    assertThat(spilled[0].getLoggerName()).isSameAs(spilled[3].getLoggerName());
  }

  @Test
  void shouldKeepNamesThatCollide() {
    ILoggingEvent[] events = new ILoggingEvent[256];
    for (int i = 0; i < events.length; i++) {
      Events event = Events.of("x");
      event.setLoggerName(collision(i));
      events[i] = event;
    }
    ILoggingEvent[] spilled = Runs.roundTrip(events);

    for (int i = 0; i < events.length; i++) {
      assertThat(spilled[i].getLoggerName().hashCode()).isEqualTo(collision(0).hashCode());
      assertThat(spilled[i].getLoggerName()).isEqualTo(collision(i));
    }
  }

  /** "Aa" and "BB" have the same hash code, and so have all strings made of eight of them. */
  private static String collision(int bits) {
    StringBuilder name = new StringBuilder();
    for (int bit = 0; bit < 8; bit++) {
      name.append((bits >> bit & 1) == 0 ? "Aa" : "BB");
    }
    return name.toString();
  }
}
