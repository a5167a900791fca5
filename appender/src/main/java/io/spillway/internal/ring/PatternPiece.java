package io.spillway.internal.ring;

import ch.qos.logback.classic.pattern.ClassOfCallerConverter;
import ch.qos.logback.classic.pattern.ContextNameConverter;
import ch.qos.logback.classic.pattern.DateConverter;
import ch.qos.logback.classic.pattern.ExtendedThrowableProxyConverter;
import ch.qos.logback.classic.pattern.FileOfCallerConverter;
import ch.qos.logback.classic.pattern.LevelConverter;
import ch.qos.logback.classic.pattern.LineOfCallerConverter;
import ch.qos.logback.classic.pattern.LineSeparatorConverter;
import ch.qos.logback.classic.pattern.LoggerConverter;
import ch.qos.logback.classic.pattern.MDCConverter;
import ch.qos.logback.classic.pattern.MessageConverter;
import ch.qos.logback.classic.pattern.MethodOfCallerConverter;
import ch.qos.logback.classic.pattern.MicrosecondConverter;
import ch.qos.logback.classic.pattern.NopThrowableInformationConverter;
import ch.qos.logback.classic.pattern.PropertyConverter;
import ch.qos.logback.classic.pattern.RelativeTimeConverter;
import ch.qos.logback.classic.pattern.RootCauseFirstThrowableProxyConverter;
import ch.qos.logback.classic.pattern.ThreadConverter;
import ch.qos.logback.classic.pattern.ThrowableProxyConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.pattern.Converter;
import ch.qos.logback.core.pattern.FormattingConverter;
import ch.qos.logback.core.pattern.LiteralConverter;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.slf4j.helpers.MessageFormatter;

/** A part of a pattern that prints bytes. For the drainer thread only. */
abstract class PatternPiece {
  /** Logback's converters that are known to depend on nothing but {@link Origin}. */
  private static final Set<Class<?>> OF_ORIGIN =
      Set.of(
          LiteralConverter.class,
          LineSeparatorConverter.class,
          LevelConverter.class,
          LoggerConverter.class,
          ThreadConverter.class);

  /** Logback's converters that read neither message nor arguments unless there is a throwable. */
  private static final Set<Class<?>> MESSAGELESS =
      Set.of(
          DateConverter.class,
          MDCConverter.class,
          MicrosecondConverter.class,
          RelativeTimeConverter.class,
          ContextNameConverter.class,
          PropertyConverter.class,
          LineOfCallerConverter.class,
          FileOfCallerConverter.class,
          MethodOfCallerConverter.class,
          ClassOfCallerConverter.class,
          ThrowableProxyConverter.class,
          ExtendedThrowableProxyConverter.class,
          RootCauseFirstThrowableProxyConverter.class,
          NopThrowableInformationConverter.class);

  /** Longest names or message, in characters, that are cached, so that memory is bounded. */
  private static final int MAX_REMEMBERED = 512;

  /** Prints this part of an event. The arguments are null if the message is formatted. */
  abstract void write(ILoggingEvent event, Object[] arguments, EncodedText out);

  /** Returns whether plain %msg alone reads the message, which may then be formatted on output. */
  static boolean leaveMessagesAlone(Converter<ILoggingEvent> head) {
    for (Converter<ILoggingEvent> c = head; c != null; c = c.getNext()) {
      if (!OF_ORIGIN.contains(c.getClass())
          && !MESSAGELESS.contains(c.getClass())
          && !isPlainMessage(c)) {
        return false;
      }
    }
    return true;
  }

  private static boolean isPlainMessage(Converter<ILoggingEvent> converter) {
    return converter.getClass() == MessageConverter.class
        && ((MessageConverter) converter).getFormattingInfo() == null;
  }

