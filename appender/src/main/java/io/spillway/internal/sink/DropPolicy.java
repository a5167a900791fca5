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
  /** Drops nothing. */
  public static final DropPolicy NONE = new DropPolicy(false, false, EventIndex.LEVELS, 0);

  /**
   * Whether some levels are never dropped.
   *
   * @return false if none is kept
   */
  public boolean keeps() {
    return drops && kept < EventIndex.LEVELS;
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
   * Whether events that were accepted may be dropped, so that batches need an index.
   *
   * @return false costs nothing
   */
  public boolean needsIndex() {
    return evicts() || (drops && maxAgeMillis > 0);
  }

  /**
   * What may make room.
   *
   * @return all events that are not kept
   */
  public EventIndex.Selection droppable() {
    return EventIndex.Selection.below(kept);
  }

  /**
   * What has waited too long.
   *
   * @param nowMillis the time
   * @return events that are not kept, and older than they may be
   */
  public EventIndex.Selection tooOld(long nowMillis) {
    return new EventIndex.Selection(kept, nowMillis - maxAgeMillis);
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
   * Whether an event may be dropped.
   *
   * @param event any
   * @return false if it is to be kept
   */
  public boolean isDroppable(Object event) {
    return drops && (!keeps() || EventIndex.levelOf(event) < kept);
  }
}
