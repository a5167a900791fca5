package io.spillway.stress.report;

/**
 * What was sent against what was read back.
 *
 * @param sent log calls that returned, plus those that threw
 * @param delivered distinct events found whole
 * @param lost sent, but nowhere in the files
 * @param duplicated further copies of an event already read
 * @param outOfOrder events read after a later event of the same thread
 * @param torn lines that are neither a whole event nor a whole prefilled line
 * @param unknown whole events that nobody sent
 * @param firstTorn the beginning of the first torn line, or null
 */
public record Conservation(
    long sent,
    long delivered,
    long lost,
    long duplicated,
    long outOfOrder,
    long torn,
    long unknown,
    String firstTorn) {

  /** Whether every event came back once, whole and in order. */
  public boolean clean() {
    return lost == 0 && duplicated == 0 && outOfOrder == 0 && torn == 0 && unknown == 0;
  }
}
