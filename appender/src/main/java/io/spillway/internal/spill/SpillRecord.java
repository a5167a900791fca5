package io.spillway.internal.spill;

import java.util.Arrays;

/** One record read back from the spill. Reader thread only. */
public final class SpillRecord {

  private static final byte[] NO_TRAILER = {};

  private final byte[] payload;
  private final byte[] trailer;
  private final int events;
  private final long sequence;
  private final int skip;

  final SegmentReader segment;
  final long endOffset;

  /** Reported as delivered; reader only. */
  boolean settled;

  SpillRecord(
      byte[] payload,
      SegmentFormat.RecordHeader header,
      int skip,
      SegmentReader segment,
      long endOffset) {
    int own = header.length() - header.trailer();
    this.payload = header.trailer() == 0 ? payload : Arrays.copyOf(payload, own);
    this.trailer =
        header.trailer() == 0 ? NO_TRAILER : Arrays.copyOfRange(payload, own, header.length());
    this.events = header.events();
    this.sequence = header.sequence();
    this.skip = skip;
    this.segment = segment;
    this.endOffset = endOffset;
  }

  /**
   * The bytes that were appended.
   *
   * @return the array itself, not a copy
   */
  public byte[] payload() {
    return payload;
  }

  /**
   * What was appended behind the payload.
   *
   * @return empty if nothing was
   */
  public byte[] trailer() {
    return trailer;
  }

  int length() {
    return payload.length + trailer.length;
  }

  /**
   * How many events the payload holds.
   *
   * @return what the writer said
   */
  public int events() {
    return events;
  }

  /**
   * How many of its first events were delivered by an earlier run, see {@link Spill#deliveredPart}.
   *
   * @return events to leave out
   */
  public int skip() {
    return skip;
  }

  /**
   * Whether an earlier run wrote it.
   *
   * @return true for a leftover
   */
  public boolean leftover() {
    return !segment.isOfThisRun();
  }

  /**
   * The number of its first event; numbers grow in the order of appending.
   *
   * @return the sequence number
   */
  public long sequence() {
    return sequence;
  }

  long endSequence() {
    return sequence + events;
  }
}
