package io.spillway.internal.spill;

import java.util.concurrent.atomic.AtomicLong;

/**
 * What all threads may ask for.
 *
 * <p>Concurrency: {@code appendedBytes} is written by the writer only, {@code settled*} and {@code
 * leftover*} by the reader only, or by the writer while the reader is kept out (settled: delivered
 * or lost); everybody reads. All are volatile: the writer decides from {@link #isEmpty} whether
 * memory may be used again, and were {@code settledBytes} weaker it could see it before the
 * delivery it stands for, and an event could overtake. {@code isEmpty} reads settled before
 * appended: in the other order a record appended and settled in between could make older waiting
 * data look settled. The byte totals on disk are changed by writer and reader, {@code syncedEvents}
 * by syncer and reader, so they are atomic.
 */
final class SpillCounters {

  private volatile long appendedBytes;
  private volatile long settledBytes;
  private volatile long settledSequence;
  private long runSequence;
  private volatile long leftoverBytes;
  private volatile boolean leftoversWait;
  private volatile long setAsideEvents;
  private volatile long written;

  final AtomicLong syncedEvents = new AtomicLong();
  final AtomicLong segmentBytes = new AtomicLong();
  final AtomicLong corruptBytes = new AtomicLong();

  boolean isEmpty() {
    return !leftoversWait && liveIsEmpty();
  }

  boolean liveIsEmpty() {
    long settled = settledBytes;
    return settled == appendedBytes;
  }

  /** Before any thread asks: the number of the first event that this run appends. */
  void begin(long sequence) {
    runSequence = sequence;
    settledSequence = sequence;
  }

  long settledEvents() {
    return settledSequence - runSequence;
  }

  long waitingBytes() {
    long settled = settledBytes;
    return Math.max(0, appendedBytes - settled);
  }

  long diskBytes() {
    return segmentBytes.get() + corruptBytes.get();
  }

  // Single writer each: a plain read of the own field before the volatile store is enough.

  @SuppressWarnings("NonAtomicOperationOnVolatileField")
  void appended(long bytes) {
    appendedBytes += bytes;
  }

  @SuppressWarnings("NonAtomicOperationOnVolatileField")
  void settled(long bytes, long sequence) {
    settledSequence = sequence;
    settledBytes += bytes;
  }

  @SuppressWarnings("NonAtomicOperationOnVolatileField")
  void leftoversSettled(long bytes) {
    leftoverBytes -= bytes;
  }

  void leftovers(long bytes, boolean wait) {
    leftoverBytes = bytes;
    leftoversWait = wait;
  }

  /** Reader: events of this run, settled as far as the others are concerned, but not delivered. */
  @SuppressWarnings("NonAtomicOperationOnVolatileField")
  void setAside(long events) {
    setAsideEvents += events;
  }

  /** Whoever writes records, one thread at a time: the disk has taken one. */
  @SuppressWarnings("NonAtomicOperationOnVolatileField")
  void written() {
    written++;
  }

  long writtenRecords() {
    return written;
  }

  long setAsideEvents() {
    return setAsideEvents;
  }

  long leftoverBytes() {
    return leftoverBytes;
  }
}
