package io.spillway.internal.sink;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.PatternLayout;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.pattern.DateConverter;
import ch.qos.logback.classic.pattern.EnsureExceptionHandling;
import ch.qos.logback.classic.pattern.LevelConverter;
import ch.qos.logback.classic.pattern.LoggerConverter;
import ch.qos.logback.classic.pattern.MessageConverter;
import ch.qos.logback.classic.pattern.ThreadConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.pattern.Converter;
import ch.qos.logback.core.pattern.FormattingConverter;
import ch.qos.logback.core.pattern.LiteralConverter;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Makes the bytes that Logback's {@link PatternLayoutEncoder} makes, in less time: names, levels
 * and literals are encoded once, and the message is formatted straight into the line. Only for
 * patterns whose converters are all Logback's own and depend on the event alone.
 *
 * <p>Concurrency: called by many threads without a lock, as {@code OutputStreamAppender} calls
 * encoders. The caches are plain arrays with benign races. They hold records, whose fields are
 * final, so a thread sees a whole entry or none, and makes an entry again that another one has
 * overwritten. No buffer is kept for a thread: a new one is as fast.
 */
public final class PatternEncoder {
  /** Charsets without state or byte-order mark: encoding pieces equals encoding the whole. */
  private static final Set<Charset> STATELESS =
      Set.of(StandardCharsets.UTF_8, StandardCharsets.ISO_8859_1, StandardCharsets.US_ASCII);

  /** Converters that depend on the event alone, so that a second chain prints the same. */
  private static final List<String> OF_EVENT =
      List.of(
          ("Date Message MDC Marker KeyValuePair Microsecond RelativeTime ContextName Property"
                  + " LineOfCaller FileOfCaller MethodOfCaller ClassOfCaller ThrowableProxy"
                  + " ExtendedThrowableProxy RootCauseFirstThrowableProxy NopThrowableInformation")
              .split(" "));

  /** Where a context keeps the words that a user can add to patterns, in 1.5 and 1.6. */
  private static final List<String> REGISTRIES =
      List.of("EVALUATOR_MAP", "PATTERN_RULE_REGISTRY", "PATTERN_RULE_REGISTRY_FOR_SUPPLIERS");

  private static final List<String> OF_NAMES =
      List.of("Level", "Logger", "Thread", "LineSeparator");

  private static final int SLOTS = 1024;
  private static final int MAX_REMEMBERED = 512; // characters, so that memory is bounded

  private final List<Converter<ILoggingEvent>> chain;
  private final List<Piece> pieces = new ArrayList<>();
  private final Charset charset;
  private int room = 128; // racy: about the longest line so far, as a hint

  private PatternEncoder(List<Converter<ILoggingEvent>> chain, Charset charset, boolean isInCall) {
    this.chain = chain;
    this.charset = charset;
    List<Converter<ILoggingEvent>> run = new ArrayList<>();
    for (Converter<ILoggingEvent> converter : chain) {
      boolean ofEvent = OF_EVENT.contains(name(converter));
      if (ofEvent || isNewRun(run, converter)) {
        remember(run);
      }
      if (ofEvent) {
        pieces.add(asked(converter, isInCall));
      } else {
        run.add(converter);
      }
    }
    remember(run);
  }

  /** Threads and loggers are remembered apart: the product of both may be too many. */
  private static boolean isNewRun(List<Converter<ILoggingEvent>> run, Object converter) {
    return converter instanceof ThreadConverter
        || (uses(run, ThreadConverter.class) && !(converter instanceof LiteralConverter));
  }

  private void remember(List<Converter<ILoggingEvent>> run) {
    if (!run.isEmpty()) {
      pieces.add(new Names(List.copyOf(run)));
      run.clear();
    }
  }

  /**
   * Returns an encoder that makes the same bytes as another; null if there is none.
   *
   * @param isInCall whether it is used in the log call; later arguments may have changed
   */
  public static PatternEncoder of(Object encoder, boolean isInCall) {
    if (!(encoder instanceof PatternLayoutEncoder patterns)
        || encoder.getClass() != PatternLayoutEncoder.class
        || !(patterns.getLayout() instanceof PatternLayout layout)
        || layout.getClass() != PatternLayout.class
        || !layout.isStarted()
        || mayNameUsersClass(layout)) {
      return null;
    }
    Charset charset = Objects.requireNonNullElse(patterns.getCharset(), Charset.defaultCharset());
    List<Converter<ILoggingEvent>> chain = compile(layout);
    return STATELESS.contains(charset) && chain.stream().allMatch(PatternEncoder::isKnown)
        ? new PatternEncoder(chain, charset, isInCall)
        : null;
  }

