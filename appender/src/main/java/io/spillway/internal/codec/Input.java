package io.spillway.internal.codec;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import ch.qos.logback.classic.spi.LoggerContextVO;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads what {@link Output} wrote. Bytes are untrusted: what does not fit throws a RuntimeException
 * of any class, before anything is allocated by it.
 */
final class Input {
  private final byte[] data;
  private final int end;
  private int position;

  private final List<String> names = new ArrayList<>();
  private LoggerContextVO context;

  Input(byte[] data, int length) {
    this.data = data;
    this.end = length;
  }

  int remaining() {
    return end - position;
  }

  /** Fails the run unless the condition holds. */
  static void check(boolean holds, String what) {
    if (!holds) {
      throw new IllegalArgumentException(what);
    }
  }

  int u8() {
    return data[position++] & 0xFF;
  }

  int varint() {
    int value = (int) number();
    check(value >= 0, "a negative count");
    return value;
  }

  long zigzag() {
    long value = number();
    return value >>> 1 ^ -(value & 1);
  }

  private long number() {
    long value = 0;
    for (int shift = 0; shift < Long.SIZE; shift += 7) {
      int next = data[position++];
      value |= (long) (next & 0x7F) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw new IllegalArgumentException("a number without end");
  }

  /** Reads a number of items that take at least {@code bytesEach} bytes each. */
  int count(int bytesEach) {
    int count = varint();
    check(count <= remaining() / bytesEach, "a count beyond the end");
    return count;
  }

  byte[] bytes(int length) {
    check(length <= remaining(), "bytes beyond the end");
    position += length;
    return Arrays.copyOfRange(data, position - length, position);
  }

  String string() {
    int header = varint() - 1;
    if (header < 0) {
      return null;
    }
    int chars = header >>> 1;
    check(chars <= remaining(), "a string beyond the end");
    if ((header & 1) == 0) {
      position += chars;
      return new String(data, position - chars, chars, ISO_8859_1);
    }
    char[] wide = new char[chars];
    for (int i = 0; i < chars; i++) {
      wide[i] = (char) number();
    }
    return new String(wide);
  }

  String name() {
    int tag = varint();
    if (tag > 1) {
      return names.get(tag - 2);
    }
    String name = tag == 0 ? null : string();
    if (tag == 1) {
      names.add(name);
    }
    return name;
  }

  /** Serialized as a HashMap, like Logback's maps: the receiver of a socket takes no other. */
  private static final class Ordered extends LinkedHashMap<String, String> {
    private static final long serialVersionUID = 1L;

    private Object writeReplace() {
      return new HashMap<>(this);
    }
  }

  Map<String, String> map() {
    if (u8() == 0) {
      return Collections.emptyMap();
    }
    Map<String, String> map = new Ordered();
    do {
      map.put(name(), string());
    } while (u8() != 0);
    return map;
  }

  LoggerContextVO context() {
    int tag = u8();
    if (tag == 2) {
      String name = string();
      long birthTime = zigzag();
      context = new LoggerContextVO(name, map(), birthTime);
    }
    return tag == 0 ? null : context;
  }

  Object value() {
    int type = u8();
    return switch (type) {
      case '0' -> null;
      case 'L' -> zigzag();
      case 'I' -> (int) zigzag();
      case 'D' -> Double.longBitsToDouble(zigzag());
      case 'F' -> Float.intBitsToFloat((int) zigzag());
      case 'y' -> true;
      case 'n' -> false;
      case 'S' -> string();
      default -> throw new IllegalArgumentException("value type " + type);
    };
  }
}
