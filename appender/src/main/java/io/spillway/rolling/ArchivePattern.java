package io.spillway.rolling;

import ch.qos.logback.core.Context;
import ch.qos.logback.core.rolling.helper.DateTokenConverter;
import ch.qos.logback.core.rolling.helper.FileNamePattern;
import io.spillway.internal.disk.FilePaths;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The names that a {@code fileNamePattern} stands for. Logback's {@link FileNamePattern} prints
 * them, so that they equal Logback's names exactly. A stem is a name without the compression's
 * suffix, relative to the fixed directories in front of the pattern. Immutable and thread-safe.
 */
final class ArchivePattern {
  private static final Pattern FREE_NUMBER = Pattern.compile("\\.(\\d+)");
  private static final int MOST_DIGITS = 9; // the next number still fits an int
  private static final String ANY_INDEX = "\\d+";
  private static final String DATE = "date";
  private static final String BLANK = "%i";
  private static final String BLANK_INDEX = Pattern.quote(BLANK);
  private static final String INDEX_GROUP = "(-?\\d+)";

  private final String text;
  private final String suffix;
  private final String prefix;
  private final FileNamePattern names;
  private final Tokens tokens;
  private final boolean hasIndex;
  private final Path root;
  private final Pattern stems;
  private final Pattern parts;
  private final Pattern dated;

  /** The parts of a stem: the text without numbers, the index or -1, the free number or 0. */
  record Parts(String withoutNumbers, int index, int freeNumber) {}

  /**
   * Parses a pattern.
   *
   * @param text the pattern, with the compression's suffix
   * @param suffix the suffix of the compression, or empty
   * @param indices a regular expression of the indices that the policy uses, or null for all
   * @throws IllegalArgumentException if the pattern cannot be parsed; the message says why
   * @throws java.time.DateTimeException for an unknown time zone
   */
  ArchivePattern(String text, String suffix, String indices, Context context) {
    this.text = text.strip();
    this.suffix = suffix;
    String stem = FilePaths.writable(this.text.substring(0, this.text.length() - suffix.length()));
    this.tokens = new Tokens(stem.replace('\\', '/'));
    this.names = names(stem, context);
    this.hasIndex = tokens.hasIndex();
    this.prefix = tokens.prefix();
    this.root = FilePaths.path(prefix).toAbsolutePath().normalize();
    this.stems = Pattern.compile(tokens.regex(indices == null ? ANY_INDEX : indices));
    this.parts = Pattern.compile(tokens.regex(INDEX_GROUP));
    this.dated = Pattern.compile(tokens.regex(BLANK_INDEX, "(?<" + DATE + ">", ")"));
    String name = name(Instant.EPOCH, 1);
    if (!name.startsWith(prefix)) { // it is empty if Logback's parser failed
      throw new IllegalArgumentException("it stands for such strange names as [" + name + "]");
    }
    String sample = stem(Instant.EPOCH, 1);
    if (!parts.matcher(sample).matches()
        || !sample.equals(slashed(root.relativize(root.resolve(sample).normalize())))) {
      throw new IllegalArgumentException("it stands for such strange names as [" + sample + "]");
    }
  }

  /** Creates Logback's parser; turns its exceptions into an IllegalArgumentException. */
  private static FileNamePattern names(String stem, Context context) {
    try {
      return new FileNamePattern(stem, context);
    } catch (IllegalStateException e) {
      throw new IllegalArgumentException("what Logback does not understand: " + e.getMessage(), e);
    } catch (IndexOutOfBoundsException e) { // as for %d{, 'yyyy}
      throw new IllegalArgumentException(
          "what Logback does not understand: a quote or brace that does not end", e);
    }
  }

  /** Returns the pattern as the user set it, without surrounding white space. */
  String text() {
    return text;
  }

  /** Returns Logback's name without suffix: absolute, or relative to the working directory. */
  String name(Instant date, int index) {
    return FilePaths.writable(printed(date, index));
  }

  /**
   * Returns the name without suffix as printed. It may have characters that the locale of file
   * names lacks, as in the name of a month.
   */
  String printed(Instant date, int index) {
    return names.convertMultipleArguments(date, index);
  }

  /** Returns the stem: the name without suffix, relative to the root. */
  String stem(Instant date, int index) {
    return name(date, index).substring(prefix.length());
  }

  /** Returns a stem with a free number behind it, for when the stem is taken. */
  static String free(String stem, int number) {
    return stem + "." + number;
  }

  /** Returns the absolute path of the fixed directories in front of the pattern. */
  Path root() {
    return root;
  }

  /** Returns the regular expression that matches all stems of the pattern. */
  Pattern stems() {
    return stems;
  }

  boolean hasIndex() {
    return hasIndex;
  }

  boolean hasDate() {
    return tokens.hasDate();
  }

  boolean hasIndexInDirectory() {
    return tokens.hasIndexInDirectory();
  }

