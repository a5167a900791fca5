package io.spillway.stress.record;

import java.util.Arrays;
import java.util.List;

/** Sums of waiting time for each second since a start. */
public final class SecondSums {

  private static final long SECOND = 1_000_000_000L;
  private static final double NANOS = 1e9;

  private long[] nanosBySecond = new long[0];

  /**
   * Divides one wait among the seconds that it overlaps.
   *
   * @param from its start in nanoseconds since the start; a negative value counts as 0
   * @param nanos its length, 0 or more
   */
  public void add(long from, long nanos) {
    long at = Math.max(0, from);
    long rest = nanos;
    do {
      int second = Math.toIntExact(at / SECOND);
      long here = Math.min(rest, (second + 1L) * SECOND - at);
      if (second >= nanosBySecond.length) {
        nanosBySecond = Arrays.copyOf(nanosBySecond, second + 1);
      }
      nanosBySecond[second] += here;
      at += here;
      rest -= here;
    } while (rest > 0);
  }

  /** Adds all waits of other sums. */
  public void add(SecondSums other) {
    int length = Math.max(nanosBySecond.length, other.nanosBySecond.length);
    nanosBySecond = Arrays.copyOf(nanosBySecond, length);
    for (int second = 0; second < other.nanosBySecond.length; second++) {
      nanosBySecond[second] += other.nanosBySecond[second];
    }
  }

  /** Returns the seconds waited in each of the first {@code length} seconds. */
  public List<Double> seconds(int length) {
    return Arrays.stream(Arrays.copyOf(nanosBySecond, length))
        .mapToObj(nanos -> nanos / NANOS)
        .toList();
  }
}
