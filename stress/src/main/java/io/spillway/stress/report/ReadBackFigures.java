package io.spillway.stress.report;

import java.util.List;

/**
 * The figures from reading back the files of a trial.
 *
 * @param prefillIntact whether the prefilled lines are exactly those written before the trial
 * @param files every file found, those that were read first
 */
public record ReadBackFigures(
    Conservation conservation, Prefill prefill, boolean prefillIntact, List<LeftFile> files) {

  /**
   * The events sent, compared with the events read back.
   *
   * @param sent log calls that returned, plus those that threw
   * @param delivered distinct events found whole
   * @param duplicated further copies of an event already read
   * @param outOfOrder events read after a later event of the same thread
   * @param torn lines that are neither a whole event nor a whole prefilled line
   * @param unknown whole events that no thread sent
   */
  public record Conservation(
      long sent,
      long delivered,
      long lost,
      long duplicated,
      long outOfOrder,
      long torn,
      long unknown) {

    /** Returns whether every event was found once, whole and in order. */
    public boolean clean() {
      return lost == 0 && undamaged();
    }

    boolean undamaged() {
      return duplicated == 0 && outOfOrder == 0 && torn == 0 && unknown == 0;
    }
  }

  /** Identity of a stream of prefilled lines: their number, length and checksum in that order. */
  public record Prefill(long lines, long bytes, long crc32c) {}

  /**
   * One file that a trial left behind.
   *
   * @param name path relative to the log directory
   * @param read whether its lines were read back and counted
   * @param error why it could not be read to its end, or null
   */
  public record LeftFile(String name, long bytes, boolean read, String error) {}
}
