package io.spillway.internal.sink;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.spillway.internal.metrics.Counters;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Level, time and place of each event of a batch: enough to leave events out without a look at
 * them. Goes with a record in the spill as its trailer:
 *
 * <pre>
 *   0 time of the newest event (ms)
 *   8 for each event a byte, its level; then
 *     for each event an int, how much older than the newest it is (100 ms, rounded down); then
 *     of bytes only, for each event an int, where it ends
 * </pre>
 *
 * @param levels of each event, an index in {@link Counters#LEVELS}
 * @param times of each event, in milliseconds since 1970
 * @param ends of each event in the bytes of the batch; null if the batch is no bytes
 */
public record EventIndex(byte[] levels, long[] times, int[] ends) {
  /** How many levels there are, {@link Counters#LEVELS}. */
  public static final int LEVELS = Counters.LEVELS.size();

  /** The level of what has none, such as an access event. */
  private static final byte INFO = 2;

  private static final byte HIGHEST = 4;

  private static final long AGE_UNIT_MILLIS = 100;

  /**
   * The level of an event.
   *
   * @param event any; one that is no logging event counts as INFO
   * @return an index in {@link Counters#LEVELS}; the highest if that cannot be told
   */
  public static byte levelOf(Object event) {
    if (!(event instanceof ILoggingEvent logging)) {
      return INFO;
    }
    try {
      int level = logging.getLevel().toInt();
      return level < Level.DEBUG_INT
          ? 0
          : level < Level.INFO_INT
              ? 1
              : level < Level.WARN_INT ? INFO : level < Level.ERROR_INT ? 3 : HIGHEST;
    } catch (RuntimeException foreign) {
      return HIGHEST; // what cannot tell its level is no less than the others
    }
  }

  private static long timeOf(Object event) {
    try {
      if (event instanceof ILoggingEvent logging) {
        return logging.getTimeStamp();
      }
    } catch (RuntimeException foreign) {
      return System.currentTimeMillis(); // as good as any
    }
    return System.currentTimeMillis();
  }

  /** Collects what a batch will need. For one thread. */
  public static final class Builder {
    private final byte[] levels = new byte[Batch.MAX_EVENTS];
    private final long[] times = new long[Batch.MAX_EVENTS];
    private final int[] ends = new int[Batch.MAX_EVENTS];
    private int size;

    /** Empty. */
    public Builder() {}

    /**
     * Adds the next event.
     *
     * @param event whose level and time are asked for
     * @param end where its bytes end, or 0
     */
    public void add(Object event, int end) {
      levels[size] = levelOf(event);
      times[size] = timeOf(event);
      ends[size++] = end;
    }

    /**
     * Takes all that was added.
     *
     * @param bytes whether the batch is bytes
     * @return the index; the builder is empty again
     */
    public EventIndex take(boolean bytes) {
      EventIndex index =
          new EventIndex(
              Arrays.copyOf(levels, size),
              Arrays.copyOf(times, size),
              bytes ? Arrays.copyOf(ends, size) : null);
      size = 0;
      return index;
    }
  }

  /**
   * How many events it is of.
   *
   * @return as many as the batch has
   */
  public int events() {
    return levels.length;
  }

  /**
   * Of some of the events.
   *
   * @param from the first
   * @param to behind the last
   * @return as if there were no others
   */
  public EventIndex slice(int from, int to) {
    int[] part = null;
    if (ends != null) {
      part = Arrays.copyOfRange(ends, from, to);
      int begin = from == 0 ? 0 : ends[from - 1];
      for (int i = 0; i < part.length; i++) {
        part[i] -= begin;
      }
    }
    return new EventIndex(
        Arrays.copyOfRange(levels, from, to), Arrays.copyOfRange(times, from, to), part);
  }

  /**
   * Without the first events.
   *
   * @param skip how many
   * @return of the others
   */
  public EventIndex behind(int skip) {
    return skip == 0 ? this : slice(skip, levels.length);
  }

  /** Of all events but one; not of bytes. */
  EventIndex without(int event) {
    byte[] left = new byte[levels.length - 1];
    long[] leftTimes = new long[left.length];
    for (int i = 0; i < left.length; i++) {
      left[i] = levels[i < event ? i : i + 1];
      leftTimes[i] = times[i < event ? i : i + 1];
    }
    return new EventIndex(left, leftTimes, null);
  }

  /**
   * Which events are to be left out.
   *
   * @param kept those below this level
   * @param before of them, those that were logged before this time
   */
  public record Selection(int kept, long before) {
    /**
     * However old they are.
     *
     * @param kept the level
     * @return all events below it
     */
    public static Selection below(int kept) {
      return new Selection(kept, Long.MAX_VALUE);
    }
  }

  boolean isIn(Selection out, int event) {
    return levels[event] < out.kept && times[event] < out.before;
  }

  /**
   * Counts events that are to be left out.
   *
   * @param out which
   * @param to of the first events only
   * @return for each level how many
   */
  public long[] count(Selection out, int to) {
    long[] counts = new long[LEVELS];
    for (int i = 0; i < to; i++) {
      if (isIn(out, i)) {
        counts[levels[i]]++;
      }
    }
    return counts;
  }

  /** How many events stay. */
  int left(Selection out) {
    int count = 0;
    for (int i = 0; i < levels.length; i++) {
      count += isIn(out, i) ? 0 : 1;
    }
    return count;
  }

  /** Of the events that stay; those of bytes lie one behind the other then. */
  EventIndex without(Selection out) {
    int count = left(out);
    byte[] left = new byte[count];
    long[] leftTimes = new long[count];
    int[] places = ends == null ? null : new int[count];
    int size = 0;
    int length = 0;
    for (int i = 0; i < levels.length; i++) {
      if (!isIn(out, i)) {
        if (places != null) {
          length += ends[i] - begin(i);
          places[size] = length;
        }
        leftTimes[size] = times[i];
        left[size++] = levels[i];
      }
    }
    return new EventIndex(left, leftTimes, places);
  }

  int begin(int event) {
    return event == 0 ? 0 : ends[event - 1];
  }

  /**
   * How many events of all were passed when so many of those that stay were.
   *
   * @param out which do not stay
   * @param taken of the others
   * @return of all
   */
  public int passed(Selection out, int taken) {
    int left = taken;
    int at = 0;
    while (left > 0 && at < levels.length) {
      left -= isIn(out, at++) ? 0 : 1;
    }
    return at;
  }

  /**
   * The trailer.
   *
   * @return bytes
   */
  public byte[] encode() {
    ByteBuffer out = ByteBuffer.allocate(length(levels.length, ends != null));
    long newest = Long.MIN_VALUE;
    for (long time : times) {
      newest = Math.max(newest, time);
    }
    out.putLong(newest).put(levels);
    for (long time : times) {
      out.putInt((int) Math.min((newest - time) / AGE_UNIT_MILLIS, Integer.MAX_VALUE));
    }
    if (ends != null) {
      for (int end : ends) {
        out.putInt(end);
      }
    }
    return out.array();
  }

  private static int length(int events, boolean bytes) {
    return Long.BYTES + events * (1 + Integer.BYTES + (bytes ? Integer.BYTES : 0));
  }

  /**
   * Reads a trailer.
   *
   * @param trailer as it was encoded
   * @param events of the record
   * @param bytes the record's length if its payload is bytes, else -1
   * @return null if it is none of this record
   */
  public static EventIndex decode(byte[] trailer, int events, int bytes) {
    if (events <= 0 || events > Batch.MAX_EVENTS || trailer.length != length(events, bytes >= 0)) {
      return null;
    }
    ByteBuffer in = ByteBuffer.wrap(trailer);
    long newest = in.getLong();
    byte[] levels = new byte[events];
    in.get(levels);
    long[] times = new long[events];
    int[] ends = bytes < 0 ? null : new int[events];
    boolean sane = true;
    for (int i = 0; i < events; i++) {
      sane &= levels[i] >= 0 && levels[i] <= HIGHEST;
      times[i] = newest - AGE_UNIT_MILLIS * in.getInt();
    }
    for (int i = 0; ends != null && i < events; i++) {
      ends[i] = in.getInt();
      sane &= ends[i] >= (i == 0 ? 0 : ends[i - 1]);
    }
    return sane && (ends == null || ends[events - 1] == bytes)
        ? new EventIndex(levels, times, ends)
        : null;
  }
}
