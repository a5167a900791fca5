package io.spillway.stress.watch;

import java.util.Arrays;

/**
 * The most waits at the same moment. Keeps their starts and ends, up to a bound; beyond it the
 * oldest half is forgotten, so that a wait that is told of much later may be missed there.
 */
final class Concurrency {

  private static final int FIRST_CAPACITY = 256;
  private static final int CAPACITY = 1 << 18;

  private long[] starts = new long[FIRST_CAPACITY];
  private long[] ends = new long[FIRST_CAPACITY];
  private int count;
  private int counted;
  private int most;

  void add(long start, long end) {
    if (count == CAPACITY) {
      forget();
    } else if (count == starts.length) {
      starts = Arrays.copyOf(starts, count * 2);
      ends = Arrays.copyOf(ends, count * 2);
    }
    starts[count] = start;
    ends[count++] = end;
  }

  /** Sweeps over all starts and ends in the order of time; an end comes before a start. */
  int most() {
    if (counted == count) {
      return most;
    }
    long[] opened = Arrays.copyOf(starts, count);
    long[] closed = Arrays.copyOf(ends, count);
    Arrays.sort(opened);
    Arrays.sort(closed);
    int done = 0;
    for (int i = 0; i < count; i++) {
      while (closed[done] <= opened[i] && done < i) {
        done++;
      }
      most = Math.max(most, i + 1 - done);
    }
    counted = count;
    return most;
  }

  private void forget() {
    most();
    int half = count / 2;
    System.arraycopy(starts, half, starts, 0, count - half);
    System.arraycopy(ends, half, ends, 0, count - half);
    count -= half;
    counted = count;
  }
}
