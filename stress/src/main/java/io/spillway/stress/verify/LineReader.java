package io.spillway.stress.verify;

import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/**
 * Classifies the lines of a log file, in any layout: an event is recognised by its message alone. A
 * damaged date or logger passes, and the remainder of a line that lost the beginning of its message
 * is foreign, though its event counts as lost. Not thread-safe.
 */
final class LineReader {

  /** The kind of a line. */
  enum Kind {
    /** A whole event. */
    EVENT,
    /** One of the lines that were in the file before the trial. */
    PREFILL,
    /** A damaged line, which should be an event or a prefilled line and is no whole one. */
    TORN,
    /** A line that the harness did not write, such as a header. */
    FOREIGN
  }

  private static final byte[] PREFILL = Bytes.ascii("[prefill] INFO  ");

  private final EventText event = new EventText();

  /** Classifies {@code bytes[from, to)}, a line without its line end. */
  Kind parse(byte[] bytes, int from, int to) {
    int start = EventText.startOf(bytes, from, to);
    if (start < 0) {
      return Bytes.find(bytes, from, to, PREFILL) < 0 ? Kind.FOREIGN : Kind.PREFILL;
    }
    int end = EventText.endOf(bytes, start, to);
    boolean whole = end >= 0 && event.parse(bytes, start, end);
    boolean alone = whole && EventText.startOf(bytes, end, to) < 0;
    return alone ? Kind.EVENT : Kind.TORN;
  }

  /** Returns the thread of the event last parsed. */
  int thread() {
    return event.thread();
  }

  /** Returns the sequence number of the event last parsed. */
  long sequence() {
    return event.sequence();
  }

  /**
   * The message of an event, from {@code event} to its checksum, recognised only if it is whole.
   */
  static final class EventText {
    /** The start of every message; the thread and the sequence number follow. */
    private static final byte[] START = "event ".getBytes(StandardCharsets.US_ASCII);

    private static final int CHECKSUM_DIGITS = 8;

    private final CRC32C crc = new CRC32C();
    private int position;
    private int thread;
    private long sequence;

    /**
     * Returns where the next event seems to begin, or -1. Two numbers must follow the word, because
     * the layout itself may contain the word alone.
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

    int thread() {
      return thread;
    }

    long sequence() {
      return sequence;
    }

    /** Returns whether {@code bytes[from, to)} is one whole message. */
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

    /** Returns where the message that begins at {@code from} ends, or -1 if it has no checksum. */
    static int endOf(byte[] bytes, int from, int to) {
      for (int hash = from; hash < to; hash++) {
        if (bytes[hash] == '#') {
          int end = hash + 1 + CHECKSUM_DIGITS;
          return end <= to ? end : -1;
        }
      }
      return -1;
    }

    /** Parses a decimal number that a space ends; -1 if there is none. */
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

  /** Comparisons of byte sequences. */
  static final class Bytes {
    private Bytes() {}

    static byte[] ascii(String text) {
      return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Returns whether {@code bytes[from, to)} starts with the expected bytes. */
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

    /** Returns where the wanted bytes first occur in {@code bytes[from, to)}, or -1. */
    static int find(byte[] bytes, int from, int to, byte[] wanted) {
      for (int at = from; at <= to - wanted.length; at++) {
        if (bytes[at] == wanted[0] && startWith(bytes, at, to, wanted)) {
          return at;
        }
      }
      return -1;
    }
  }
}
