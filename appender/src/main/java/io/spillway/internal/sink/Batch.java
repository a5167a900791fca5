package io.spillway.internal.sink;

/**
 * What travels from the drainer to the sink: some events, in order. Written by the drainer, then
 * handed over once and never changed.
 */
public interface Batch {
  /** More events than this never share a batch: half the bound on duplicates after a crash. */
  int MAX_EVENTS = 512;

  /**
   * An event of this size shares a batch with none: others would wait if memory is short for it.
   */
  int ALONE_BYTES = 512 * 1024;

  /**
   * How many events it holds.
   *
   * @return one or more
   */
  int events();

  /**
   * The heap it keeps alive, estimated.
   *
   * @return bytes
   */
  long heapBytes();

  /**
   * Levels and age of the events.
   *
   * @return null if none of them may be dropped
   */
  Tally tally();

  /**
   * Levels and age without the first events.
   *
   * @param skip how many; none or all if the batch is bytes
   * @return null if none of them may be dropped
   */
  default Tally tally(int skip) {
    return tally();
  }

  /**
   * The same events, which may be dropped from now on.
   *
   * @param tally of them
   * @return this batch with that
   */
  Batch with(Tally tally);
}
