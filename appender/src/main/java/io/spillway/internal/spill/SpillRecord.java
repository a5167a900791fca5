package io.spillway.internal.spill;

/** One record read back from the spill. Reader thread only. */
public final class SpillRecord {

  private final byte[] payload;
  private final int events;
  private final long sequence;
  private final int skip;
  private final int tag;

  final SegmentReader segment;
  final long endOffset;
  final long evictedBefore; // events that made room, passed by the reader up to this record

  /** Reported as delivered; reader only. */
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
   * The bytes that were appended.
   *
   * @return the array itself, not a copy
   */
  public byte[] payload() {
    return payload;
  }

  /**
   * What the writer said of the payload.
   *
   * @return 0 if nothing
   */
  public int tag() {
    return tag;
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

  /** The number of its first event; numbers grow in the order of appending. */
  long sequence() {
    return sequence;
  }

  /** Where its header is; damage or what made room may be between it and the record before. */
  long startOffset() {
    return endOffset - payload.length - SegmentFormat.RECORD_HEADER;
  }

  long endSequence() {
    return sequence + events;
  }
}
