package io.spillway.internal.sink;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.spillway.internal.metrics.Counters;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Levels and age of the events of a batch, which {@link DropPolicy} needs. In the spill a tally
 * lies behind the payload of a record:
 *
 * <pre>
 *   0 time of the newest event (ms)  8 for each level, from the lowest, how many events (short)
 * </pre>
 *
 * @param newestMillis when the newest of the events was logged
 * @param levels how many events there are of each of {@link Counters#LEVELS}
 */
public record Tally(long newestMillis, int[] levels) {
  /** The number of levels. */
  public static final int LEVELS = Counters.LEVELS.size();

  /** The size of a tally in the spill, in bytes. */
  public static final int BYTES = Long.BYTES + LEVELS * Short.BYTES;

  /** Most milliseconds from the first event of a batch to any other, if age matters. */
  private static final long SPREAD_MILLIS = 100;

  private static final int INFO = 2; // of an event without a level, such as an access event
  private static final int HIGHEST = 4;

  /** Where each level but the lowest begins. */
  private static final int[] FROM = {
    Level.DEBUG_INT, Level.INFO_INT, Level.WARN_INT, Level.ERROR_INT
  };

  /**
   * Returns the level of an event.
   *
   * @param event any object; one that is no logging event counts as INFO
   * @return an index in {@link Counters#LEVELS}; the highest if the level cannot be read
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
      return HIGHEST; // kept if any level is, as its level is unknown
    }
  }

  private static long timeOf(Object event) {
    try {
      if (event instanceof ILoggingEvent logging) {
        return logging.getTimeStamp();
      }
    } catch (Throwable foreign) {
      return System.currentTimeMillis(); // an unknown time counts as now
    }
    return System.currentTimeMillis();
  }

  /**
   * Returns the tally of events in memory.
   *
   * @param events behind a batch
   * @param from index of the first event that counts
   * @return levels and age of the events
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
   * Returns the tally of one event.
   *
   * @param event any object
   * @return level and age of the event
   */
  public static Tally of(Object event) {
    int[] levels = new int[LEVELS];
    levels[levelOf(event)]++;
    return new Tally(timeOf(event), levels);
  }

  /**
   * Counts the events of a batch while it is made, and decides where it ends. Not thread-safe.
   *
   * <p>A batch is dropped as a whole. So events that are kept share no batch with others, and if
   * age matters, neither do events that are far apart in time.
   */
  public static final class Counter {
    private final DropPolicy policy;
    private int[] levels = new int[LEVELS];
    private int events;
    private boolean kept; // whether all of the counted events are kept
    private long firstMillis;
    private long newestMillis;
    private int last; // level of the event added last
    private int level; // of the event checked last
    private long millis;

    /**
     * Creates an empty counter.
     *
     * @param policy decides what belongs together
     */
    public Counter(DropPolicy policy) {
      this.policy = policy;
    }

    /**
     * Checks the next event.
     *
     * @param event any object
     * @return false if it does not belong in a batch with the events before
     */
    public boolean isOneOf(Object event) {
      level = levelOf(event);
      millis = timeOf(event);
      return events == 0
          || (kept == policy.isKept(level)
              && (policy.maxAgeMillis() == 0 || Math.abs(millis - firstMillis) <= SPREAD_MILLIS));
    }

    /** Counts the event that was checked last. */
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
     * Takes the tally of the counted events.
     *
     * @param batch of all counted events, or of all but the last, which is alone in the next batch
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
   * Adds the number of events of each level to sums.
   *
   * @param sums of each level
   */
  public void addTo(int[] sums) {
    for (int i = 0; i < LEVELS; i++) {
      sums[i] += levels[i];
    }
  }

  /**
   * Appends this tally to a payload.
   *
   * @param payload an array that begins with the payload
   * @param length of the payload, in bytes
   * @return a copy of the payload with the tally behind it
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
   * Reads the tally behind a payload.
   *
   * @param payload with the tally behind it
   * @param events number of events in the record
   * @return null if the payload ends with no tally of that number of events
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
