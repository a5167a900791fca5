package io.spillway.internal.ring;

import java.nio.charset.Charset;
import java.util.Arrays;

/**
 * Text as bytes of a charset that contains ASCII, appended piece by piece. A piece that ends in a
 * high surrogate is held back until the next, so that the bytes are those of the whole text. For
 * the drainer thread only.
 */
final class EncodedText {
  private static final int MAX_BYTES = Integer.MAX_VALUE - 8; // the largest array
  private static final int MAX_DIGITS = 20; // of a long, with its sign
  private static final int SHORT = 64;

  private final Charset charset;
  private final int keep;
  private byte[] bytes;
  private int length;
  private String heldBack;

  /** Creates a text with room for {@code capacity} bytes, restored after a large batch. */
  EncodedText(Charset charset, int capacity) {
    this.charset = charset;
    this.keep = capacity;
    this.bytes = new byte[capacity];
  }

  void append(String text) {
    if (heldBack == null && text.length() <= SHORT && appendAscii(text)) {
      return;
    }
    if (heldBack != null) {
      text = heldBack + text;
      heldBack = null;
    }
    if (endsInsidePair(text)) {
      heldBack = text;
    } else {
      append(text.getBytes(charset));
    }
  }

  /** Saves short text the array of {@code getBytes}; returns false if it is not ASCII. */
  private boolean appendAscii(String text) {
    int characters = text.length();
    ensureRoom(characters);
    byte[] into = bytes;
    int at = length;
    for (int i = 0; i < characters; i++) {
      char c = text.charAt(i);
      if (c >= 0x80) {
        return false;
      }
      into[at + i] = (byte) c;
    }
    length = at + characters;
    return true;
  }

  /** Appends a number's decimal digits. */
  void append(long number) {
    if (heldBack != null || number == Long.MIN_VALUE) {
      append(Long.toString(number));
      return;
    }
    ensureRoom(MAX_DIGITS);
    long rest = Math.abs(number);
    if (number < 0) {
      bytes[length++] = '-';
    }
    int digits = 1;
    for (long power = 10; digits < MAX_DIGITS - 1 && rest >= power; power *= 10) {
      digits++;
    }
    int at = length + digits;
    do {
      long tenth = rest / 10;
      bytes[--at] = (byte) ('0' + (rest - 10 * tenth));
      rest = tenth;
    } while (rest != 0);
    length += digits;
  }

  /** Appends text whose bytes are known already. */
  void append(Encoded encoded) {
    if (heldBack != null || encoded.bytes == null) {
      append(encoded.text);
    } else {
      append(encoded.bytes);
    }
  }

  /** Appends bytes: all of them, or none if there is no memory. */
  void append(byte[] more) {
    ensureRoom(more.length);
    System.arraycopy(more, 0, bytes, length, more.length);
    length += more.length;
  }

  private void ensureRoom(int more) {
    int end = Math.addExact(length, more);
    if (end > bytes.length) {
      bytes = Arrays.copyOf(bytes, (int) Math.max(end, Math.min(MAX_BYTES, 2L * bytes.length)));
    }
  }

  /** Ends the text of an event: appends a piece that was held back. */
  void endEvent() {
    if (heldBack != null) {
      append(heldBack.getBytes(charset));
      heldBack = null;
    }
  }

  int length() {
    return length;
  }

  /** Removes everything behind a length, after an event could not be printed. */
  void cutTo(int shorter) {
    length = shorter;
    heldBack = null;
  }

  byte[] take() {
    int taken = length;
    length = 0;
    byte[] chunk = Arrays.copyOf(bytes, taken);
    if (bytes.length > 4 * keep) {
      bytes = new byte[keep];
    }
    return chunk;
  }

  Encoded encode(String text) {
    return new Encoded(text, endsInsidePair(text) ? null : text.getBytes(charset));
  }

  private static boolean endsInsidePair(String text) {
    return !text.isEmpty() && Character.isHighSurrogate(text.charAt(text.length() - 1));
  }

  /** A text with its bytes; the bytes are null if they depend on the text that follows. */
  record Encoded(String text, byte[] bytes) {}
}
