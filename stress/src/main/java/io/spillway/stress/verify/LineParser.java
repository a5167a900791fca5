package io.spillway.stress.verify;

import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/**
 * Tells what a line is. Anything that is not wholly what it should be is torn: the date and the
 * logger are checked as well as the message, so that two lines run together, or the head of one
 * before the tail of another, cannot pass.
 */
final class LineParser {

  /** What a line turned out to be. */
  enum Kind {
    EVENT,
    PREFILL,
    TORN
  }

  private static final byte[] DATE_SHAPE = ascii("0000-00-00 00:00:00,000 [");
  private static final byte[] PREFILL = ascii("prefill] INFO  " + LogLine.LOGGER + " - prefill ");
  private static final byte[] BEFORE_MESSAGE = ascii("] INFO  " + LogLine.LOGGER + " - ");
  private static final byte[] EVENT = ascii("event ");
  private static final int CHECKSUM_DIGITS = 8;
  private static final int LONGEST_THREAD_NAME = 64;

  private final CRC32C crc = new CRC32C();
  private int position;
  private int thread;
  private long sequence;

  /** Looks at {@code bytes[from, to)}, a line without its line end. */
  Kind parse(byte[] bytes, int from, int to) {
    if (!startsWithDate(bytes, from, to)) {
      return Kind.TORN;
    }
    int name = from + DATE_SHAPE.length;
    if (matches(bytes, name, to, PREFILL)) {
      return Kind.PREFILL;
    }
    int bracket = name;
    while (bracket < to && bytes[bracket] != ']' && bracket - name < LONGEST_THREAD_NAME) {
      bracket++;
    }
    if (!matches(bytes, bracket, to, BEFORE_MESSAGE)) {
      return Kind.TORN;
    }
    return parseMessage(bytes, bracket + BEFORE_MESSAGE.length, to) ? Kind.EVENT : Kind.TORN;
  }

  /** Thread of the event last parsed. */
  int thread() {
    return thread;
  }

  /** Sequence number of the event last parsed. */
  long sequence() {
    return sequence;
  }

  private boolean parseMessage(byte[] bytes, int from, int to) {
    int hash = to - CHECKSUM_DIGITS - 1;
    if (!matches(bytes, from, to, EVENT)
        || hash <= from
        || bytes[hash] != '#'
        || bytes[hash - 1] != ' ') {
      return false;
    }
    position = from + EVENT.length;
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

  /** A decimal number ended by a space, or -1. */
  private long number(byte[] bytes, int to) {
    long value = 0;
    int start = position;
    while (position < to && bytes[position] >= '0' && bytes[position] <= '9') {
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

  private static boolean startsWithDate(byte[] bytes, int from, int to) {
    if (to - from < DATE_SHAPE.length) {
      return false;
    }
    for (int i = 0; i < DATE_SHAPE.length; i++) {
      byte expected = DATE_SHAPE[i];
      byte found = bytes[from + i];
      boolean digit = found >= '0' && found <= '9';
      if (expected == '0' ? !digit : found != expected) {
        return false;
      }
    }
    return true;
  }

  private static boolean matches(byte[] bytes, int from, int to, byte[] expected) {
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

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
