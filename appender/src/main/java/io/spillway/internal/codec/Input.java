package io.spillway.internal.codec;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.nio.ByteBuffer;

/** Reads what {@link Output} wrote. Bytes are untrusted: each length is checked before its use. */
final class Input {
  private final byte[] data;
  private int position;

  Input(byte[] data) {
    this.data = data;
  }

  int remaining() {
    return data.length - position;
  }

  int u8() throws CodecException {
    need(1);
    return data[position++] & 0xFF;
  }

  int u16() throws CodecException {
    need(2);
    int value = (data[position] & 0xFF) << 8 | data[position + 1] & 0xFF;
    position += 2;
    return value;
  }

  int i32() throws CodecException {
    need(4);
    int at = position;
    position += 4;
    return data[at] << 24
        | (data[at + 1] & 0xFF) << 16
        | (data[at + 2] & 0xFF) << 8
        | data[at + 3] & 0xFF;
  }

  long i64() throws CodecException {
    long high = i32();
    return high << 32 | i32() & 0xFFFF_FFFFL;
  }

  int varint() throws CodecException {
    int value = 0;
    for (int shift = 0; shift < Integer.SIZE; shift += 7) {
      int next = u8();
      value |= (next & 0x7F) << shift;
      if (next < 0x80) {
        if (value < 0 || shift == 28 && next > 0x07) {
          break;
        }
        return value;
      }
    }
    throw new CodecException("a number too large before byte " + position);
  }

  long zigzag() throws CodecException {
    long value = 0;
    for (int shift = 0; shift < Long.SIZE; shift += 7) {
      int next = u8();
      value |= (long) (next & 0x7F) << shift;
      if (next < 0x80) {
        return value >>> 1 ^ -(value & 1);
      }
    }
    throw new CodecException("a number too large before byte " + position);
  }

  /** Reads a number of items that take at least {@code bytesEach} bytes each. */
  int count(int bytesEach) throws CodecException {
    int count = varint();
    if (count > remaining() / bytesEach) {
      throw new CodecException("a count of " + count + " with " + remaining() + " bytes left");
    }
    return count;
  }

  String string() throws CodecException {
    int header = varint();
    if (header == 0) {
      return null;
    }
    int chars = (header - 1) >>> 1;
    return ((header - 1) & 1) == 0 ? latin1(chars) : utf16(chars);
  }

  private String latin1(int chars) throws CodecException {
    need(chars);
    String value = new String(data, position, chars, ISO_8859_1);
    position += chars;
    return value;
  }

  // Does not use the UTF-16 charset, which replaces unpaired surrogates.
  private String utf16(int chars) throws CodecException {
    need(2L * chars);
    char[] value = new char[chars];
    ByteBuffer.wrap(data, position, 2 * chars).asCharBuffer().get(value);
    position += 2 * chars;
    return new String(value);
  }

  private void need(long bytes) throws CodecException {
    if (bytes > remaining()) {
      throw new CodecException(bytes + " bytes needed, " + remaining() + " left");
    }
  }
}
