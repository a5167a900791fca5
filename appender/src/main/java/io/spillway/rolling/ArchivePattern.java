package io.spillway.rolling;

import ch.qos.logback.core.Context;
import ch.qos.logback.core.rolling.helper.DateTokenConverter;
import ch.qos.logback.core.rolling.helper.FileNamePattern;
import io.spillway.internal.disk.FilePaths;
import java.nio.file.Path;
import java.time.Instant;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The names that a {@code fileNamePattern} stands for. Logback's {@link FileNamePattern} prints
 * them, so that they are the same to the letter. A name without the compression's suffix, relative
 * to the fixed directories in front of the pattern, is called stem here. Immutable and thread-safe.
 */
final class ArchivePattern {
  private static final Pattern FREE_NUMBER = Pattern.compile("\\.(\\d+)");
  private static final int MOST_DIGITS = 9; // so that the next number is one, too
  private static final String ANY_INDEX = "\\d+";
  private static final String INDEX_GROUP = "(?<i#>-?\\d+)";

  private final String text;
  private final String suffix;
  private final String prefix;
  private final FileNamePattern names;
  private final PatternTokens tokens;
  private final boolean hasIndex;
  private final Path root;
  private final Pattern stems;
  private final Pattern parts;

  /** A stem taken to pieces. */
  record Parts(String withoutNumbers, int index, int freeNumber) {}

  /**
   * Understands a pattern.
   *
   * @param text with the compression's suffix
   * @param suffix of the compression, or empty
   * @param indices matches those that the policy uses, or null for all
   * @throws IllegalArgumentException if it cannot be understood; the message says why
   * @throws java.time.DateTimeException for an unknown time zone
   */
  ArchivePattern(String text, String suffix, String indices, Context context) {
    this.text = text.strip();
    this.suffix = suffix;
    String stem = this.text.substring(0, this.text.length() - suffix.length());
    this.tokens = new PatternTokens(stem.replace('\\', '/'));
    this.names = new FileNamePattern(stem, context);
    this.hasIndex = tokens.hasIndex();
    this.prefix = tokens.prefix();
    this.root = FilePaths.path(prefix).toAbsolutePath().normalize();
    this.stems = Pattern.compile(tokens.regex(indices == null ? ANY_INDEX : indices));
    this.parts = Pattern.compile(tokens.regex(INDEX_GROUP));
    String sample = stem(Instant.EPOCH, 1);
    if (!parts.matcher(sample).matches()
        || !sample.equals(slashed(root.relativize(root.resolve(sample).normalize())))) {
      throw new IllegalArgumentException("it stands for such strange names as [" + sample + "]");
    }
  }

  /** As the user set it. */
  String text() {
    return text;
  }

  /** The name without suffix, as Logback prints it: relative to the working directory or not. */
  String name(Instant date, int index) {
    return names.convertMultipleArguments(date, index);
  }

  /** The same, relative to the root. */
  String stem(Instant date, int index) {
    return name(date, index).substring(prefix.length());
  }

  /** Another name for when a stem is taken. */
  static String free(String stem, int number) {
    return stem + "." + number;
  }

  /** The fixed directories, absolute. */
  Path root() {
    return root;
  }

  /** Matches stems. */
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

  /** Whether archives lie in directories of their own, which are to be removed when empty. */
  boolean hasNestedDirectories() {
    return stem(Instant.EPOCH, 1).indexOf('/') >= 0;
  }

  /** The date that decides when a period ends, or null. */
  DateTokenConverter<Object> primaryDate() {
    return names.getPrimaryDateTokenConverter();
  }

  /**
   * The index, or -1, and the free number, or 0; null if it is no stem, or a number is higher than
   * any of ours.
   */
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
    String index = matcher.group("i0");
    if (index.length() > MOST_DIGITS) {
      return null;
    }
    StringBuilder blank = new StringBuilder(matcher.group());
    for (int group = matcher.groupCount(); group > 0; group--) {
      blank.replace(matcher.start(group), matcher.end(group), "%i");
    }
    return new Parts(blank.toString(), Integer.parseInt(index), freeNumber);
  }

  /** -1 if it is too high to be one of ours. */
  private static int number(String digits) {
    return digits.length() > MOST_DIGITS ? -1 : Integer.parseInt(digits);
  }

  /** The stem of a file below a root, whose name may end with the suffix. */
  String stemOf(Path base, Path file) {
    String name = slashed(base.relativize(file));
    return !suffix.isEmpty() && name.endsWith(suffix)
        ? name.substring(0, name.length() - suffix.length())
        : name;
  }

  /** Whether a file would be taken for one of these, rolled or archived. */
  boolean covers(Path file) {
    Path absolute = file.toAbsolutePath().normalize();
    if (!absolute.startsWith(root) || absolute.equals(root)) {
      return false;
    }
    String stem = stemOf(root, absolute);
    int dot = stem.lastIndexOf('.');
    return stems.matcher(stem).matches()
        || dot > 0
            && FREE_NUMBER.matcher(stem.substring(dot)).matches()
            && stems.matcher(stem.substring(0, dot)).matches();
  }

  private static String slashed(Path path) {
    return path.toString().replace('\\', '/');
  }
}