  /** Returns the pieces of a chain of converters, as few as possible. */
  static List<PatternPiece> chain(Converter<ILoggingEvent> head) {
    List<PatternPiece> pieces = new ArrayList<>();
    List<Converter<ILoggingEvent>> run = new ArrayList<>();
    for (Converter<ILoggingEvent> c = head; c != null; c = c.getNext()) {
      if (OF_ORIGIN.contains(c.getClass())) {
        run.add(c);
      } else {
        remember(run, pieces);
        pieces.add(isPlainMessage(c) ? new Message(new Asked(c)) : new Asked(c));
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

  /** The values that a run of converters depends on; null for the others. */
  private record Origin(Object level, String logger, String thread) {
    boolean is(Object level, String logger, String thread) {
      return Objects.equals(this.level, level)
          && Objects.equals(this.logger, logger)
          && Objects.equals(this.thread, thread);
    }
  }

  /**
   * Adjacent converters that depend on level, logger and thread name alone: their text is printed
   * and encoded once, then copied from a small hash table. A collision costs one more printing but
   * no memory. Long names, such as those of threads named after a request, are printed each time.
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
      for (Converter<ILoggingEvent> converter : run) {
        if (converter.getClass() == type) {
          return true;
        }
      }
      return false;
    }

    @Override
    void write(ILoggingEvent event, Object[] arguments, EncodedText out) {
      Object level = ofLevel ? event.getLevel() : null;
      String logger = ofLogger ? event.getLoggerName() : null;
      String thread = ofThread ? event.getThreadName() : null;
      if (length(logger) + length(thread) > MAX_REMEMBERED) {
        out.append(print(event));
        return;
      }
      int slot = slot(level, logger, thread);
      Origin origin = origins[slot];
      if (origin == null || !origin.is(level, logger, thread)) {
        EncodedText.Encoded text = out.encode(print(event));
        Origin printed = new Origin(level, logger, thread);
        texts[slot] = text; // both or none: printing and encoding above may throw
        origins[slot] = printed;
      }
      out.append(texts[slot]);
    }

    private static int length(String name) {
      return name == null ? 0 : name.length();
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

  /**
   * The message. A message that is not formatted is printed directly as bytes: the text between its
   * arguments is encoded once for each log statement. The result is that of {@link
   * MessageFormatter}, which is called where a message has escapes or too few arguments.
   */
  private static final class Message extends PatternPiece {
    private static final int SLOTS = 1024;
    private static final String PLACE = "{}";
    private static final char ESCAPE = '\\';

    private final Asked formatted;
    private final Template[] templates = new Template[SLOTS];

    /** The text before each placeholder and behind the last; null if the message has an escape. */
    private record Template(String message, EncodedText.Encoded[] literals) {}

    Message(Asked formatted) {
      this.formatted = formatted;
    }

    @Override
    void write(ILoggingEvent event, Object[] arguments, EncodedText out) {
      if (arguments == null) {
        formatted.write(event, null, out);
        return;
      }
      String message = event.getMessage();
      EncodedText.Encoded[] literals =
          message.length() > MAX_REMEMBERED ? null : template(message, out).literals;
      int places = literals == null ? 0 : literals.length - 1;
      if (literals == null || arguments.length < places) {
        out.append(MessageFormatter.arrayFormat(message, arguments).getMessage());
        return;
      }
      for (int i = 0; i < places; i++) {
        out.append(literals[i]);
        append(arguments[i], out);
      }
      out.append(literals[places]);
    }

    private static void append(Object argument, EncodedText out) {
      if (argument instanceof Integer || argument instanceof Long) {
        out.append(((Number) argument).longValue());
      } else {
        out.append(argument == null ? "null" : argument.toString());
      }
    }

    @SuppressWarnings("ReferenceEquality") // log statements pass constants
    private Template template(String message, EncodedText out) {
      int slot = message.hashCode();
      slot = (slot ^ slot >>> 16) & (SLOTS - 1);
      Template template = templates[slot];
      if (template == null || template.message != message) {
        template = new Template(message, literals(message, out));
        templates[slot] = template;
      }
      return template;
    }

    private static EncodedText.Encoded[] literals(String message, EncodedText out) {
      if (message.indexOf(ESCAPE) >= 0) {
        return null;
      }
      List<EncodedText.Encoded> literals = new ArrayList<>();
      int from = 0;
      for (int at = message.indexOf(PLACE); at >= 0; at = message.indexOf(PLACE, from)) {
        literals.add(out.encode(message.substring(from, at)));
        from = at + PLACE.length();
      }
      literals.add(out.encode(message.substring(from)));
      return literals.toArray(new EncodedText.Encoded[0]);
    }
  }

  /** A piece that calls its converter for each event, since its text may depend on anything. */
  private static final class Asked extends PatternPiece {
    private final Converter<ILoggingEvent> converter;
    private final boolean repeats; // may return the same String object, as the date does
    private EncodedText.Encoded last;

    Asked(Converter<ILoggingEvent> converter) {
      this.converter = converter;
      this.repeats = converter.getClass() == DateConverter.class;
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // the same string, not an equal one
    void write(ILoggingEvent event, Object[] arguments, EncodedText out) {
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
