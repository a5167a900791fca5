package io.spillway.internal.sink;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.StackTraceElementProxy;
import java.lang.reflect.Array;
import java.util.List;
import java.util.Map;
import org.slf4j.event.KeyValuePair;

/** A run of events for a nested appender. */
public final class EventBatch extends Batch {
  /** A LoggingEvent with its lists and its time, in bytes; an estimate, not measured. */
  private static final int EVENT_BYTES = 256;

  private static final int UNKNOWN_BYTES = 1024;

  /**
   * Weight in bytes of an object that may hold on to anything. The default memory buffer takes some
   * 500 of them; further events go to the spill, which keeps only their text.
   */
  private static final int UNWEIGHED_BYTES = 16 * 1024;

  private static final int CHARS_BYTES = 1024;
  private static final int SMALL_BYTES = 32;
  private static final int FRAME_BYTES = 128;
  private static final int ENTRY_BYTES = 64;
  private static final int MOST = 16; // suppressed throwables of each throwable that are weighed
  private static final int MOST_CAUSES = 1_000;

  private final ILoggingEvent[] events;
  private final int from;
  private final long heapBytes;

  /**
   * Creates a batch.
   *
   * @param events not copied
   * @param from index of the first event that counts
   * @param heapBytes the sum of their {@link #estimate}; any value if it is not used
   */
  public EventBatch(ILoggingEvent[] events, int from, long heapBytes) {
    this(events, from, heapBytes, null);
  }

  private EventBatch(ILoggingEvent[] events, int from, long heapBytes, Tally tally) {
    super(tally);
    this.events = events;
    this.from = from;
    this.heapBytes = heapBytes;
  }

  @Override
  public Batch with(Tally known) {
    return new EventBatch(events, from, heapBytes, known);
  }

  @Override
  public Tally tally(int skip) {
    return tally() == null || skip == 0 ? tally() : Tally.of(events, from + skip);
  }

  /**
   * Returns a rough estimate of the heap that an event keeps alive. Arguments and values of
   * key-value pairs that are neither text nor numbers hold an unknown amount, and count so much
   * that memory holds few of them.
   *
   * @param event prepared for deferred processing
   * @return bytes; a default for an event whose methods throw
   */
  public static long estimate(ILoggingEvent event) {
    try {
      return weigh(event);
    } catch (RuntimeException | StackOverflowError | LinkageError e) {
      return UNKNOWN_BYTES; // the event may be usable all the same; if not, its encoding fails
    }
  }

  private static long weigh(ILoggingEvent event) {
    // A thread may be named after a request, as long as the client likes.
    long bytes = EVENT_BYTES + length(event.getThreadName()) + length(event.getFormattedMessage());
    Object[] arguments = event.getArgumentArray();
    if (arguments != null) {
      for (Object argument : arguments) {
        bytes += length(argument);
      }
    }
    Map<String, String> mdc = event.getMDCPropertyMap();
    if (mdc != null && !mdc.isEmpty()) {
      for (Map.Entry<String, String> entry : mdc.entrySet()) {
        bytes += ENTRY_BYTES + length(entry.getKey()) + length(entry.getValue());
      }
    }
    List<KeyValuePair> pairs = event.getKeyValuePairs();
    if (pairs != null) {
      for (KeyValuePair pair : pairs) {
        if (pair != null) {
          bytes += ENTRY_BYTES + length(pair.key) + length(pair.value);
        }
      }
    }
    return bytes + weigh(event.getThrowableProxy());
  }

  /**
   * Returns a rough estimate of the heap that a throwable keeps alive, with its causes and the
   * throwables that each of them has suppressed.
   *
   * @param throwable of an event
   * @return bytes; a default for a throwable whose methods throw
   */
  public static long estimate(IThrowableProxy throwable) {
    try {
      return weigh(throwable);
    } catch (RuntimeException | StackOverflowError | LinkageError e) {
      return UNKNOWN_BYTES;
    }
  }

  /** Weighs causes down to a bound, since a throwable not of Logback may be its own cause. */
  private static long weigh(IThrowableProxy first) {
    long bytes = 0;
    IThrowableProxy throwable = first;
    for (int depth = 0; throwable != null && depth < MOST_CAUSES; depth++) {
      bytes += weighAlone(throwable);
      IThrowableProxy[] suppressed = throwable.getSuppressed();
      for (int i = 0; suppressed != null && i < Math.min(suppressed.length, MOST); i++) {
        bytes += weighAlone(suppressed[i]);
      }
      throwable = throwable.getCause();
    }
    return bytes;
  }

  private static long weighAlone(IThrowableProxy throwable) {
    if (throwable == null) {
      return 0;
    }
    StackTraceElementProxy[] frames = throwable.getStackTraceElementProxyArray();
    return EVENT_BYTES
        + length(throwable.getMessage())
        + (frames == null ? 0L : (long) frames.length * FRAME_BYTES);
  }

  private static long length(Object value) {
    if (value == null) {
      return 0;
    } else if (value instanceof String string) {
      return string.length();
    } else if (value instanceof Number || value instanceof Boolean || value instanceof Enum) {
      return SMALL_BYTES;
    } else if (value.getClass().isArray() && value.getClass().componentType().isPrimitive()) {
      return (long) Array.getLength(value) * Long.BYTES;
    }
    return value instanceof CharSequence || value instanceof Character
        ? CHARS_BYTES
        : UNWEIGHED_BYTES;
  }

  /**
   * Returns this batch without one event.
   *
   * @param index of the event in {@link #array()}
   * @return a batch that may be empty
   */
  public EventBatch without(int index) {
    ILoggingEvent[] rest = new ILoggingEvent[events.length - from - 1];
    System.arraycopy(events, from, rest, 0, index - from);
    System.arraycopy(events, index + 1, rest, index - from, events.length - index - 1);
    return new EventBatch(rest, 0, heapBytes, tally() == null ? null : Tally.of(rest, 0));
  }

  /**
   * Returns the array behind this batch.
   *
   * @return the array itself; the batch begins at {@link #from()}
   */
  public ILoggingEvent[] array() {
    return events;
  }

  /**
   * Returns where this batch begins in {@link #array()}.
   *
   * @return an index
   */
  public int from() {
    return from;
  }

  @Override
  public int events() {
    return events.length - from;
  }

  @Override
  public long heapBytes() {
    return heapBytes;
  }
}