  /** Whether a word of the pattern may name a converter or an evaluator of the user. */
  private static boolean mayNameUsersClass(PatternLayout layout) {
    Set<Object> words = new HashSet<>(layout.getInstanceConverterMap().keySet());
    for (String registry : REGISTRIES) {
      if (layout.getContext().getObject(registry) instanceof Map<?, ?> named) {
        words.addAll(named.keySet());
      }
    }
    return words.stream().anyMatch(word -> layout.getPattern().contains(word.toString()));
  }

  /** Compiles the pattern once more, to get the chain that the layout keeps private. */
  private static List<Converter<ILoggingEvent>> compile(PatternLayout original) {
    List<Converter<ILoggingEvent>> chain = new ArrayList<>();
    PatternLayout layout = new PatternLayout();
    layout.setContext(original.getContext());
    layout.setPattern(original.getPattern());
    layout.setPostCompileProcessor(
        (context, head) -> {
          new EnsureExceptionHandling().process(context, head);
          for (Converter<ILoggingEvent> c = head; c != null; c = c.getNext()) {
            chain.add(c);
          }
        });
    layout.start();
    return chain;
  }

  private static boolean isKnown(Converter<ILoggingEvent> converter) {
    return converter.getClass() == LiteralConverter.class
        ? !converter.convert(null).startsWith("%PARSER_ERROR[") // no such word, or no such class
        : OF_NAMES.contains(name(converter)) || OF_EVENT.contains(name(converter));
  }

  private static String name(Converter<ILoggingEvent> converter) {
    Class<?> type = converter.getClass();
    boolean ofLogback = type.getPackage() == DateConverter.class.getPackage();
    return ofLogback ? type.getSimpleName().replace("Converter", "") : "";
  }

  public byte[] encode(ILoggingEvent event) {
    Line line = new Line(room, charset);
    for (Piece piece : pieces) {
      piece.write(event, line);
    }
    if (line.parted) {
      return print(chain, event).getBytes(charset);
    }
    if (line.length > room) {
      room = Math.min(line.length, 1024);
    }
    return Arrays.copyOf(line.bytes, line.length);
  }

  private static String print(List<Converter<ILoggingEvent>> run, ILoggingEvent event) {
    StringBuilder text = new StringBuilder();
    run.forEach(converter -> converter.write(text, event));
    return text.toString();
  }

  private static boolean uses(List<Converter<ILoggingEvent>> run, Class<?> type) {
    return run.stream().anyMatch(type::isInstance);
  }

  private static int slot(int hash) {
    return (hash ^ hash >>> 16) & (SLOTS - 1);
  }

  private interface Piece {
    void write(ILoggingEvent event, Line line);
  }

  private Piece asked(Converter<ILoggingEvent> converter, boolean isInCall) {
    if (((FormattingConverter<?>) converter).getFormattingInfo() != null) {
      List<Converter<ILoggingEvent>> run = List.of(converter);
      return (event, line) -> line.append(print(run, event));
    }
    if (converter instanceof DateConverter) {
      return new Date(converter);
    }
    return isInCall && converter instanceof MessageConverter
        ? new Message()
        : (event, line) -> line.append(converter.convert(event));
  }

  /**
   * The date, formatted once a second if its milliseconds are three digits, or if it has none. To
   * format it takes a third of a log call while calls are rare.
   */
  private final class Date implements Piece {
    private final Converter<ILoggingEvent> converter;
    private Second last = new Second(Long.MIN_VALUE, null, 0);

    /** What a second prints, and where its milliseconds are, if any; no text: unlike that. */
    private record Second(long number, byte[] text, int millisAt) {}

    Date(Converter<ILoggingEvent> converter) {
      this.converter = converter;
    }

    @Override
    public void write(ILoggingEvent event, Line line) {
      long number = Math.floorDiv(event.getTimeStamp(), 1000L);
      Second second = last;
      if (second.number != number) {
        second = of(number);
        last = second;
      }
      if (second.text == null) {
        line.append(converter.convert(event));
        return;
      }
      int end = line.length + second.millisAt + 3;
      line.append(second.text);
      int millis = Math.floorMod(event.getTimeStamp(), 1000);
      for (int i = 1; i <= 3 && second.millisAt >= 0; i++, millis /= 10) {
        line.bytes[end - i] = (byte) ('0' + millis % 10);
      }
    }

