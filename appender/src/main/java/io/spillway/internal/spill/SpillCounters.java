package io.spillway.internal.spill;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The figures of one spill that any thread may read.
 *
 * <p>Concurrency: {@code appendedBytes} is written by the writer only, {@code settled*} and {@code
 * leftover*} by the reader only, or by the writer while it holds the reader's monitor (settled
 * means delivered or lost); any thread reads. All are volatile: the writer decides from {@link
 * #isEmpty} whether events may go through memory again, and with a weaker {@code settledBytes} it
 * could see the count before the delivery that the count stands for, so that an event could
 * overtake an older one. {@code isEmpty} reads settled before appended: in the other order a record
 * appended and settled in between could make older waiting data look settled. The byte totals on
 * disk are changed by writer and reader, {@code syncedEvents} by syncer and reader, so they are
 * atomic.
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

  /** Sets the sequence of the first event that this run appends. Called before any thread reads. */
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

  // Each field has a single writer: a plain read of it before the volatile store is enough.

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

  /**
   * Reader: adds events of this run that are set aside: settled in the other figures, but not
   * delivered. A negative number removes them.
   */
  @SuppressWarnings("NonAtomicOperationOnVolatileField")
  void setAside(long events) {
    setAsideEvents += events;
  }

  /** Counts a record that was written to the disk. Called by one thread at a time. */
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
