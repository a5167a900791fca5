package io.spillway.internal.sink;

/**
 * Which events may be dropped for room or for their age.
 *
 * @param drops whether events are dropped at all; else log calls wait
 * @param oldest whether those that wait make room for new ones
 * @param kept the lowest level that is never dropped, an index in {@code Counters.LEVELS}; their
 *     number if all may be
 * @param maxAgeMillis what waited longer is dropped; 0 for no limit
 */
public record DropPolicy(boolean drops, boolean oldest, int kept, long maxAgeMillis) {
  /**
   * Whether some levels are never dropped.
   *
   * @return false if none is kept
   */
  public boolean keeps() {
    return drops && kept < Tally.LEVELS;
  }

  /**
   * Whether events that were accepted may have to make room.
   *
   * @return for new ones, or for those that are kept
   */
  public boolean evicts() {
    return drops && (oldest || keeps());
  }

  /**
   * Whether events that were accepted may be dropped, so that batches need a {@link Tally}.
   *
   * @return false costs nothing
   */
  public boolean tallies() {
    return evicts() || (drops && maxAgeMillis > 0);
  }

  /**
   * Room in the ring for events that are kept: others find none there.
   *
   * @param slots of the ring
   * @return some of them; 0 if no level is kept
   */
  public int reserve(int slots) {
    return keeps() ? slots / 8 : 0;
  }

  /**
   * Whether events of a level are never dropped.
   *
   * @param level an index in {@code Counters.LEVELS}
   * @return false if they may be
   */
  public boolean isKept(int level) {
    return level >= kept;
  }

  /**
   * Whether an event may be dropped.
   *
   * @param event any
   * @return false if it is to be kept
   */
  public boolean isDroppable(Object event) {
    return drops && (!keeps() || !isKept(Tally.levelOf(event)));
  }

  /**
   * Whether a batch may be dropped.
   *
   * @param tally of the batch; null if nothing is known of it
   * @return false if one of its events is to be kept
   */
  public boolean isDroppable(Tally tally) {
    if (!drops || tally == null) {
      return false;
    }
    for (int level = kept; level < Tally.LEVELS; level++) {
      if (tally.levels()[level] > 0) {
        return false;
      }
    }
    return true;
  }

  /**
   * Whether a batch has waited too long.
   *
   * @param tally of the batch; null if nothing is known of it
   * @return true if it is to be dropped
   */
  public boolean isTooOld(Tally tally) {
    return maxAgeMillis > 0
        && isDroppable(tally)
        && tally.newestMillis() < System.currentTimeMillis() - maxAgeMillis;
  }
}