  /** Returns whether archives lie in directories below the root, which are removed when empty. */
  boolean hasNestedDirectories() {
    return stem(Instant.EPOCH, 1).indexOf('/') >= 0;
  }

  /** Returns the primary date token, which decides when a period ends; null if there is none. */
  DateTokenConverter<Object> primaryDate() {
    return names.getPrimaryDateTokenConverter();
  }

  /** Splits a stem; returns null if it is no stem, or a number in it has too many digits. */
  Parts partsOf(String stem) {
    Matcher matcher = parts.matcher(stem);
    if (matcher.matches()) {
      return parts(matcher, 0);
    }
    int dot = stem.lastIndexOf('.');
    Matcher free = FREE_NUMBER.matcher(dot < 0 ? "" : stem.substring(dot));
    matcher = parts.matcher(stem.substring(0, Math.max(dot, 0)));
    return free.matches() && matcher.matches() ? parts(matcher, number(free.group(1))) : null;
  }

  private Parts parts(Matcher matcher, int freeNumber) {
    if (freeNumber < 0) {
      return null;
    }
    if (!hasIndex) {
      return new Parts(matcher.group(), -1, freeNumber);
    }
    String index = matcher.group(1);
    if (index.length() > MOST_DIGITS) {
      return null;
    }
    StringBuilder blank = new StringBuilder(matcher.group());
    for (int group = matcher.groupCount(); group > 0; group--) {
      blank.replace(matcher.start(group), matcher.end(group), BLANK);
    }
    return new Parts(blank.toString(), Integer.parseInt(index), freeNumber);
  }

  /** Returns the text of the primary date in {@link Parts#withoutNumbers}, or null. */
  String dateOf(String withoutNumbers) {
    Matcher matcher = dated.matcher(withoutNumbers);
    return hasDate() && matcher.matches() ? matcher.group(DATE) : null;
  }

  /** Parses a free number; returns -1 if it has more digits than Spillway uses. */
  private static int number(String digits) {
    return digits.length() > MOST_DIGITS ? -1 : Integer.parseInt(digits);
  }

  /**
   * Returns whether a file's name is one that this pattern gives to rolled files or archives.
   *
   * @param root the fixed directories as the file's path spells them
   * @param file any file
   */
  boolean covers(Path root, Path file) {
    Path absolute = file.toAbsolutePath().normalize();
    if (!absolute.startsWith(root) || absolute.equals(root)) {
      return false;
    }
    String name = slashed(root.relativize(absolute));
    String stem = name.endsWith(suffix) ? name.substring(0, name.length() - suffix.length()) : name;
    int dot = stem.lastIndexOf('.');
    return stems.matcher(stem).matches()
        || dot > 0
            && FREE_NUMBER.matcher(stem.substring(dot)).matches()
            && stems.matcher(stem.substring(0, dot)).matches();
  }

  private static String slashed(Path path) {
    return path.toString().replace('\\', '/');
  }

  /**
   * Splits a {@code fileNamePattern} as Logback's parser does, whose result is not accessible.
   * Logback's regular expressions are not used: in those of Logback 1.5, a dot matches any
   * character.
   */
  private static final class Tokens {
    private static final Pattern TOKEN =
        Pattern.compile(
            "%[^%\\p{javaJavaIdentifierStart}]*"
                + "(?<key>\\p{javaJavaIdentifierStart}\\p{javaJavaIdentifierPart}*)"
                + "(?:\\{(?<options>[^}]*)\\})?");

    private static final Pattern AUXILIARY =
        Pattern.compile(",\\s*aux\\s*(,|$)", Pattern.CASE_INSENSITIVE);

    /**
     * A date if the date pattern is not null, an index if marked as one, otherwise literal text.
     */
    record Token(String literal, String datePattern, boolean index, boolean auxiliary) {}

    private final String pattern;
    private final int firstToken;
    private final List<Token> tokens = new ArrayList<>();

    /**
     * Splits a pattern.
     *
     * @throws IllegalArgumentException for anything but literals, %d and %i; the message says what
     */
    Tokens(String pattern) {
      this.pattern = pattern;
      Matcher matcher = TOKEN.matcher(pattern);
      int end = 0;
      int first = -1;
      while (matcher.find()) {
        first = first < 0 ? matcher.start() : first;
        addLiteral(pattern.substring(end, matcher.start()));
        tokens.add(token(matcher.group("key"), matcher.group("options")));
        end = matcher.end();
        if (pattern.startsWith("{", end)) {
          throw new IllegalArgumentException("[{] without [}]");
        }
      }
      addLiteral(pattern.substring(end));
      firstToken = first;
    }

    private void addLiteral(String text) {
      if (text.indexOf('%') >= 0) {
        throw new IllegalArgumentException("[%] begins a token, and none follows");
      }
      if (!text.isEmpty()) {
        tokens.add(new Token(text, null, false, false));
      }
    }

    private static Token token(String key, String options) {
      if (key.equals("i")) {
        return new Token(null, null, true, false);
      }
      if (!key.equals("d")) {
        throw new IllegalArgumentException("unknown token [%" + key + "]");
      }
      return new Token(null, firstOption(options), false, isAuxiliary(options));
    }

