package io.spillway.internal.sink;

import java.util.Arrays;

/**
 * The run of events that is on its way to the sink: objects for a nested appender, or one chunk of
 * bytes for the own log file. A pipeline has two, which are filled again for each run: the flight,
 * and what the spiller looks at.
 *
 * <p>Concurrency: the flight is filled by the deliverer, and read by the spiller under the lock
 * {@code order}. {@code done} is written by the deliverer, also without the lock: a fenced
 * deliverer publishes {@code done}, then reads {@code fenced}, and the thread that fences reads
 * {@code done} afterwards, so at most one event is taken unseen.
 */
public final class Batch {
  /** The largest number of events in a batch: half of the bound on duplicates after a crash. */
  public static final int MAX_EVENTS = 512;

  /** The size from which on no further event joins a chunk; one larger event is a chunk alone. */
  public static final int MAX_BYTES = 64 << 10;

  private final byte[] buffer; // null for events
  private final Object[] events; // null for bytes
  private byte[] bytes;
  private int length;
  private int count;
  private boolean leftover; // an earlier run had accepted the events
  private boolean lossy; // an event is lost: no caller is acknowledged
  private volatile int done;
  private volatile boolean fenced;

  private Batch(boolean ofBytes) {
    buffer = ofBytes ? new byte[2 * MAX_BYTES] : null;
    events = ofBytes ? null : new Object[MAX_EVENTS];
    bytes = buffer;
  }

  public static Batch ofBytes() {
    return new Batch(true);
  }

  public static Batch ofEvents() {
    return new Batch(false);
  }

  /** Adds an event; returns false if the batch is full. An empty batch takes any event. */
  public boolean add(Object event, int weight) {
    if (count == MAX_EVENTS || (buffer == null && length >= MAX_BYTES)) {
      return false;
    }
    if (buffer != null) {
      if (!addBytes((byte[]) event)) {
        return false;
      }
    } else {
      events[count] = event;
      length = (int) Math.min((long) length + weight, MAX_BYTES);
    }
    count++;
    return true;
  }

  private boolean addBytes(byte[] more) {
    if (length >= MAX_BYTES || more.length > buffer.length - length) {
      if (count > 0) {
        return false;
      }
      bytes = more; // too large for the buffer
    } else {
      System.arraycopy(more, 0, buffer, length, more.length);
    }
    length += more.length;
    return true;
  }

  /** Fills the batch with a record of the spill, whose bytes stay unchanged while in flight. */
  public void fill(
      byte[] record, int size, Object[] decoded, int number, int delivered, boolean earlierRun) {
    clear();
    if (buffer == null) {
      System.arraycopy(decoded, 0, events, 0, number);
    } else {
      bytes = record;
      length = size;
    }
    count = number;
    leftover = earlierRun;
    done = delivered;
  }

  public void clear() {
    if (events != null) {
      Arrays.fill(events, 0, count, null);
    }
    bytes = buffer;
    length = 0;
    count = 0;
    leftover = false;
    lossy = false;
    done = 0;
  }

  public Object[] events() {
    return events;
  }

  public byte[] bytes() {
    return bytes;
  }

  /** Returns the length of the chunk, or the estimated bytes of the events, which have a limit. */
  public int length() {
    return length;
  }

  public int count() {
    return count;
  }

  public boolean leftover() {
    return leftover;
  }

  /** Returns how many events need no delivery any more; only the sink lets it grow. */
  public int done() {
    return done;
  }

  public void done(int events) {
    done = events;
  }

  public boolean isFenced() {
    return fenced;
  }

  public void fence() {
    fenced = true;
  }

  public void lossy() {
    lossy = true;
  }

  public boolean isLossy() {
    return lossy;
  }
}
