package io.spillway.stress.report;

import java.util.List;

/**
 * Everything that reading the files back has shown.
 *
 * @param conservation events sent against events found
 * @param prefill the prefilled lines as found
 * @param prefillIntact whether they are exactly the lines that were written before the trial
 * @param files every file found, in the order in which they were read
 */
public record ReadBackFigures(
    Conservation conservation, Prefill prefill, boolean prefillIntact, List<LeftFile> files) {

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

  /**
   * Identity of a stream of prefilled lines.
   *
   * @param lines how many
   * @param bytes their length, line ends included
   * @param crc32c checksum over all of them, in reading order
   */
  public record Prefill(long lines, long bytes, long crc32c) {}

  /**
   * One file that a trial left behind.
   *
   * @param name path relative to the log directory
   * @param bytes length on disk
   * @param read whether its lines were read back and counted
   * @param error why it could not be read to its end, or null
   */
  public record LeftFile(String name, long bytes, boolean read, String error) {}
}
