package io.spillway.stress.verify;

import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/** The message of an event, from {@code event} to its checksum, recognised only if it is whole. */
final class EventText {
  /** How each begins; its thread and its sequence number follow. */
  private static final byte[] START = "event ".getBytes(StandardCharsets.US_ASCII);

  private static final int CHECKSUM_DIGITS = 8;

  private final CRC32C crc = new CRC32C();
  private int position;
  private int thread;
  private long sequence;

  /**
   * Where the next event seems to begin, or -1: a layout may have such words of its own, but hardly
   * with two numbers behind them.
   */
  static int startOf(byte[] bytes, int from, int to) {
    int start = Bytes.find(bytes, from, to, START);
    while (start >= 0 && !isNumbered(bytes, start + START.length, to)) {
      start = Bytes.find(bytes, start + 1, to, START);
    }
    return start;
  }

  private static boolean isNumbered(byte[] bytes, int from, int to) {
    int i = from;
    while (i < to && isDigit(bytes[i])) {
      i++;
    }
    return i > from && i + 1 < to && bytes[i] == ' ' && isDigit(bytes[i + 1]);
  }

  private static boolean isDigit(byte b) {
    return b >= '0' && b <= '9';
  }

  /** Thread of the event last parsed. */
  int thread() {
    return thread;
  }

  /** Sequence number of the event last parsed. */
  long sequence() {
    return sequence;
  }

  /** Whether {@code bytes[from, to)} is one whole message. */
  boolean parse(byte[] bytes, int from, int to) {
    int hash = to - CHECKSUM_DIGITS - 1;
    if (!Bytes.startWith(bytes, from, to, START)
        || hash <= from
        || bytes[hash] != '#'
        || bytes[hash - 1] != ' ') {
      return false;
    }
    position = from + START.length;
    long parsedThread = number(bytes, hash);
    long parsedSequence = number(bytes, hash);
    if (parsedThread < 0 || parsedThread > Integer.MAX_VALUE || parsedSequence < 0) {
      return false;
    }
    crc.reset();
    crc.update(bytes, from, hash - 1 - from);
    if (crc.getValue() != hexadecimal(bytes, hash + 1, to)) {
      return false;
    }
    thread = (int) parsedThread;
    sequence = parsedSequence;
    return true;
  }

  /** Where the message that begins at {@code from} would end, or -1 if it has no checksum. */
  static int endOf(byte[] bytes, int from, int to) {
    for (int hash = from; hash < to; hash++) {
      if (bytes[hash] == '#') {
        int end = hash + 1 + CHECKSUM_DIGITS;
        return end <= to ? end : -1;
      }
    }
    return -1;
  }

  /** A decimal number ended by a space, or -1. */
  private long number(byte[] bytes, int to) {
    long value = 0;
    int start = position;
    while (position < to && isDigit(bytes[position])) {
      value = value * 10 + (bytes[position++] - '0');
    }
    boolean whole = position > start && position - start <= 18;
    if (!whole || position >= to || bytes[position] != ' ') {
      return -1;
    }
    position++;
    return value;
  }

  private static long hexadecimal(byte[] bytes, int from, int to) {
    long value = 0;
    for (int i = from; i < to; i++) {
      int digit = Character.digit(bytes[i], 16);
      if (digit < 0) {
        return -1;
      }
      value = value << 4 | digit;
    }
    return value;
  }
}
