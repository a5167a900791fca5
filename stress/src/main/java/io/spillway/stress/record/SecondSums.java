package io.spillway.stress.record;

import java.util.Arrays;
import java.util.List;

/** Waiting time by second since a start. */
public final class SecondSums {

  private static final long SECOND = 1_000_000_000L;
  private static final double NANOS = 1e9;

  private long[] nanosBySecond = new long[0];

  /** None yet. */
  public SecondSums() {}

  /** So far the same as the other. */
  public SecondSums(SecondSums other) {
    nanosBySecond = other.nanosBySecond.clone();
  }

  /**
   * Shares one wait among the seconds it touches.
   *
   * @param from nanoseconds since the start; before it counts as at it
   * @param nanos how long; may be 0
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

  /** Adds all of another's. */
  public void add(SecondSums other) {
    int length = Math.max(nanosBySecond.length, other.nanosBySecond.length);
    nanosBySecond = Arrays.copyOf(nanosBySecond, length);
    for (int second = 0; second < other.nanosBySecond.length; second++) {
      nanosBySecond[second] += other.nanosBySecond[second];
    }
  }

  /** How many seconds there are up to the last that any wait touched. */
  public int length() {
    return nanosBySecond.length;
  }

  /** Seconds waited, by second. */
  public List<Double> seconds() {
    return Arrays.stream(nanosBySecond).mapToObj(nanos -> nanos / NANOS).toList();
  }
}
