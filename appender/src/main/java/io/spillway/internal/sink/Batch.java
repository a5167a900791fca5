package io.spillway.internal.sink;

/**
 * What travels from the drainer to the sink: some events, in order. Written by the drainer, then
 * handed over once and never changed.
 */
public abstract class Batch {
  /** More events than this never share a batch: half the bound on duplicates after a crash. */
  public static final int MAX_EVENTS = 512;

  /**
   * An event of this size shares a batch with none: others would wait if memory is short for it.
   */
  public static final int ALONE_BYTES = 512 * 1024;

  private final Tally tally;
  private long place;

  /** Not in any place yet. */
  Batch(Tally tally) {
    this.tally = tally;
  }

  /**
   * Says where it comes, before it is handed over.
   *
   * @param before how many events had been accepted before its first
   */
  public final void place(long before) {
    place = before;
  }

  /**
   * How many events had been accepted before its first.
   *
   * @return 0 if nobody has said so
   */
  public final long place() {
    return place;
  }

  /**
   * How many events it holds.
   *
   * @return one or more
   */
  public abstract int events();

  /**
   * The heap it keeps alive, estimated.
   *
   * @return bytes
   */
  public abstract long heapBytes();

  /**
   * Levels and age of the events.
   *
   * @return null if none of them may be dropped
   */
  public final Tally tally() {
    return tally;
  }

  /**
   * Levels and age without the first events.
   *
   * @param skip how many; none or all if the batch is bytes
   * @return null if none of them may be dropped
   */
  public Tally tally(int skip) {
    return tally;
  }

  /**
   * The same events, which may be dropped from now on.
   *
   * @param tally of them
   * @return this batch with that
   */
  public abstract Batch with(Tally tally);
}
