package io.spillway.internal.sink;

/**
 * Some events, in order, that travel from the drainer to the sink. Written by the drainer, then
 * handed over once and not changed any more.
 */
public abstract class Batch {
  /** The largest number of events in a batch: half the bound on duplicates after a crash. */
  public static final int MAX_EVENTS = 512;

  /**
   * The size in bytes from which an event has a batch of its own. Other events in its batch would
   * wait with it while memory is short for it.
   */
  public static final int ALONE_BYTES = 512 * 1024;

  private final Tally tally;
  private long place;

  /** Creates a batch without a place. */
  Batch(Tally tally) {
    this.tally = tally;
  }

  /**
   * Sets the place of the batch, before it is handed over.
   *
   * @param before how many events had been accepted before the first of this batch
   */
  public final void place(long before) {
    place = before;
  }

  /**
   * Returns how many events had been accepted before the first of this batch.
   *
   * @return the place, or 0 if it was not set
   */
  public final long place() {
    return place;
  }

  /**
   * Returns the number of events.
   *
   * @return one or more; 0 if {@link EventBatch#without} has left none
   */
  public abstract int events();

  /**
   * Returns the estimated heap that this batch keeps alive.
   *
   * @return bytes
   */
  public abstract long heapBytes();

  /**
   * Returns levels and age of the events.
   *
   * @return null if none of them may be dropped
   */
  public final Tally tally() {
    return tally;
  }

  /**
   * Returns levels and age of the events behind the first ones.
   *
   * @param skip how many events to leave out; none or all of a batch of bytes
   * @return null if none of them may be dropped
   */
  public Tally tally(int skip) {
    return tally;
  }

  /**
   * Returns a batch of the same events, which may be dropped from now on.
   *
   * @param tally levels and age of the events
   * @return this batch with the tally
   */
  public abstract Batch with(Tally tally);
}