    private Second of(long number) {
      String first = text(number, 0);
      String last = text(number, 999);
      int at = Arrays.mismatch(first.toCharArray(), last.toCharArray());
      String before = first.substring(0, Math.max(0, at));
      boolean ofMillis =
          first.startsWith("000", at) && last.equals(before + "999" + first.substring(at + 3));
      byte[] text = at < 0 || ofMillis ? Line.bytes(first, charset) : null;
      return new Second(number, text, at < 0 ? at : before.getBytes(charset).length);
    }

    private String text(long second, int millis) {
      LoggingEvent event = new LoggingEvent();
      event.setTimeStamp(1000 * second + millis);
      return converter.convert(event);
    }
  }

  /**
   * Adjacent literals and names of level, logger and thread: printed and encoded once, then copied
   * from a small hash table. A collision costs one more printing but no memory.
   */
  private final class Names implements Piece {
    private final List<Converter<ILoggingEvent>> run;
    private final boolean ofLogger; // or of the level
    private final boolean ofThread;
    private final Printed[] table = new Printed[SLOTS];

    /** What the run has printed for names; null for those that it does not print. */
    private record Printed(Level level, String logger, String thread, byte[] bytes) {}

    Names(List<Converter<ILoggingEvent>> run) {
      this.run = run;
      ofLogger = uses(run, LoggerConverter.class) || uses(run, LevelConverter.class);
      ofThread = uses(run, ThreadConverter.class);
    }

    @Override
    public void write(ILoggingEvent event, Line line) {
      Level level = ofLogger ? event.getLevel() : null;
      String logger = ofLogger ? event.getLoggerName() : null;
      String thread = ofThread ? event.getThreadName() : null;
      int hash = 31 * Objects.hashCode(level) + Objects.hashCode(logger);
      int slot = slot(31 * hash + Objects.hashCode(thread));
      Printed printed = table[slot];
      if (printed == null
          || printed.level != level
          || !Objects.equals(printed.logger, logger)
          || !Objects.equals(printed.thread, thread)) {
        printed = new Printed(level, logger, thread, Line.bytes(print(run, event), charset));
        if (String.valueOf(logger).length() + String.valueOf(thread).length() < MAX_REMEMBERED) {
          table[slot] = printed; // not a thread that is named after a long URL
        }
      }
      line.append(printed.bytes);
    }
  }

  /**
   * The message. If all its arguments are immutable, it is formatted straight into the line, else
   * by the event, which keeps the text: an argument is printed once for all appenders. So are
   * messages with escapes or too few arguments, as SLF4J has rules of its own for them.
   */
  private final class Message implements Piece {
    private static final byte[][] TO_BE_FORMATTED = {};
    private final Template[] templates = new Template[SLOTS];

    private record Template(String message, byte[][] literals) {}

    @Override
    public void write(ILoggingEvent event, Line line) {
      Object[] arguments = event.getClass() == LoggingEvent.class ? event.getArgumentArray() : null;
      byte[][] literals = arguments == null ? TO_BE_FORMATTED : literals(event.getMessage());
      int places = literals.length - 1;
      int start = line.length;
      for (int i = 0; i < places; i++) {
        Object argument = i < arguments.length ? arguments[i] : arguments;
        if (!isImmutable(argument)) {
          line.length = start;
          places = -1;
        } else {
          line.append(literals[i]);
          line.append(String.valueOf(argument));
        }
      }
      line.append(
          places < 0
              ? Line.bytes(String.valueOf(event.getFormattedMessage()), charset)
              : literals[places]);
    }

    /**
     * Returns whether it prints the same at any time, so that no appender need keep its text. To
     * look into a set of classes would take 5 % of a log call.
     */
    private static boolean isImmutable(Object argument) {
      return argument == null
          || argument instanceof String
          || argument instanceof Integer
          || argument instanceof Long
          || argument instanceof Double
          || argument instanceof Boolean;
    }

    @SuppressWarnings("ReferenceEquality") // log statements pass constants
    private byte[][] literals(String message) {
      if (message == null || message.length() > MAX_REMEMBERED) {
        return TO_BE_FORMATTED;
      }
      int slot = slot(message.hashCode());
      Template template = templates[slot];
      if (template == null || template.message != message) {
        template = new Template(message, split(message));
        templates[slot] = template;
      }
      return template.literals;
    }

    private byte[][] split(String message) {
      if (message.indexOf('\\') >= 0) {
        return TO_BE_FORMATTED;
      }
      List<byte[]> literals = new ArrayList<>();
      for (String literal : message.split("[{]}", -1)) {
        literals.add(Line.bytes(literal, charset));
      }
      return literals.toArray(TO_BE_FORMATTED);
    }
  }
}
