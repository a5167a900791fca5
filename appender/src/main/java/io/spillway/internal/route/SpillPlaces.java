package io.spillway.internal.route;

/**
 * Which place among the accepted events those in the spill have. That counts only what it was
 * given; what was lost on the way there, or went through memory, it does not know.
 *
 * <p>One thread adds, any thread asks. Needs no memory: once {@value #MOST} such gaps wait, places
 * behind more of them are told too low, until the first are delivered.
 */
final class SpillPlaces {
  private static final int MOST = 128;

  private final long[] from = new long[MOST]; // so many events spilled before
  private final long[] further = new long[MOST]; // and their places so much further on
  private int first;
  private int gaps; // from the first on, around the end
  private long spilled;

  /**
   * A record was appended.
   *
   * @param place of its first event
   * @param events that it holds
   * @param settled so many of those spilled before are
   */
  synchronized void spilled(long place, int events, long settled) {
    while (gaps > 1 && from[(first + 1) % MOST] <= settled) {
      first = (first + 1) % MOST;
      gaps--;
    }
    boolean gap = gaps == 0 || further[(first + gaps - 1) % MOST] != place - spilled;
    if (gap && gaps < MOST) {
      from[(first + gaps) % MOST] = spilled;
      further[(first + gaps) % MOST] = place - spilled;
      gaps++;
    }
    spilled += events;
  }

  /**
   * The place of the oldest that waits.
   *
   * @param settled so many of those spilled are
   * @return {@link Long#MAX_VALUE} if none waits
   */
  synchronized long oldest(long settled) {
    if (settled >= spilled) {
      return Long.MAX_VALUE;
    }
    int gap = 1;
    while (gap < gaps && from[(first + gap) % MOST] <= settled) {
      gap++;
    }
    return settled + further[(first + gap - 1) % MOST];
  }
}
