package io.spillway.stress.bench;

import ch.qos.logback.core.rolling.LengthCounter;
import io.spillway.rolling.SizeBasedTriggeringPolicy;
import java.io.File;
import org.HdrHistogram.Histogram;

/**
 * Triggers by size and records the time from each trigger to the end of the first write into the
 * new file, when the appender adds that write to Logback's length counter. Used by the writer's
 * thread only.
 *
 * @param <E> the type of event
 */
public final class TimedSizePolicy<E> extends SizeBasedTriggeringPolicy<E> {
  private static final Histogram ROLLOVERS = new Histogram(3);

  private final LengthCounter counter = new Timed();
  private long triggeredNanos;

  /** Created by Logback. */
  public TimedSizePolicy() {}

  /** Returns the recorded times in nanoseconds; complete once the appender has stopped. */
  static Histogram rollovers() {
    return ROLLOVERS;
  }

  @Override
  public boolean isTriggeringEvent(File activeFile, E event) {
    boolean triggering = super.isTriggeringEvent(activeFile, event);
    if (triggering) {
      triggeredNanos = System.nanoTime();
    }
    return triggering;
  }

  @Override
  public LengthCounter getLengthCounter() {
    return counter;
  }

  private final class Timed implements LengthCounter {
    @Override
    public void add(long bytes) {
      if (triggeredNanos != 0) {
        ROLLOVERS.recordValue(System.nanoTime() - triggeredNanos);
        triggeredNanos = 0;
      }
    }

    @Override
    public long getLength() {
      return 0; // the triggering policy takes the length from the file
    }

    @Override
    public void reset() {
      // no length is kept
    }
  }
}
