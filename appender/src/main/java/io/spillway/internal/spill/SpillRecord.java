package io.spillway.internal.spill;

/** One record read back from the spill. Used only by the thread that read it. */
public final class SpillRecord {

  private final byte[] payload;
  private final int events;
  private final long sequence;
  private final int skip;
  private final int tag;

  final SegmentReader segment;
  final long endOffset;
  final long evictedBefore; // evicted events that the segment reader passed before it

  /** Whether the record was reported as delivered; reader only. */
  boolean settled;

  SpillRecord(
      byte[] payload,
      SegmentFormat.RecordHeader header,
      int skip,
      SegmentReader segment,
      long endOffset) {
    this.payload = payload;
    this.events = header.events();
    this.sequence = header.sequence();
    this.skip = skip;
    this.tag = header.tag();
    this.segment = segment;
    this.endOffset = endOffset;
    this.evictedBefore = segment.evictedEvents();
  }

  /**
   * Returns the bytes that were appended.
   *
   * @return the array itself, not a copy
   */
  public byte[] payload() {
    return payload;
  }

  /**
   * Returns the tag that the writer gave the payload.
   *
   * @return the tag, 0 if there is none
   */
  public int tag() {
    return tag;
  }

  /**
   * Returns how many events the payload holds.
   *
   * @return the number that the writer stated
   */
  public int events() {
    return events;
  }

  /**
   * Returns how many of the first events of this record were delivered before, by an earlier run
   * (see {@link Spill#deliveredPart}) or an earlier attempt ({@link Spill#undelivered}).
   *
   * @return events to leave out
   */
  public int skip() {
    return skip;
  }

  /**
   * Returns whether an earlier run wrote this record.
   *
   * @return true for a leftover
   */
  public boolean leftover() {
    return !segment.isOfThisRun();
  }

  /** Returns the sequence of the first event; sequences grow in the order of appending. */
  long sequence() {
    return sequence;
  }

  /** Returns the offset of the header; damage or markers may be between it and the last record. */
  long startOffset() {
    return endOffset - payload.length - SegmentFormat.RECORD_HEADER;
  }

  long endSequence() {
    return sequence + events;
  }
}
