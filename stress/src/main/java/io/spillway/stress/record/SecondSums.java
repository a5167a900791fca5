package io.spillway.stress.record;

import java.util.Arrays;
import java.util.List;

/** Sums of waiting time for each second since a start. */
public final class SecondSums {

  private static final long SECOND = 1_000_000_000L;
  private static final double NANOS = 1e9;

  private long[] nanosBySecond = new long[0];
  private int[] waitersBySecond = new int[0]; // of the sums that were added

  /** Divides a wait, from a time since the start on, among the seconds that it overlaps. */
  public void add(long from, long nanos) {
    long start = Math.max(0, from);
    long end = start + nanos;
    grow(Math.toIntExact(end / SECOND) + 1);
    for (long at = start; at < end; at = (at / SECOND + 1) * SECOND) {
      nanosBySecond[(int) (at / SECOND)] += Math.min(end, (at / SECOND + 1) * SECOND) - at;
    }
  }

  /** Adds all waits of other sums. */
  public void add(SecondSums other) {
    grow(other.nanosBySecond.length);
    for (int second = 0; second < other.nanosBySecond.length; second++) {
      nanosBySecond[second] += other.nanosBySecond[second];
      waitersBySecond[second] += other.nanosBySecond[second] > 0 ? 1 : 0;
    }
  }

  private void grow(int length) {
    int seconds = Math.max(length, nanosBySecond.length);
    nanosBySecond = Arrays.copyOf(nanosBySecond, seconds);
    waitersBySecond = Arrays.copyOf(waitersBySecond, seconds);
  }

  /** Returns the seconds waited in each of the first {@code length} seconds. */
  public List<Double> seconds(int length) {
    return Arrays.stream(Arrays.copyOf(nanosBySecond, length))
        .mapToObj(nanos -> nanos / NANOS)
        .toList();
  }

  /** Returns how many of the sums that were added have a wait in each of these seconds. */
  public List<Integer> waiters(int length) {
    return Arrays.stream(Arrays.copyOf(waitersBySecond, length)).boxed().toList();
  }
}
