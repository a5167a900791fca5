package io.spillway.internal.spill;

import io.spillway.internal.spill.SegmentFormat.RecordHeader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What is whole in the segments of a spill directory that nobody uses; not by the reader. */
public final class SegmentScan {
  private static final int SALT = 8;
  private static final int FIRST = 24;
  private static final int RUN = 32;

  /**
   * One segment.
   *
   * @param name of the file
   * @param run sequence of the first event of its run; -1 if the header is not there
   * @param first sequence of its first event
   * @param upTo sequence of the first event that is not there
   * @param whole whether nothing but zeros is behind that
   */
  public record Segment(String name, long run, long first, long upTo, boolean whole) {}

  private SegmentScan() {}

  /** All of them, in order. */
  public static List<Segment> of(Path directory) {
    List<Segment> all = new ArrayList<>();
    try {
      for (Path path : SpillTesting.segments(directory)) {
        all.add(scan(path.getFileName().toString(), Files.readAllBytes(path)));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return all;
  }

  private static Segment scan(String name, byte[] bytes) {
    ByteBuffer header = ByteBuffer.wrap(bytes);
    if (bytes.length < SegmentFormat.SEGMENT_HEADER
        || header.getInt(0) != SegmentFormat.SEGMENT_MAGIC) {
      return new Segment(name, -1, -1, -1, false);
    }
    long salt = header.getLong(SALT);
    long upTo = header.getLong(FIRST);
    int at = SegmentFormat.SEGMENT_HEADER;
    for (RecordHeader record = at(bytes, at, salt);
        record != null && record.sequence() <= upTo;
        record = at(bytes, at, salt)) {
      upTo = Math.max(upTo, record.endSequence());
      at += SegmentFormat.RECORD_HEADER + record.length();
    }
    byte[] rest = Arrays.copyOfRange(bytes, at, bytes.length);
    boolean whole = SegmentFormat.allZero(rest, rest.length);
    return new Segment(name, header.getLong(RUN), header.getLong(FIRST), upTo, whole);
  }

  /** The record that begins there, if all of it is there. */
  private static RecordHeader at(byte[] bytes, int at, long salt) {
    int start = at + SegmentFormat.RECORD_HEADER;
    RecordHeader record = start > bytes.length ? null : RecordHeader.decode(bytes, at, salt, at);
    boolean there =
        record != null
            && record.length() <= bytes.length - start
            && SegmentFormat.payloadCrc(salt, bytes, start, record.length()) == record.payloadCrc();
    return there ? record : null;
  }
}
