package io.spillway.internal.ring;

import ch.qos.logback.classic.spi.ILoggingEvent;
import io.spillway.internal.sink.Batch;
import io.spillway.internal.sink.EventBatch;
import java.util.Arrays;

/** Makes batches of unencoded events for a nested appender. */
public final class EventBatcher implements Batcher<ILoggingEvent> {
  /** A run of large events ends early, so that a batch is small beside the memory buffer. */
  private static final long TARGET_HEAP_BYTES = Batch.ALONE_BYTES;

  private final ILoggingEvent[] events = new ILoggingEvent[Batch.MAX_EVENTS];
  private int size;
  private long heapBytes;
  private long aloneBytes; // weight of the last event if it has a batch of its own, or 0
  private Batch alone;

  /** An empty batcher. */
  public EventBatcher() {}

  @Override
  public boolean add(ILoggingEvent event, Object[] arguments) {
    long weight = EventBatch.estimate(event); // may run code of the event; nothing is changed yet
    events[size++] = event;
    heapBytes += weight;
    aloneBytes = weight >= Batch.ALONE_BYTES ? weight : 0;
    return size < events.length && heapBytes < TARGET_HEAP_BYTES;
  }

  @Override
  public Batch take() {
    if (size == 0) {
      Batch last = alone;
      alone = null;
      return last;
    }
    int taken = size;
    long weight = heapBytes;
    size = 0;
    heapBytes = 0;
    try {
      if (aloneBytes == 0 || taken == 1) {
        return new EventBatch(Arrays.copyOf(events, taken), 0, weight);
      }
      alone = new EventBatch(new ILoggingEvent[] {events[taken - 1]}, 0, aloneBytes);
      return new EventBatch(Arrays.copyOf(events, taken - 1), 0, weight - aloneBytes);
    } finally {
      Arrays.fill(events, 0, taken, null);
    }
  }
}
