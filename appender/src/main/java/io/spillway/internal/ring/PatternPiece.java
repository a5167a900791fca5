package io.spillway.internal.ring;

import ch.qos.logback.classic.pattern.DateConverter;
import ch.qos.logback.classic.pattern.LevelConverter;
import ch.qos.logback.classic.pattern.LineSeparatorConverter;
import ch.qos.logback.classic.pattern.LoggerConverter;
import ch.qos.logback.classic.pattern.ThreadConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.pattern.Converter;
import ch.qos.logback.core.pattern.FormattingConverter;
import ch.qos.logback.core.pattern.LiteralConverter;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** A part of a pattern, printing bytes. Drainer thread only. */
abstract class PatternPiece {
  /** Logback's own that are known to depend on nothing but {@link Origin}. */
  private static final Set<Class<?>> OF_ORIGIN =
      Set.of(
          LiteralConverter.class,
          LineSeparatorConverter.class,
          LevelConverter.class,
          LoggerConverter.class,
          ThreadConverter.class);

  abstract void write(ILoggingEvent event, EncodedText out);

  /** The pieces of a chain of converters, as few as possible. */
  static List<PatternPiece> chain(Converter<ILoggingEvent> head) {
    List<PatternPiece> pieces = new ArrayList<>();
    List<Converter<ILoggingEvent>> run = new ArrayList<>();
    for (Converter<ILoggingEvent> c = head; c != null; c = c.getNext()) {
      if (OF_ORIGIN.contains(c.getClass())) {
        run.add(c);
      } else {
        remember(run, pieces);
        pieces.add(new Asked(c));
      }
    }
    remember(run, pieces);
    return pieces;
  }

  private static void remember(List<Converter<ILoggingEvent>> run, List<PatternPiece> pieces) {
    if (!run.isEmpty()) {
      pieces.add(new Remembered(List.copyOf(run)));
      run.clear();
    }
  }

  /** What a run of converters depends on; null for what it does not. */
  private record Origin(Object level, String logger, String thread) {
    boolean is(Object level, String logger, String thread) {
      return Objects.equals(this.level, level)
          && Objects.equals(this.logger, logger)
          && Objects.equals(this.thread, thread);
    }
  }

  /**
   * Neighbours that depend on level, logger and thread alone: printed and encoded together, once,
   * then copied. A small table by hash: a collision costs one printing, never memory.
   */
  private static final class Remembered extends PatternPiece {
    private static final int SLOTS = 1024;

    private final List<Converter<ILoggingEvent>> run;
    private final boolean ofLevel;
    private final boolean ofLogger;
    private final boolean ofThread;
    private final Origin[] origins = new Origin[SLOTS];
    private final EncodedText.Encoded[] texts = new EncodedText.Encoded[SLOTS];

    Remembered(List<Converter<ILoggingEvent>> run) {
      this.run = run;
      ofLevel = uses(LevelConverter.class);
      ofLogger = uses(LoggerConverter.class);
      ofThread = uses(ThreadConverter.class);
    }

    private boolean uses(Class<?> type) {
      return run.stream().anyMatch(converter -> converter.getClass() == type);
    }

    @Override
    void write(ILoggingEvent event, EncodedText out) {
      Object level = ofLevel ? event.getLevel() : null;
      String logger = ofLogger ? event.getLoggerName() : null;
      String thread = ofThread ? event.getThreadName() : null;
      int slot = slot(level, logger, thread);
      Origin origin = origins[slot];
      if (origin == null || !origin.is(level, logger, thread)) {
        EncodedText.Encoded text = out.encode(print(event));
        Origin printed = new Origin(level, logger, thread);
        texts[slot] = text; // both or none: either line above may throw
        origins[slot] = printed;
      }
      out.append(texts[slot]);
    }

    private static int slot(Object level, String logger, String thread) {
      int hash = 31 * Objects.hashCode(level) + Objects.hashCode(logger);
      hash = 31 * hash + Objects.hashCode(thread);
      return (hash ^ hash >>> 16) & (SLOTS - 1);
    }

    private String print(ILoggingEvent event) {
      StringBuilder text = new StringBuilder();
      for (Converter<ILoggingEvent> converter : run) {
        converter.write(text, event);
      }
      return text.toString();
    }
  }

  /** One that may depend on anything. */
  private static final class Asked extends PatternPiece {
    private final Converter<ILoggingEvent> converter;
    private final boolean repeats; // the very same string, as the date does within a millisecond
    private EncodedText.Encoded last;

    Asked(Converter<ILoggingEvent> converter) {
      this.converter = converter;
      this.repeats = converter.getClass() == DateConverter.class;
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // the same string, not an equal one
    void write(ILoggingEvent event, EncodedText out) {
      String text = print(event);
      if (repeats) {
        if (last == null || last.text() != text) {
          last = out.encode(text);
        }
        out.append(last);
      } else if (!text.isEmpty()) {
        out.append(text);
      }
    }

    private String print(ILoggingEvent event) {
      if (converter instanceof FormattingConverter<ILoggingEvent> plain
          && plain.getFormattingInfo() == null) {
        return String.valueOf(plain.convert(event));
      }
      StringBuilder text = new StringBuilder();
      converter.write(text, event);
      return text.toString();
    }
  }
}
