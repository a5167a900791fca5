package io.spillway.internal.sink;

import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.html.HTMLLayoutBase;
import ch.qos.logback.core.pattern.PatternLayoutBase;
import java.util.regex.Pattern;

/** Whether an appender prints class, method or line of the log call, which is known only there. */
public final class CallerData {
  /** Class, method, line, file, caller and their short forms, from the Logback manual. */
  private static final Pattern PRINTED =
      Pattern.compile("(?<!\\\\)%[-.0-9]*(C|class|M|method|L|line|F|file|caller)(?![A-Za-z])");

  private CallerData() {}

  public static boolean isPrintedBy(Object part) {
    if (part instanceof PatternLayoutBase<?> layout) {
      return isIn(layout.getPattern());
    }
    if (part instanceof LayoutWrappingEncoder<?> encoder) {
      return isPrintedBy(encoder.getLayout());
    }
    return (part instanceof OutputStreamAppender<?> appender && isPrintedBy(appender.getEncoder()))
        || (part instanceof HTMLLayoutBase<?> table && isIn(table.getPattern()))
        || isIncludedBy(part);
  }

  private static boolean isIn(String pattern) {
    return pattern != null && PRINTED.matcher(pattern).find();
  }

  /** The property of AsyncAppender, SMTPAppender and logstash-logback-encoder. */
  private static boolean isIncludedBy(Object part) {
    try {
      return part != null
          && Boolean.TRUE.equals(part.getClass().getMethod("isIncludeCallerData").invoke(part));
    } catch (ReflectiveOperationException | RuntimeException | LinkageError unknown) {
      return false;
    }
  }
}
