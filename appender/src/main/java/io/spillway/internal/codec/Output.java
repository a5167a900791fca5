package io.spillway.internal.codec;

import ch.qos.logback.classic.spi.LoggerContextVO;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * A growing byte buffer with the primitive types of the format; see the package description. What
 * repeats within a run, names of loggers, threads, keys, classes and message patterns, is written
 * once, and as a small number from then on.
 */
final class Output {
  private static final int INITIAL_BYTES = 64 << 10;
  private static final int RETAINED_BYTES = 4 << 20;
  private static final int MAX_BYTES = 1 << 30; // so that the header of a string fits an int
  private static final int MAX_NUMBER_BYTES = 10;

  private byte[] buffer = new byte[INITIAL_BYTES];
  private int length;
  private final Map<String, Integer> numbers = new HashMap<>(); // of names
  private LoggerContextVO context;

  byte[] buffer() {
    return buffer;
  }

  int length() {
    return length;
  }

  int nameCount() {
    return numbers.size();
  }

  /** Removes the content, and a huge buffer with it, so that one run does not hold its memory. */
  void clear() {
    if (buffer.length > RETAINED_BYTES) {
      buffer = new byte[INITIAL_BYTES];
    }
    length = 0;
    numbers.clear();
    context = null;
  }

  /** Goes back to what {@link #length} and {@link #nameCount} were before. */
  void truncate(int newLength, int newNameCount) {
    length = newLength;
    numbers.values().removeIf(number -> number >= newNameCount);
    context = null;
  }

  void u8(int value) {
    ensure(1);
    buffer[length++] = (byte) value;
  }

  /** Overwrites four bytes, for a count that is known only at the end. */
  void putI32(int at, int value) {
    for (int i = 0; i < 4; i++) {
      buffer[at + i] = (byte) (value >>> 24 - 8 * i);
    }
  }

  /** Writes a count, reference or tag: seven bits a byte, low ones first. */
  void varint(int value) {
    ensure(MAX_NUMBER_BYTES);
    number(value & 0xFFFF_FFFFL);
  }

  /** Writes a signed number: zigzag, then as {@link #varint}. */
  void zigzag(long value) {
    ensure(MAX_NUMBER_BYTES);
    number(value << 1 ^ value >> 63);
  }

  private void number(long value) {
    long rest = value;
    int at = length;
    while ((rest & ~0x7FL) != 0) {
      buffer[at++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    buffer[at++] = (byte) rest;
    length = at;
  }

  void bytes(byte[] bytes) {
    ensure(bytes.length);
    System.arraycopy(bytes, 0, buffer, length, bytes.length);
    length += bytes.length;
  }

  void string(String value) {
    if (value == null) {
      varint(0);
      return;
    }
    int chars = value.length();
    ensure(MAX_NUMBER_BYTES + (long) chars);
    int start = length;
    number(2L * chars + 1);
    byte[] to = buffer;
    int at = length;
    for (int i = 0; i < chars; i++) {
      char c = value.charAt(i);
      if (c > 0xFF) {
        length = start;
        wide(value, chars);
        return;
      }
      to[at + i] = (byte) c;
    }
    length = at + chars;
  }

  private void wide(String value, int chars) {
    ensure(MAX_NUMBER_BYTES + 3L * chars);
    number(2L * chars + 2);
    for (int i = 0; i < chars; i++) {
      number(value.charAt(i));
    }
  }

  /** Writes 0 for null, 1 and a string that gets the next number, or 2 + its number. */
  void name(String name) {
    Integer number = numbers.get(name);
    if (number != null) {
      varint(2 + number);
    } else if (name == null) {
      u8(0);
    } else {
      u8(1);
      string(name);
      numbers.put(name, numbers.size());
    }
  }

  void map(Map<String, String> map) {
    for (Map.Entry<String, String> entry : map.entrySet()) {
      u8(1);
      name(entry.getKey());
      string(entry.getValue());
    }
    u8(0);
  }

  void context(LoggerContextVO next) {
    u8(next == null ? 0 : next == context ? 1 : 2);
    if (next != null && next != context) {
      string(next.getName());
      zigzag(next.getBirthTime());
      map(next.getPropertyMap() == null ? Map.of() : next.getPropertyMap());
      context = next;
    }
  }

  /** Writes an argument or the value of a pair: by its type, or as its text. */
  void value(Object value) {
    if (value == null) {
      u8('0');
    } else if (value instanceof Long number) {
      u8('L');
      zigzag(number);
    } else if (value instanceof Integer || value instanceof Short || value instanceof Byte) {
      u8('I');
      zigzag(((Number) value).intValue());
    } else if (value instanceof Double number) {
      u8('D');
      zigzag(Double.doubleToRawLongBits(number));
    } else if (value instanceof Float number) {
      u8('F');
      zigzag(Float.floatToRawIntBits(number));
    } else if (value instanceof Boolean truth) {
      u8(truth ? 'y' : 'n');
    } else {
      u8('S');
      string(value instanceof String string ? string : text(value));
    }
  }

  /** Returns the text of a foreign object. */
  static String text(Object value) {
    try {
      return String.valueOf(value.toString());
    } catch (Throwable failure) {
      return "[FAILED toString()]"; // as SLF4J prints it within a message
    }
  }

  private void ensure(long more) {
    if (more > buffer.length - length) {
      long needed = length + more;
      if (needed > MAX_BYTES) {
        throw new IllegalStateException("an encoded run of more than " + MAX_BYTES + " bytes");
      }
      buffer = Arrays.copyOf(buffer, (int) Math.min(MAX_BYTES, needed + needed / 2));
    }
  }
}
