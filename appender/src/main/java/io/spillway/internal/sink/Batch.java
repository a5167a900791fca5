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
   * Level, time and place of each event.
   *
   * @return null if none of them may be dropped
   */
  EventIndex index();

  /**
   * The same events, which may be dropped from now on.
   *
   * @param index of them
   * @return this batch with that
   */
  Batch with(EventIndex index);

  /**
   * Leaves out events.
   *
   * @param out which
   * @return this batch if that is none or there is no {@link #index}; null if nothing is left
   */
  default Batch without(EventIndex.Selection out) {
    EventIndex index = index();
    int count = index == null ? events() : index.left(out);
    return count == events() ? this : count == 0 ? null : only(index.without(out), out);
  }

  /**
   * Leaves out some events, but not all.
   *
   * @param rest of the others
   * @param out which
   * @return the others
   */
  Batch only(EventIndex rest, EventIndex.Selection out);
}
