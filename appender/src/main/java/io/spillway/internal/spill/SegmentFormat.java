package io.spillway.internal.spill;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** The bytes of a segment, as the package description draws them. */
final class SegmentFormat {
  static final int VERSION = 1;
  private static final int MAGIC = 0x53505753; // SPWS

  // Segment header.
  static final int VERSION_AT = 4;
  private static final int RUN_AT = VERSION_AT + Integer.BYTES;
  static final int FIRST_AT = RUN_AT + Long.BYTES;
  static final int CREATED_AT = FIRST_AT + Long.BYTES;
  static final int SALT_AT = CREATED_AT + Long.BYTES;
  static final int MARK_AT = 48;
  static final int HEADER_BYTES = 64;
  static final int MARK_BYTES = HEADER_BYTES - MARK_AT;

  static final int MARK_DELIVERED_AT = MARK_AT + Integer.BYTES;
  static final int MARK_BEFORE_AT = MARK_DELIVERED_AT + Integer.BYTES;
  private static final int MARK_CRC_AT = MARK_BEFORE_AT + Integer.BYTES;

  // Record header.
  private static final int EVENTS_AT = 4;
  private static final int SEQUENCE_AT = EVENTS_AT + Integer.BYTES;
  private static final int PAYLOAD_CRC_AT = SEQUENCE_AT + Long.BYTES;
  private static final int RECORD_CRC_AT = PAYLOAD_CRC_AT + Integer.BYTES;
  static final int RECORD_BYTES = RECORD_CRC_AT + Integer.BYTES;
  private static final int SEAL_LENGTH = -1;

  private SegmentFormat() {}

  static int crc(byte[] bytes, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, length);
    return (int) crc.getValue();
  }

  private static int crc(int salt, ByteBuffer buffer, int from, int length) {
    CRC32C crc = new CRC32C();
    if (salt != 0) {
      for (int shift = Integer.SIZE - Byte.SIZE; shift >= 0; shift -= Byte.SIZE) {
        crc.update(salt >>> shift);
      }
    }
    crc.update(buffer.duplicate().limit(from + length).position(from));
    return (int) crc.getValue();
  }

  /** Puts a header, whose CRC salts those of the records, with a mark at the start. */
  static void putHeader(ByteBuffer buffer, long run, long firstSequence, long created) {
    int start = buffer.position();
    buffer.putInt(MAGIC).putInt(VERSION).putLong(run).putLong(firstSequence).putLong(created);
    buffer.putInt(crc(0, buffer, start, SALT_AT)).putInt(0).putLong(0);
    putMark(buffer, HEADER_BYTES, 0, 0);
  }

  /** Returns whether the header at the start of the buffer is whole, in any version. */
  static boolean isHeader(ByteBuffer buffer) {
    return buffer.getInt(0) == MAGIC && buffer.getInt(SALT_AT) == computedSalt(buffer);
  }

  static int computedSalt(ByteBuffer header) {
    return crc(0, header, 0, SALT_AT);
  }

  static void putMark(ByteBuffer buffer, long offset, int delivered, long before) {
    int start = buffer.position();
    buffer.putInt((int) offset).putInt(delivered).putInt((int) before);
    buffer.putInt(crc(0, buffer, start, MARK_CRC_AT - MARK_AT));
  }

  static boolean isMark(ByteBuffer header) {
    return header.getInt(MARK_CRC_AT) == crc(0, header, MARK_AT, MARK_CRC_AT - MARK_AT);
  }

  static void putRecord(
      ByteBuffer buffer, int salt, int length, int events, long sequence, int payloadCrc) {
    int start = buffer.position();
    buffer.putInt(length).putInt(events).putLong(sequence).putInt(payloadCrc);
    buffer.putInt(crc(salt, buffer, start, RECORD_CRC_AT));
  }

  static void putSeal(ByteBuffer buffer, int salt, int events, long endSequence) {
    putRecord(buffer, salt, SEAL_LENGTH, events, endSequence, 0);
  }

  private static boolean isWhole(ByteBuffer buffer, int at, int salt) {
    return buffer.getInt(at + RECORD_CRC_AT) == crc(salt, buffer, at, RECORD_CRC_AT);
  }

  static boolean isRecord(ByteBuffer buffer, int at, int salt, long sequence) {
    return length(buffer, at) >= 0
        && events(buffer, at) >= 0
        && buffer.getLong(at + SEQUENCE_AT) == sequence
        && isWhole(buffer, at, salt);
  }

  /** Returns whether a seal is there that fits a segment which begins with that sequence. */
  static boolean isSeal(ByteBuffer buffer, int at, int salt, long firstSequence) {
    return length(buffer, at) == SEAL_LENGTH
        && buffer.getLong(at + SEQUENCE_AT) == firstSequence + events(buffer, at)
        && isWhole(buffer, at, salt);
  }

  static int length(ByteBuffer buffer, int at) {
    return buffer.getInt(at);
  }

  static int events(ByteBuffer buffer, int at) {
    return buffer.getInt(at + EVENTS_AT);
  }

  static int payloadCrc(ByteBuffer buffer, int at) {
    return buffer.getInt(at + PAYLOAD_CRC_AT);
  }
}
