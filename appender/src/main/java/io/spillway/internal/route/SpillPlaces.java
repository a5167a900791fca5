package io.spillway.internal.route;

/**
 * Maps the count of spilled events to places among all accepted events. The spill counts only
 * events that it was given; others were lost before, or went through memory, which makes gaps.
 *
 * <p>One thread adds, any thread reads. It allocates nothing: once {@value #MOST} gaps are kept, it
 * returns too low a place behind further ones, until the events of the first are delivered.
 */
final class SpillPlaces {
  private static final int MOST = 128;

  private final long[] from = new long[MOST]; // how many events were spilled before the gap
  private final long[] further = new long[MOST]; // how much larger the places behind the gap are
  private int first;
  private int gaps; // count of gaps in the ring buffer, from first on
  private long spilled;

  /**
   * Adds a record that was appended.
   *
   * @param place place of its first event
   * @param events how many events it holds
   * @param settled how many of the events spilled before are settled
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
   * Returns the place of the oldest spilled event that waits.
   *
   * @param settled how many of the spilled events are settled
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
