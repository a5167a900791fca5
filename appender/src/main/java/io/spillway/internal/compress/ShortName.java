package io.spillway.internal.compress;

import java.nio.charset.StandardCharsets;
import java.util.UUID;

/**
 * What stands for a name that leaves too little room for an ending: its beginning, and a digest.
 */
final class ShortName {
  private static final int MOST_BYTES = 255; // of a name, in the usual file systems
  private static final int KEPT_CHARACTERS = 40; // which are 160 bytes at most

  private ShortName() {}

  static int bytes(String name) {
    return name.getBytes(StandardCharsets.UTF_8).length;
  }

  /** Whether a file can have the name. */
  static boolean fits(String name) {
    return bytes(name) <= MOST_BYTES;
  }

  /** The same for the same text, in digits and letters that need no quoting. */
  static String digest(String text) {
    return UUID.nameUUIDFromBytes(text.getBytes(StandardCharsets.UTF_8)).toString();
  }

  /** At most 197 bytes. */
  static String of(String name, String digest) {
    int characters = Math.min(KEPT_CHARACTERS, name.codePointCount(0, name.length()));
    return name.substring(0, name.offsetByCodePoints(0, characters)) + "-" + digest;
  }
}
