package io.spillway.stress.verify;

import java.nio.charset.StandardCharsets;

/** Looks for bytes in bytes. */
final class Bytes {
  private Bytes() {}

  static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Whether {@code bytes[from, to)} starts with the expected ones. */
  static boolean startWith(byte[] bytes, int from, int to, byte[] expected) {
    if (to - from < expected.length) {
      return false;
    }
    for (int i = 0; i < expected.length; i++) {
      if (bytes[from + i] != expected[i]) {
        return false;
      }
    }
    return true;
  }

  /** Where in {@code bytes[from, to)} the wanted ones are first, or -1. */
  static int find(byte[] bytes, int from, int to, byte[] wanted) {
    for (int at = from; at <= to - wanted.length; at++) {
      if (bytes[at] == wanted[0] && startWith(bytes, at, to, wanted)) {
        return at;
      }
    }
    return -1;
  }
}
