package io.spillway.rolling;

import java.util.regex.Pattern;

/**
 * A regular expression for what a date pattern prints, as strict as the letters allow: {@code
 * yyyy-MM} gives four digits, a dash and two digits. Names that only look similar stay foreign.
 */
final class DatePatternRegex {
  /** Text such as names of months or zones; not written with a slash, which counts directories. */
  private static final String TEXT = "[^\\x2f]+?";

  private DatePatternRegex() {}

  /** Of a pattern for {@link java.time.format.DateTimeFormatter}. */
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

  /** Quotes what means something in a regular expression; slashes stay as they are. */
  static String literal(String text) {
    StringBuilder regex = new StringBuilder();
    for (String part : text.split("(?=/)|(?<=/)")) {
      regex.append(part.equals("/") || part.isEmpty() ? part : Pattern.quote(part));
    }
    return regex.toString();
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
