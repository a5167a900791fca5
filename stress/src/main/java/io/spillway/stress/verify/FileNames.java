package io.spillway.stress.verify;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Derives the names of files from a {@code fileNamePattern}. */
public final class FileNames {
  private static final Pattern TOKEN = Pattern.compile("%\\d*(?:i|d(?:\\{([^}]*)\\})?)");

  /** A part of a date pattern: a text in quotes, a field, or characters printed unchanged. */
  private static final Pattern DATE_PART =
      Pattern.compile("'(?<text>(?:[^']|'')*)'|(?<field>[A-Za-z])\\k<field>*|[^A-Za-z']+");

  private static final String NUMBERS = "yuYdHhkKmswFWSDnAN";
  private static final String NUMBERS_IF_SHORT = "MLQq";
  private static final String LONGER_NUMBERS = "DnAN"; // than the field has letters

  private static final Pattern PACKED = Pattern.compile("\\.(gz|zip|zst|xz)$");

  private FileNames() {}

  /** Returns a pattern for the paths of archives and of rolled files that are not archived yet. */
  public static Pattern of(String fileNamePattern) {
    return Pattern.compile(stemsOf(fileNamePattern) + "(\\.\\d+)?(\\.(gz|zip|zst|xz))?");
  }

  /** Returns a pattern for the start of those paths, also of unfinished and temporary files. */
  public static Pattern stemsOf(String fileNamePattern) {
    String stem = withoutPacking(fileNamePattern);
    StringBuilder regex = new StringBuilder();
    int end = 0;
    for (Matcher token = TOKEN.matcher(stem); token.find(); end = token.end()) {
      regex.append(Pattern.quote(stem.substring(end, token.start())));
      regex.append(token.group().endsWith("i") ? "\\d+" : date(token.group(1)));
    }
    return Pattern.compile(regex + Pattern.quote(stem.substring(end)));
  }

  /** Returns the pattern without the suffix of compression: the names of the uncompressed files. */
  public static String withoutPacking(String fileNamePattern) {
    return PACKED.matcher(fileNamePattern).replaceFirst("");
  }

  /** Returns whether archives of this pattern are compressed. */
  public static boolean arePacked(String fileNamePattern) {
    return PACKED.matcher(fileNamePattern).find();
  }

  /**
   * Returns a regular expression for a date, as strict as the date pattern allows, because files of
   * other appenders may have similar names.
   */
  private static String date(String options) {
    String pattern = options == null ? "yyyy-MM-dd" : options.split(",")[0].strip();
    StringBuilder regex = new StringBuilder();
    for (Matcher part = DATE_PART.matcher(pattern.replace("\"", "")); part.find(); ) {
      String text = part.group("text");
      if (part.group("field") != null) {
        regex.append(field(part.group("field"), part.group().length()));
      } else if (text != null) {
        regex.append(Pattern.quote(text.isEmpty() ? "'" : text.replace("''", "'")));
      } else {
        regex.append(Pattern.quote(part.group().replaceAll("[\\[\\]]", ""))); // optional parts
      }
    }
    return regex.toString();
  }

  private static String field(String letter, int count) {
    if (!NUMBERS.contains(letter) && (count > 2 || !NUMBERS_IF_SHORT.contains(letter))) {
      return "[^/]+?"; // the name of a month, a day or a zone
    }
    boolean longer = count == 1 || LONGER_NUMBERS.contains(letter);
    return "\\d{" + count + (longer ? ",}" : "}");
  }
}
