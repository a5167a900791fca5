package io.spillway.internal.sink;

/**
 * Which events may be dropped for room or for their age.
 *
 * @param drops whether events are dropped at all; if false, log calls wait
 * @param oldest whether waiting events make room for new ones
 * @param kept the lowest level that is never dropped, an index in {@code Counters.LEVELS}; the
 *     number of levels if none is kept
 * @param maxAgeMillis age in milliseconds from which waiting events are dropped; 0 for no limit
 */
public record DropPolicy(boolean drops, boolean oldest, int kept, long maxAgeMillis) {
  /**
   * Returns whether some levels are never dropped.
   *
   * @return false if no level is kept
   */
  public boolean keeps() {
    return drops && kept < Tally.LEVELS;
  }

  /**
   * Returns whether accepted events may have to make room.
   *
   * @return true if they make room for new events, or for events that are kept
   */
  public boolean evicts() {
    return drops && (oldest || keeps());
  }

  /**
   * Returns whether accepted events may be dropped, so that batches need a {@link Tally}.
   *
   * @return false if no tallies are needed
   */
  public boolean tallies() {
    return evicts() || (drops && maxAgeMillis > 0);
  }

  /**
   * Returns how many slots of the ring are reserved for events that are kept.
   *
   * @param slots of the ring
   * @return an eighth of the slots; 0 if no level is kept
   */
  public int reserve(int slots) {
    return keeps() ? slots / 8 : 0;
  }

  /**
   * Returns whether events of a level are never dropped.
   *
   * @param level an index in {@code Counters.LEVELS}
   * @return false if they may be dropped
   */
  public boolean isKept(int level) {
    return level >= kept;
  }

  /**
   * Returns whether an event may be dropped.
   *
   * @param event any object
   * @return false if it is to be kept
   */
  public boolean isDroppable(Object event) {
    return drops && (!keeps() || !isKept(Tally.levelOf(event)));
  }

  /**
   * Returns whether a batch may be dropped.
   *
   * @param tally of the batch; null if it has none
   * @return false if it has no tally, or one of its events is to be kept
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
   * Returns whether a batch has waited too long.
   *
   * @param tally of the batch; null if it has none
   * @return true if the batch is to be dropped
   */
  public boolean isTooOld(Tally tally) {
    return maxAgeMillis > 0
        && isDroppable(tally)
        && tally.newestMillis() < System.currentTimeMillis() - maxAgeMillis;
  }
}
