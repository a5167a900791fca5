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
 * Batches of bytes for {@link PatternLayoutEncoder}: the same bytes with less work. It prints
 * events through a converter chain of its own straight into one buffer, where the encoder makes two
 * copies of each and converts names and levels anew.
 */
public final class PatternBatcher extends ByteBatcher<ILoggingEvent> {
  /** Charsets without state or byte-order mark: encoding pieces equals encoding the whole. */
  private static final Set<Charset> STATELESS =
      Set.of(StandardCharsets.UTF_8, StandardCharsets.ISO_8859_1, StandardCharsets.US_ASCII);

  private static final int SPARE_BYTES = 4096;

  /** What Logback prints in place of a converter that it cannot make begins so. */
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
   * Makes batchers for an encoder, if it is one whose bytes this class can make. Each has a chain
   * of its own, lest a thread that hangs in a converter holds up the next. But converters may not
   * start a second time, or hang then, and a context that is reset forgets conversion words and
   * evaluators before its appenders stop: for then a spare one is compiled now, which threads may
   * share, as they share the encoder's own.
   *
   * @param encoder started
   * @return null if the encoder itself has to be asked, event by event
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

  /** Of batchers, for one thread after the other. */
  private static final class Maker implements Supplier<PatternBatcher> {
    private final PatternLayout layout;
    private final Charset charset;
    private final Converter<ILoggingEvent> spare;
    private final Object evaluators; // others after a reset
    private volatile boolean compiling; // for good, if a converter never returns from its start

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

  /** Whether Logback could not make one of the converters, and put an error text in its place. */
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
   * Whether an appender, encoder or layout prints caller data, which only the calling thread can
   * find: as its pattern says, or a setting of its own.
   *
   * @param part any, or null
   * @return false if neither can be seen
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

  /** As AsyncAppender, SMTPAppender, and what logstash-logback-encoder has call it. */
  private static boolean includesCallerData(Object part) {
    try {
      return part != null
          && Boolean.TRUE.equals(part.getClass().getMethod("isIncludeCallerData").invoke(part));
    } catch (ReflectiveOperationException | RuntimeException | LinkageError unknown) {
      return false;
    }
  }

  /**
   * Compiles the pattern once more, as the layout did, to get at the chain that it keeps. Returns
   * null if that fails, whatever a converter throws: it may have started but once.
   */
  private static Converter<ILoggingEvent> compile(PatternLayout original) {
    try {
      return tryToCompile(original);
    } catch (OutOfMemoryError noMemory) {
      throw noMemory; // for a moment, perhaps: it is tried again
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

  /** What a pattern was compiled to. */
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
