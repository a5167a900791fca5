package io.spillway.internal.sink;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.spillway.internal.metrics.Counters;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Levels and age of a batch's events: what {@link DropPolicy} asks of it. In the spill it lies
 * behind the payload of a record:
 *
 * <pre>
 *   0 time of the newest event (ms)  8 for each level, from the lowest, how many events (short)
 * </pre>
 *
 * @param newestMillis when the newest of the events was logged
 * @param levels how many events there are of each of {@link Counters#LEVELS}
 */
public record Tally(long newestMillis, int[] levels) {
  /** How many levels there are. */
  public static final int LEVELS = Counters.LEVELS.size();

  /** How many bytes it has in the spill. */
  public static final int BYTES = Long.BYTES + LEVELS * Short.BYTES;

  /** Events of one batch are at most so far apart, if age matters. */
  private static final long SPREAD_MILLIS = 100;

  private static final int INFO = 2; // of what has no level, such as an access event
  private static final int HIGHEST = 4;

  /** Where each but the lowest begins. */
  private static final int[] FROM = {
    Level.DEBUG_INT, Level.INFO_INT, Level.WARN_INT, Level.ERROR_INT
  };

  /**
   * The level of an event.
   *
   * @param event any; one that is no logging event counts as INFO
   * @return an index in {@link Counters#LEVELS}; the highest if that cannot be told
   */
  public static int levelOf(Object event) {
    if (!(event instanceof ILoggingEvent logging)) {
      return INFO;
    }
    try {
      int level = logging.getLevel().toInt();
      int index = 0;
      while (index < HIGHEST && level >= FROM[index]) {
        index++;
      }
      return index;
    } catch (Throwable foreign) {
      return HIGHEST; // what cannot tell its level is no less than the others
    }
  }

  private static long timeOf(Object event) {
    try {
      if (event instanceof ILoggingEvent logging) {
        return logging.getTimeStamp();
      }
    } catch (Throwable foreign) {
      return System.currentTimeMillis(); // as good as any
    }
    return System.currentTimeMillis();
  }

  /**
   * Of events in memory.
   *
   * @param events behind a batch
   * @param from the first that counts
   * @return their tally
   */
  static Tally of(ILoggingEvent[] events, int from) {
    int[] levels = new int[LEVELS];
    long newest = Long.MIN_VALUE;
    for (int i = from; i < events.length; i++) {
      levels[levelOf(events[i])]++;
      newest = Math.max(newest, timeOf(events[i]));
    }
    return new Tally(newest, levels);
  }

  /**
   * Of one event.
   *
   * @param event any
   * @return its tally
   */
  public static Tally of(Object event) {
    int[] levels = new int[LEVELS];
    levels[levelOf(event)]++;
    return new Tally(timeOf(event), levels);
  }

  /**
   * Counts the events of a batch as it is made, and says where it has to end. For one thread.
   *
   * <p>A batch is dropped as a whole. So events that are kept share none with others, and if age
   * matters, neither do events that are far apart.
   */
  public static final class Counter {
    private final DropPolicy policy;
    private int[] levels = new int[LEVELS];
    private int events;
    private boolean kept; // all of them
    private long firstMillis;
    private long newestMillis;
    private int last; // level of the event added last
    private int level; // of the event looked at last
    private long millis;

    /**
     * Empty.
     *
     * @param policy decides what belongs together
     */
    public Counter(DropPolicy policy) {
      this.policy = policy;
    }

    /**
     * Looks at the next event.
     *
     * @param event any
     * @return false if it does not belong with those before
     */
    public boolean isOneOf(Object event) {
      level = levelOf(event);
      millis = timeOf(event);
      return events == 0
          || (kept == policy.isKept(level)
              && (policy.maxAgeMillis() == 0 || Math.abs(millis - firstMillis) <= SPREAD_MILLIS));
    }

    /** Counts the event looked at last. */
    public void add() {
      if (events++ == 0) {
        kept = policy.isKept(level);
        firstMillis = millis;
        newestMillis = millis;
      }
      newestMillis = Math.max(newestMillis, millis);
      last = level;
      levels[last]++;
    }

    /**
     * Takes what was counted.
     *
     * @param batch of all events, or of all but the last one, which is alone in the next
     * @return the batch with its tally
     */
    public Batch take(Batch batch) {
      int[] own = levels;
      levels = new int[LEVELS];
      if (batch.events() < events) {
        own[last]--;
        levels[last]++;
      }
      events -= batch.events();
      return batch.with(new Tally(newestMillis, own));
    }
  }

  /**
   * Adds the events of each level.
   *
   * @param sums of each level
   */
  public void addTo(int[] sums) {
    for (int i = 0; i < LEVELS; i++) {
      sums[i] += levels[i];
    }
  }

  /**
   * Puts this behind a payload.
   *
   * @param payload an array that holds it
   * @param length of it, from the beginning of the array
   * @return a copy with this behind it
   */
  public byte[] behind(byte[] payload, int length) {
    byte[] both = Arrays.copyOf(payload, length + BYTES);
    Arrays.fill(both, length, both.length, (byte) 0);
    ByteBuffer out = ByteBuffer.wrap(both, length, BYTES).putLong(newestMillis);
    for (int count : levels) {
      out.putShort((short) count);
    }
    return both;
  }

  /**
   * Reads what lies behind a payload.
   *
   * @param payload with the tally behind it
   * @param events of the record
   * @return null if that is none of so many events
   */
  public static Tally read(byte[] payload, int events) {
    if (payload.length < BYTES) {
      return null;
    }
    ByteBuffer in = ByteBuffer.wrap(payload, payload.length - BYTES, BYTES);
    long newest = in.getLong();
    int[] levels = new int[LEVELS];
    int sum = 0;
    for (int i = 0; i < LEVELS; i++) {
      levels[i] = Short.toUnsignedInt(in.getShort());
      sum += levels[i];
    }
    return sum == events ? new Tally(newest, levels) : null;
  }
}
