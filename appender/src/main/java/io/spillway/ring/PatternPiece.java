package io.spillway.ring;

import ch.qos.logback.classic.pattern.DateConverter;
import ch.qos.logback.classic.pattern.LevelConverter;
import ch.qos.logback.classic.pattern.LineSeparatorConverter;
import ch.qos.logback.classic.pattern.LoggerConverter;
import ch.qos.logback.classic.pattern.ThreadConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.pattern.Converter;
import ch.qos.logback.core.pattern.FormattingConverter;
import ch.qos.logback.core.pattern.LiteralConverter;
import java.util.function.Function;

/**
 * One converter of a pattern, printing bytes. What depends on a level, a logger's or a thread's
 * name alone is converted and encoded once and then copied. Drainer thread only.
 */
abstract class PatternPiece {
  abstract void write(ILoggingEvent event, EncodedText out);

  /** The piece for a converter of Logback's own that is known to be pure, or one that asks it. */
  static PatternPiece of(Converter<ILoggingEvent> converter, EncodedText out) {
    Class<?> type = converter.getClass();
    if (type == LiteralConverter.class || type == LineSeparatorConverter.class) {
      return new Literal(out.encode(print(converter, null)));
    }
    if (type == LevelConverter.class) {
      return new Remembered(converter, ILoggingEvent::getLevel);
    }
    if (type == LoggerConverter.class) {
      return new Remembered(converter, ILoggingEvent::getLoggerName);
    }
    if (type == ThreadConverter.class) {
      return new Remembered(converter, ILoggingEvent::getThreadName);
    }
    return new Asked(converter, type == DateConverter.class);
  }

  private static String print(Converter<ILoggingEvent> converter, ILoggingEvent event) {
    if (converter instanceof FormattingConverter<ILoggingEvent> plain
        && plain.getFormattingInfo() == null) {
      return String.valueOf(plain.convert(event));
    }
    StringBuilder text = new StringBuilder();
    converter.write(text, event);
    return text.toString();
  }

  private static final class Literal extends PatternPiece {
    private final EncodedText.Encoded text;

    Literal(EncodedText.Encoded text) {
      this.text = text;
    }

    @Override
    void write(ILoggingEvent event, EncodedText out) {
      out.append(text);
    }
  }

  /** A small table by hash: a collision costs one conversion, never memory. */
  private static final class Remembered extends PatternPiece {
    private static final int SLOTS = 1024;

    private final Converter<ILoggingEvent> converter;
    private final Function<ILoggingEvent, Object> key;
    private final Object[] keys = new Object[SLOTS];
    private final EncodedText.Encoded[] texts = new EncodedText.Encoded[SLOTS];

    Remembered(Converter<ILoggingEvent> converter, Function<ILoggingEvent, Object> key) {
      this.converter = converter;
      this.key = key;
    }

    @Override
    void write(ILoggingEvent event, EncodedText out) {
      Object wanted = key.apply(event);
      if (wanted == null) {
        out.append(print(converter, event));
        return;
      }
      int hash = wanted.hashCode();
      int slot = (hash ^ hash >>> 16) & (SLOTS - 1);
      if (!wanted.equals(keys[slot])) {
        texts[slot] = out.encode(print(converter, event));
        keys[slot] = wanted;
      }
      out.append(texts[slot]);
    }
  }

  private static final class Asked extends PatternPiece {
    private final Converter<ILoggingEvent> converter;
    private final boolean repeats;
    private EncodedText.Encoded last;

    /** Repeats: often returns the very same string again, as the date does within a millisecond. */
    Asked(Converter<ILoggingEvent> converter, boolean repeats) {
      this.converter = converter;
      this.repeats = repeats;
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // the same string, not an equal one
    void write(ILoggingEvent event, EncodedText out) {
      String text = print(converter, event);
      if (repeats) {
        if (last == null || last.text() != text) {
          last = out.encode(text);
        }
        out.append(last);
      } else if (!text.isEmpty()) {
        out.append(text);
      }
    }
  }
}
