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
}
