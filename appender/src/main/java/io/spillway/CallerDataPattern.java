package io.spillway;

import ch.qos.logback.core.Layout;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.pattern.PatternLayoutBase;
import java.util.regex.Pattern;

/**
 * Tells whether a pattern prints caller data, which only the calling thread can find. Conversion
 * words: class, method, line, file, caller and their short forms, from the Logback manual.
 */
final class CallerDataPattern {
  private static final Pattern WORDS =
      Pattern.compile("(?<!\\\\)%[-.0-9]*(C|class|M|method|L|line|F|file|caller)(?![A-Za-z])");

  private CallerDataPattern() {}

  static boolean isPrintedBy(Encoder<?> encoder) {
    if (encoder instanceof LayoutWrappingEncoder<?> wrapping) {
      Layout<?> layout = wrapping.getLayout();
      return layout instanceof PatternLayoutBase<?> pattern
          && pattern.getPattern() != null
          && WORDS.matcher(pattern.getPattern()).find();
    }
    return false;
  }
}