    private static boolean isAuxiliary(String options) {
      return options != null && AUXILIARY.matcher(options).find();
    }

    /** Returns the date pattern, unquoted; the other options do not change the form of the text. */
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

    /** Returns the fixed directories in front, with the last slash; empty if there are none. */
    String prefix() {
      int end = firstToken < 0 ? pattern.length() : firstToken;
      return pattern.substring(0, pattern.lastIndexOf('/', end) + 1);
    }

    boolean hasIndex() {
      for (Token token : tokens) {
        if (token.index()) {
          return true;
        }
      }
      return false;
    }

    boolean hasDate() {
      for (Token token : tokens) {
        if (token.datePattern() != null) {
          return true;
        }
      }
      return false;
    }

    /** Returns whether a directory's name has an index, so that one listing does not show all. */
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

    /** Returns an expression of names relative to the prefix; {@code index} stands for an index. */
    String regex(String index) {
      return regex(index, "", "");
    }

    /** Returns an expression of names, with texts inserted before and behind the primary date. */
    String regex(String index, String before, String behind) {
      boolean decided = false;
      StringBuilder regex = new StringBuilder();
      int skip = prefix().length();
      for (Token token : tokens) {
        if (token.index()) {
          regex.append(index);
        } else if (token.datePattern() != null) {
          boolean decides = !decided && !token.auxiliary();
          decided |= decides;
          regex.append(decides ? before : "");
          regex.append(DateRegex.of(token.datePattern()));
          regex.append(decides ? behind : "");
        } else {
          int from = Math.min(skip, token.literal().length());
          skip -= from;
          regex.append(DateRegex.literal(token.literal().substring(from)));
        }
      }
      return regex.toString();
    }

    /**
     * A regular expression for what a date pattern prints, as strict as the letters allow: {@code
     * yyyy-MM} gives four digits, a dash and two digits. Names that only look similar stay foreign.
     */
    static final class DateRegex {
      /**
       * Matches text such as names of months or zones. The slash is written as an escape, because
       * slashes in the expression are counted as directories.
       */
      private static final String TEXT = "[^\\x2f]+?";

      private DateRegex() {}

      /** Returns the expression of a pattern for {@link java.time.format.DateTimeFormatter}. */
      static String of(String datePattern) {
        StringBuilder regex = new StringBuilder();
        for (int i = 0; i < datePattern.length(); ) {
          char c = datePattern.charAt(i);
          int end = i + 1;
          if (c == '\'') {
            end = endOfQuoted(datePattern, i);
            regex.append(literal(unquoted(datePattern.substring(i, end))));
          } else if (isLetter(c)) {
            while (end < datePattern.length() && datePattern.charAt(end) == c) {
              end++;
            }
            regex.append(field(c, end - i));
          } else if (c != '[' && c != ']') { // they enclose optional parts, and do not print
            regex.append(literal(String.valueOf(c)));
          }
          i = end;
        }
        return regex.toString();
      }

      /** Quotes text for a regular expression; slashes stay as they are. */
      static String literal(String text) {
        StringBuilder regex = new StringBuilder();
        int from = 0;
        for (int slash; (slash = text.indexOf('/', from)) >= 0; from = slash + 1) {
          regex.append(quoted(text.substring(from, slash))).append('/');
        }
        return regex.append(quoted(text.substring(from))).toString();
      }

      private static String quoted(String part) {
        return part.isEmpty() ? part : Pattern.quote(part);
      }

      private static boolean isLetter(char c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z';
      }

      private static int endOfQuoted(String pattern, int start) {
        int end = start + 1;
        while (end < pattern.length()) {
          boolean quote = pattern.charAt(end) == '\'';
          end++;
          if (quote) {
            if (end < pattern.length() && pattern.charAt(end) == '\'') {
              end++; // a doubled quote stands for one
            } else {
              break;
            }
          }
        }
        return end;
      }

      private static String unquoted(String quoted) {
        if (quoted.equals("''")) {
          return "'";
        }
        return quoted.substring(1, Math.max(1, quoted.length() - 1)).replace("''", "'");
      }

      private static String field(char letter, int count) {
        return switch (letter) {
          case 'y', 'u', 'Y' -> count == 1 ? "\\d+" : "\\d{" + count + "}";
          case 'M', 'L', 'Q', 'q' -> count > 2 ? TEXT : number(count, 2);
          case 'd', 'H', 'h', 'k', 'K', 'm', 's', 'w' -> number(count, 2);
          case 'D' -> number(count, 3);
          case 'F', 'W' -> "\\d";
          case 'S' -> "\\d{" + count + "}";
          case 'n', 'A', 'N' -> "\\d{" + count + ",}";
          default -> TEXT;
        };
      }

      private static String number(int least, int most) {
        return least >= most ? "\\d{" + least + "}" : "\\d{" + least + "," + most + "}";
      }
    }
  }
}
