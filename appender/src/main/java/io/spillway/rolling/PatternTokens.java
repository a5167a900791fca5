package io.spillway.rolling;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The parts of a {@code fileNamePattern}, split as Logback's own parser does, which keeps its
 * result to itself. Its regular expressions are of no use here: those of Logback 1.5 take a dot for
 * any character.
 */
final class PatternTokens {
  private static final Pattern TOKEN =
      Pattern.compile(
          "%[^%\\p{javaJavaIdentifierStart}]*"
              + "(?<key>\\p{javaJavaIdentifierStart}\\p{javaJavaIdentifierPart}*)"
              + "(?:\\{(?<options>[^}]*)\\})?");

  /** A date if the date pattern is not null, an index if so marked, else literal text. */
  record Token(String literal, String datePattern, boolean index) {}

  private final String pattern;
  private final int firstToken;
  private final List<Token> tokens = new ArrayList<>();

  /**
   * Splits a pattern.
   *
   * @throws IllegalArgumentException for anything but literals, %d and %i; the message says what
   */
  PatternTokens(String pattern) {
    this.pattern = pattern;
    Matcher matcher = TOKEN.matcher(pattern);
    int end = 0;
    int first = -1;
    while (matcher.find()) {
      first = first < 0 ? matcher.start() : first;
      addLiteral(pattern.substring(end, matcher.start()));
      tokens.add(token(matcher.group("key"), matcher.group("options")));
      end = matcher.end();
    }
    addLiteral(pattern.substring(end));
    firstToken = first;
  }

  private void addLiteral(String text) {
    if (text.indexOf('%') >= 0) {
      throw new IllegalArgumentException("[%] begins a token, and none follows");
    }
    if (!text.isEmpty()) {
      tokens.add(new Token(text, null, false));
    }
  }

  private static Token token(String key, String options) {
    if (key.equals("i")) {
      return new Token(null, null, true);
    }
    if (!key.equals("d")) {
      throw new IllegalArgumentException("unknown token [%" + key + "]");
    }
    return new Token(null, firstOption(options), false);
  }

  /** Unquoted; the others are a time zone and "aux", which do not change the form. */
  private static String firstOption(String options) {
    String text = options == null ? "" : options.strip();
    if (text.isEmpty()) {
      return "yyyy-MM-dd";
    }
    char quote = text.charAt(0);
    if ((quote == '\'' || quote == '"') && text.indexOf(quote, 1) > 0) {
      return text.substring(1, text.indexOf(quote, 1));
    }
    return text.split(",", 2)[0].strip();
  }

  /** The fixed directories in front, up to and with a slash, or empty. */
  String prefix() {
    int end = firstToken < 0 ? pattern.length() : firstToken;
    return pattern.substring(0, pattern.lastIndexOf('/', end) + 1);
  }

  boolean hasIndex() {
    return tokens.stream().anyMatch(Token::index);
  }

  boolean hasDate() {
    return tokens.stream().anyMatch(token -> token.datePattern() != null);
  }

  /** Whether an index names a directory, where no listing of one directory can count. */
  boolean hasIndexInDirectory() {
    boolean directory = false;
    for (int i = tokens.size() - 1; i >= 0; i--) {
      Token token = tokens.get(i);
      String text = token.literal() == null ? token.datePattern() : token.literal();
      directory |= text != null && text.indexOf('/') >= 0;
      if (token.index() && directory) {
        return true;
      }
    }
    return false;
  }

  /**
   * Matches names relative to the prefix.
   *
   * @param index for an index; {@code #} in it is replaced by the number of the token
   */
  String regex(String index) {
    StringBuilder regex = new StringBuilder();
    int skip = prefix().length();
    int indices = 0;
    for (Token token : tokens) {
      if (token.index()) {
        regex.append(index.replace("#", String.valueOf(indices++)));
      } else if (token.datePattern() != null) {
        regex.append(DatePatternRegex.of(token.datePattern()));
      } else {
        int from = Math.min(skip, token.literal().length());
        skip -= from;
        regex.append(DatePatternRegex.literal(token.literal().substring(from)));
      }
    }
    return regex.toString();
  }
}
