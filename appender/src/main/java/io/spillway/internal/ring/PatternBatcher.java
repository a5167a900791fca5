package io.spillway.internal.ring;

import ch.qos.logback.classic.PatternLayout;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.pattern.EnsureExceptionHandling;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Context;
import ch.qos.logback.core.CoreConstants;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.html.HTMLLayoutBase;
import ch.qos.logback.core.pattern.CompositeConverter;
import ch.qos.logback.core.pattern.Converter;
import ch.qos.logback.core.pattern.LiteralConverter;
import ch.qos.logback.core.pattern.PatternLayoutBase;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * Makes batches of bytes for {@link PatternLayoutEncoder}, with the same bytes and less work. It
 * prints events through a converter chain of its own directly into one buffer, whereas the encoder
 * copies each event twice and converts names and levels anew.
 */
public final class PatternBatcher extends ByteBatcher<ILoggingEvent> {
  /** Charsets without state or byte-order mark: encoding pieces equals encoding the whole. */
  private static final Set<Charset> STATELESS =
      Set.of(StandardCharsets.UTF_8, StandardCharsets.ISO_8859_1, StandardCharsets.US_ASCII);

  private static final int SPARE_BYTES = 4096;

  /** Start of the text that Logback prints in place of a converter that it cannot create. */
  private static final String PARSER_ERROR = "%PARSER_ERROR[";

  /** Class, method, line, file, caller and their short forms, from the Logback manual. */
  private static final Pattern CALLER_DATA =
      Pattern.compile("(?<!\\\\)%[-.0-9]*(C|class|M|method|L|line|F|file|caller)(?![A-Za-z])");

  private final PatternPiece[] pieces;
  private final boolean formats;

  private PatternBatcher(Converter<ILoggingEvent> head, Charset charset) {
    super(new EncodedText(charset, TARGET_BYTES + SPARE_BYTES));
    this.pieces = PatternPiece.chain(head).toArray(new PatternPiece[0]);
    this.formats = PatternPiece.leaveMessagesAlone(head);
  }

  /**
   * Returns a maker of batchers for an encoder, if this class can make the bytes of that encoder.
   * Each batcher has a converter chain of its own, so that a thread stuck in a converter does not
   * hold up the next. However, some converters cannot start a second time, or hang when they do;
   * and a context that is reset drops its conversion words and evaluators before its appenders
   * stop. A spare chain is therefore compiled now; threads may share it, as they share the
   * encoder's chain.
   *
   * @param encoder a started encoder, or any object
   * @return null if events have to be encoded by the encoder itself
   */
  public static Supplier<PatternBatcher> forEncoder(Object encoder) {
    if (encoder == null
        || encoder.getClass() != PatternLayoutEncoder.class
        || !(((PatternLayoutEncoder) encoder).getLayout() instanceof PatternLayout layout)
        || layout.getClass() != PatternLayout.class) {
      return null;
    }
    Charset configured = ((PatternLayoutEncoder) encoder).getCharset();
    Charset charset = configured == null ? Charset.defaultCharset() : configured;
    Converter<ILoggingEvent> spare = STATELESS.contains(charset) ? compile(layout) : null;
    return spare == null ? null : new Maker(layout, charset, spare);
  }

  /** Makes batchers, for one thread after the other. */
  private static final class Maker implements Supplier<PatternBatcher> {
    private final PatternLayout layout;
    private final Charset charset;
    private final Converter<ILoggingEvent> spare;
    private final Object evaluators; // replaced by a reset of the context
    private volatile boolean compiling; // stays true if a converter never returns from its start

    Maker(PatternLayout layout, Charset charset, Converter<ILoggingEvent> spare) {
      this.layout = layout;
      this.charset = charset;
      this.spare = spare;
      evaluators = evaluators();
    }

    private Object evaluators() {
      return layout.getContext().getObject(CoreConstants.EVALUATOR_MAP);
    }

    @Override
    public PatternBatcher get() {
      Converter<ILoggingEvent> own = null;
      if (!compiling && evaluators() == evaluators) {
        compiling = true;
        try {
          own = compile(layout);
        } finally {
          compiling = false;
        }
      }
      return new PatternBatcher(own == null ? spare : own, charset);
    }
  }

  /** Returns whether a converter is missing: Logback has put an error text in its place. */
  private static boolean isBroken(Converter<?> head) {
    for (Converter<?> each = head; each != null; each = each.getNext()) {
      if ((each instanceof LiteralConverter<?> && each.convert(null).startsWith(PARSER_ERROR))
          || (each instanceof CompositeConverter<?> composite
              && isBroken(composite.getChildConverter()))) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns whether an appender, encoder or layout prints caller data, which only the calling
   * thread can find. Checks its pattern and its {@code includeCallerData} setting.
   *
   * @param part any object, or null
   * @return false if the part has neither, or they cannot be read
   */
  public static boolean printsCallerData(Object part) {
    if (part instanceof PatternLayoutBase<?> layout) {
      return hasCallerData(layout.getPattern());
    }
    if (part instanceof LayoutWrappingEncoder<?> encoder) {
      return printsCallerData(encoder.getLayout());
    }
    return (part instanceof OutputStreamAppender<?> appender
            && printsCallerData(appender.getEncoder()))
        || (part instanceof HTMLLayoutBase<?> table && hasCallerData(table.getPattern()))
        || includesCallerData(part);
  }

  private static boolean hasCallerData(String pattern) {
    return pattern != null && CALLER_DATA.matcher(pattern).find();
  }

  /** The property of AsyncAppender, SMTPAppender and logstash-logback-encoder. */
  private static boolean includesCallerData(Object part) {
    try {
      return part != null
          && Boolean.TRUE.equals(part.getClass().getMethod("isIncludeCallerData").invoke(part));
    } catch (ReflectiveOperationException | RuntimeException | LinkageError unknown) {
      return false;
    }
  }

  /**
   * Compiles the pattern once more, as the layout did, to get the chain that the layout keeps
   * private. Returns null if anything but an OutOfMemoryError is thrown: a converter may be able to
   * start only once.
   */
  private static Converter<ILoggingEvent> compile(PatternLayout original) {
    try {
      return tryToCompile(original);
    } catch (OutOfMemoryError noMemory) {
      throw noMemory; // memory may be short for a moment only, and the caller tries again
    } catch (Throwable t) {
      return null;
    }
  }

  private static Converter<ILoggingEvent> tryToCompile(PatternLayout original) {
    PatternLayout layout = new PatternLayout();
    layout.setContext(original.getContext());
    layout.setPattern(original.getPattern());
    layout.getInstanceConverterMap().putAll(original.getInstanceConverterMap());
    Chain chain = new Chain();
    layout.setPostCompileProcessor(chain);
    layout.start();
    return layout.isStarted() && !isBroken(chain.head) ? chain.head : null;
  }

  /** Captures the converter chain that a pattern is compiled to. */
  private static final class Chain extends EnsureExceptionHandling {
    private Converter<ILoggingEvent> head;

    @Override
    public void process(Context context, Converter<ILoggingEvent> first) {
      super.process(context, first);
      head = first;
    }
  }

  @Override
  public boolean formats() {
    return formats;
  }

  @Override
  void encode(ILoggingEvent event, Object[] arguments) {
    int before = text.length();
    try {
      for (PatternPiece piece : pieces) {
        piece.write(event, arguments, text);
      }
      text.endEvent();
    } catch (Throwable t) {
      text.cutTo(before);
      throw t;
    }
  }
}
