package io.spillway.stress.verify;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * Classifies the lines of a log file, in any layout: an event is recognised by its message alone,
 * from {@code event} to its checksum. A damaged date or logger passes, and the remainder of a line
 * that lost the beginning of its message is foreign, though its event counts as lost. Not
 * thread-safe.
 */
final class LineReader {

  /** The kind of a line. */
  enum Kind {
    EVENT,
    PREFILL, // one of the lines that were in the file before the trial
    TORN, // a damaged line, which should be an event or a prefilled line and is no whole one
    FOREIGN // a line that the harness did not write, such as a header
  }

  private static final byte[] PREFILL = ascii("[prefill] INFO  ");
  private static final byte[] EVENT = ascii("event ");
  private static final int CHECKSUM_DIGITS = 8;

  private final CRC32C crc = new CRC32C();
  private int position;
  private long thread;
  private long sequence;

  /** Classifies {@code bytes[from, to)}, a line without its line end. */
  Kind parse(byte[] bytes, int from, int to) {
    int start = eventIn(bytes, from, to);
    if (start < 0) {
      return find(bytes, from, to, PREFILL) < 0 ? Kind.FOREIGN : Kind.PREFILL;
    }
    int hash = start;
    while (hash < to && bytes[hash] != '#') {
      hash++;
    }
    int end = hash + 1 + CHECKSUM_DIGITS;
    boolean whole = end <= to && isWhole(bytes, start, hash);
    return whole && eventIn(bytes, end, to) < 0 ? Kind.EVENT : Kind.TORN;
  }

  /** Returns the thread of the event last parsed. */
  int thread() {
    return (int) thread;
  }

  /** Returns the sequence number of the event last parsed. */
  long sequence() {
    return sequence;
  }

  /**
   * Returns where the next event seems to begin, or -1. Two numbers must follow the word, because
   * the layout itself may contain the word alone.
   */
  private int eventIn(byte[] bytes, int from, int to) {
    int start = find(bytes, from, to, EVENT);
    while (start >= 0) {
      position = start + EVENT.length;
      if (number(bytes, to) >= 0 && position < to && isDigit(bytes[position])) {
        return start;
      }
      start = find(bytes, start + 1, to, EVENT);
    }
    return -1;
  }

  /** Returns whether the message from its beginning to its checksum, behind the hash, is whole. */
  private boolean isWhole(byte[] bytes, int from, int hash) {
    position = from + EVENT.length;
    thread = number(bytes, hash);
    sequence = number(bytes, hash);
    if (thread < 0 || thread > Integer.MAX_VALUE || sequence < 0 || bytes[hash - 1] != ' ') {
      return false;
    }
    crc.reset();
    crc.update(bytes, from, hash - 1 - from);
    long expected = crc.getValue();
    for (int at = hash + CHECKSUM_DIGITS; at > hash; at--) {
      if (Character.digit(bytes[at], 16) != (expected & 15)) {
        return false;
      }
      expected >>>= 4;
    }
    return true;
  }

  /** Parses the decimal number at the position, which a space ends; -1 if there is none. */
  private long number(byte[] bytes, int to) {
    long value = 0;
    int start = position;
    while (position < to && isDigit(bytes[position])) {
      value = value * 10 + (bytes[position++] - '0');
    }
    boolean whole = position > start && position - start <= 18;
    return whole && position < to && bytes[position++] == ' ' ? value : -1;
  }

  private static boolean isDigit(byte b) {
    return b >= '0' && b <= '9';
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Returns where the wanted bytes first occur in {@code bytes[from, to)}, or -1. */
  private static int find(byte[] bytes, int from, int to, byte[] wanted) {
    for (int at = from; at <= to - wanted.length; at++) {
      if (bytes[at] == wanted[0]
          && Arrays.equals(bytes, at, at + wanted.length, wanted, 0, wanted.length)) {
        return at;
      }
    }
    return -1;
  }
}
