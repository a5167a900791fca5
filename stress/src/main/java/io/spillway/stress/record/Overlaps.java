package io.spillway.stress.record;

import java.util.Arrays;

/**
 * Counts how many intervals of time overlap, by a sweep over all starts and ends in order of time,
 * in which an end precedes a start at the same time. At its capacity it drops the older half; an
 * interval that is added long after its time may miss overlaps with dropped ones.
 */
public final class Overlaps {

  private static final int FIRST_CAPACITY = 256;
  private static final long SECOND = 1_000_000_000L;

  private final int capacity;
  private long[] starts = new long[FIRST_CAPACITY];
  private long[] ends = new long[FIRST_CAPACITY];
  private int count;
  private int counted;
  private int most;

  /** Creates a count that keeps at most the given number of intervals. */
  public Overlaps(int capacity) {
    this.capacity = capacity;
  }

  /** Adds an interval. */
  public void add(long start, long end) {
    if (count == capacity) {
      forget();
    } else if (count == starts.length) {
      starts = Arrays.copyOf(starts, count * 2);
      ends = Arrays.copyOf(ends, count * 2);
    }
    starts[count] = start;
    ends[count++] = end;
  }

  /** Returns the most intervals that overlap at one time, also among dropped ones. */
  public int most() {
    if (counted < count) {
      long[] opened = sorted(starts);
      long[] closed = sorted(ends);
      int done = 0;
      for (int begun = 0; begun < count; begun++) {
        done = firstAfter(opened[begun], closed, done, begun);
        most = Math.max(most, begun + 1 - done);
      }
      counted = count;
    }
    return most;
  }

  /** Returns, for each second, the most kept intervals that overlap at one time. */
  int[] mostBySecond(long from, int seconds) {
    long[] opened = sorted(starts);
    long[] closed = sorted(ends);
    int[] bySecond = new int[seconds];
    int begun = 0;
    int done = 0;
    for (int second = 0; second < seconds; second++) {
      long secondStart = from + second * SECOND;
      done = firstAfter(secondStart, closed, done, count);
      bySecond[second] = Math.max(0, begun - done);
      while (begun < count && opened[begun] < secondStart + SECOND) {
        done = firstAfter(opened[begun++], closed, done, count);
        bySecond[second] = Math.max(bySecond[second], begun - done);
      }
    }
    return bySecond;
  }

  private void forget() {
    most();
    int half = count / 2;
    System.arraycopy(starts, half, starts, 0, count - half);
    System.arraycopy(ends, half, ends, 0, count - half);
    count -= half;
    counted = count;
  }

  private long[] sorted(long[] times) {
    long[] copy = Arrays.copyOf(times, count);
    Arrays.sort(copy);
    return copy;
  }

  private static int firstAfter(long time, long[] closed, int from, int limit) {
    int at = from;
    while (at < limit && closed[at] <= time) {
      at++;
    }
    return at;
  }
}
