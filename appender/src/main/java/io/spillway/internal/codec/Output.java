package io.spillway.internal.codec;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.Arrays;
import java.util.function.LongConsumer;

/**
 * A growing byte buffer with the primitive types of the format; see the package description. Calls
 * a listener at each {@value #PART_BYTES} bytes, so that a watching thread sees progress.
 */
final class Output {
  private static final byte[] NONE = {};
  private static final int INITIAL_BYTES = 64 << 10;
  private static final int RETAINED_BYTES = 4 << 20;
  private static final int MAX_BYTES = Integer.MAX_VALUE - 8;

  /** The header of a longer string does not fit an int; an event with one cannot be encoded. */
  private static final int MAX_CHARS = (1 << 30) - 2;

  private static final int MAX_HEADER_BYTES = 5;
  private static final int PART_BYTES = 8 << 10;

  private byte[] buffer = new byte[INITIAL_BYTES];
  private int length;
  private int limit; // end of the part, or of the buffer
  private LongConsumer listener;
  private long index;

  byte[] buffer() {
    return buffer;
  }

  int length() {
    return length;
  }

  /** Removes the content. */
  void clear() {
    truncate(0);
  }

  /** Sets the listener, null for none; it is called at once and at each part with the index. */
  void tell(LongConsumer newListener, long newIndex) {
    listener = newListener;
    index = newIndex;
    told();
  }

  private void told() {
    if (listener != null) {
      listener.accept(index);
    }
    limit = (int) Math.min(buffer.length, (long) length + PART_BYTES);
  }

  /** Releases a huge buffer, so that one run does not hold its memory. Allocates nothing. */
  void releaseIfHuge() {
    if (buffer.length > RETAINED_BYTES) {
      buffer = NONE;
      limit = 0;
    }
  }

  void truncate(int newLength) {
    length = newLength;
    limit = newLength; // the next part begins there
  }

  void u8(int value) {
    ensure(1);
    buffer[length++] = (byte) value;
  }

  void u16(int value) {
    ensure(2);
    buffer[length++] = (byte) (value >>> 8);
    buffer[length++] = (byte) value;
  }

  void i32(int value) {
    ensure(4);
    putI32(length, value);
    length += 4;
  }

  void i64(long value) {
    i32((int) (value >>> 32));
    i32((int) value);
  }

  /** Overwrites four bytes that were written before, for a count that is known only at the end. */
  void putI32(int at, int value) {
    buffer[at] = (byte) (value >>> 24);
    buffer[at + 1] = (byte) (value >>> 16);
    buffer[at + 2] = (byte) (value >>> 8);
    buffer[at + 3] = (byte) value;
  }

  /** Writes a count, reference or tag: seven bits a byte, low ones first. */
  void varint(int value) {
    ensure(MAX_HEADER_BYTES);
    length = putVarint(length, value);
  }

  /** Writes a signed number: zigzag, then as {@link #varint}. */
  void zigzag(long value) {
    ensure(10);
    long rest = (value << 1) ^ (value >> 63);
    int at = length;
    while ((rest & ~0x7FL) != 0) {
      buffer[at++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    buffer[at++] = (byte) rest;
    length = at;
  }

  void string(String value) {
    if (value == null) {
      varint(0);
      return;
    }
    int chars = value.length();
    if (chars > MAX_CHARS) {
      throw new IllegalArgumentException("a string of " + chars + " characters is too long");
    }
    ensure((long) MAX_HEADER_BYTES + chars);
    int header = (chars << 1) + 1;
    int body = length + varintBytes(header);
    // In parts: a single step through a huge text may be taken for code that does not return.
    for (int from = 0; from < chars; from += PART_BYTES) {
      int to = Math.min(chars, from + PART_BYTES);
      if (from > 0) {
        told();
      }
      if (!lowBytes(value, from, to, body + from)) {
        utf16(value, chars);
        return;
      }
    }
    putVarint(length, header);
    length = body + chars;
  }

  // The deprecated method is the only one that copies without allocating. It drops the high bytes,
  // so the copy is compared with the text. Comparing strings is far faster than checking each
  // character: both steps are vectorised, and a string with a wider character differs by its coder
  // alone.
  @SuppressWarnings("deprecation")
  private boolean lowBytes(String value, int from, int to, int at) {
    value.getBytes(from, to, buffer, at);
    String low = new String(buffer, at, to - from, ISO_8859_1);
    return to - from == value.length() ? low.equals(value) : value.startsWith(low, from);
  }

  private void utf16(String value, int chars) {
    ensure(MAX_HEADER_BYTES + 2L * chars);
    int at = putVarint(length, (chars << 1) + 2);
    for (int i = 0; i < chars; i++) {
      if ((i & PART_BYTES - 1) == PART_BYTES - 1) {
        told();
      }
      char c = value.charAt(i);
      buffer[at++] = (byte) (c >>> 8);
      buffer[at++] = (byte) c;
    }
    length = at;
  }

  private int putVarint(int at, int value) {
    int rest = value;
    while ((rest & ~0x7F) != 0) {
      buffer[at++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    buffer[at++] = (byte) rest;
    return at;
  }

  private static int varintBytes(int value) {
    int bits = Integer.SIZE - Integer.numberOfLeadingZeros(value | 1);
    return (bits + 6) / 7;
  }

  private void ensure(long more) {
    if (more > limit - length) {
      part(length + more);
    }
  }

  private void part(long needed) {
    if (needed > buffer.length) {
      grow(needed);
    }
    told();
    limit = (int) Math.max(limit, needed);
  }

  private void grow(long needed) {
    if (needed > MAX_BYTES) {
      throw new IllegalStateException("an encoded run of more than " + MAX_BYTES + " bytes");
    }
    long twice = buffer.length > RETAINED_BYTES ? 0 : 2L * buffer.length;
    long wanted = Math.max(needed + needed / 8, Math.max(INITIAL_BYTES, twice));
    buffer = Arrays.copyOf(buffer, (int) Math.min(MAX_BYTES, wanted));
  }
}
