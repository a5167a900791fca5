package io.spillway.internal.ring;

import ch.qos.logback.classic.spi.ILoggingEvent;
import io.spillway.internal.sink.Batch;
import io.spillway.internal.sink.EventBatch;
import java.util.Arrays;

/** Batches of events as they are, for a nested appender. */
public final class EventBatcher implements Batcher<ILoggingEvent> {
  /** A run of huge events ends early, so that one batch stays small beside the memory buffer. */
  private static final long TARGET_HEAP_BYTES = 512 * 1024;

  private final ILoggingEvent[] events = new ILoggingEvent[Batch.MAX_EVENTS];
  private int size;
  private long heapBytes;

  /** An empty batcher. */
  public EventBatcher() {}

  @Override
  public boolean add(ILoggingEvent event) {
    long weight = EventBatch.estimate(event); // may run code of the event: nothing is changed yet
    events[size++] = event;
    heapBytes += weight;
    return size < events.length && heapBytes < TARGET_HEAP_BYTES;
  }

  @Override
  public Batch take() {
    if (size == 0) {
      return null;
    }
    int taken = size;
    long weight = heapBytes;
    size = 0;
    heapBytes = 0;
    try {
      return new EventBatch(Arrays.copyOf(events, taken), 0, weight);
    } finally {
      Arrays.fill(events, 0, taken, null);
    }
  }
}
