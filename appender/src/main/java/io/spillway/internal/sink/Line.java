package io.spillway.internal.sink;

import java.nio.charset.Charset;
import java.util.Arrays;

/** The bytes of one line, and how texts become bytes. */
final class Line {
  byte[] bytes;
  int length;
  boolean parted; // two pieces may have one character in common: the bytes are useless

  private final Charset charset;

  Line(int room, Charset charset) {
    bytes = new byte[room];
    this.charset = charset;
  }

  /** Returns the bytes of a text; null if they depend on the text that follows. */
  static byte[] bytes(String text, Charset charset) {
    boolean open = !text.isEmpty() && Character.isHighSurrogate(text.charAt(text.length() - 1));
    return open ? null : text.getBytes(charset);
  }

  void append(String text) {
    String printed = String.valueOf(text); // a StringBuilder prints null so
    if (printed.length() > 64 || !appendAscii(printed)) {
      append(bytes(printed, charset));
    }
  }

  /** Saves short text the array of {@code getBytes}. */
  private boolean appendAscii(String text) {
    int characters = text.length();
    ensureRoom(characters);
    for (int i = 0; i < characters; i++) {
      char c = text.charAt(i);
      if (c >= 0x80) {
        return false;
      }
      bytes[length + i] = (byte) c;
    }
    length += characters;
    return true;
  }

  void append(byte[] more) {
    if (more == null) {
      parted = true;
    } else {
      ensureRoom(more.length);
      System.arraycopy(more, 0, bytes, length, more.length);
      length += more.length;
    }
  }

  private void ensureRoom(int more) {
    int end = Math.addExact(length, more);
    if (end > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(end, 2 * bytes.length));
    }
  }
}
