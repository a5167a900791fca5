package io.spillway.stress.verify;

import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the files of a {@code fileNamePattern} are called. */
public final class FileNames {
  private static final Pattern TOKEN = Pattern.compile("%\\d*[di](\\{[^}]*\\})?");
  private static final Pattern PACKED = Pattern.compile("\\.(gz|zip|zst|xz)$");

  private FileNames() {}

  /** Matches the paths of archives, and of rolled files that are not archived yet. */
  public static Pattern of(String fileNamePattern) {
    return Pattern.compile(stem(fileNamePattern) + "(\\.\\d+)?(\\.(gz|zip|zst|xz))?");
  }

  /** Matches the beginning of those, and of unfinished and passing files that go with them. */
  public static Pattern stemsOf(String fileNamePattern) {
    return Pattern.compile(stem(fileNamePattern));
  }

  /** The pattern of the files that archives are made of. */
  public static String withoutPacking(String fileNamePattern) {
    return PACKED.matcher(fileNamePattern).replaceFirst("");
  }

  /** Whether archives of this pattern are compressed. */
  public static boolean arePacked(String fileNamePattern) {
    return PACKED.matcher(fileNamePattern).find();
  }

  /**
   * Whether a file has left its name in a rollover of Spillway's policies, and has none of an
   * archive yet: that is moments later, unless the process died.
   */
  public static boolean isRolled(Path file, Path activeFile) {
    return activeFile != null
        && file.toString().startsWith(activeFile + ".")
        && file.toString().endsWith(".rolled");
  }

  private static String stem(String fileNamePattern) {
    String stem = withoutPacking(fileNamePattern);
    StringBuilder regex = new StringBuilder();
    int end = 0;
    for (Matcher token = TOKEN.matcher(stem); token.find(); end = token.end()) {
      regex.append(Pattern.quote(stem.substring(end, token.start()))).append(".+?");
    }
    return regex.append(Pattern.quote(stem.substring(end))).toString();
  }
}
