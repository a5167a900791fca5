package io.spillway.metrics;

/**
 * What the compressor of a rolling policy has done since it started, and what waits for it.
 *
 * @param backlogFiles number of rolled files that wait to be archived, including the one at work
 * @param backlogBytes their length in bytes
 * @param archived number of files archived
 * @param archivedBytes length of the archived files before compression, in bytes
 * @param archiveBytes length of their archives, in bytes
 * @param failures number of failed compressions; each is tried again
 * @param lastArchiveNanos how long the last archive took, from the beginning of its compression
 *     until it had its name
 * @param failing directory of the archives that have failed more than once in a row; empty if there
 *     is none
 * @param listenerTaken number of archives that the archive listener has taken
 * @param listenerOwed number of archives that it has not taken yet
 * @param listenerRefusals number of its calls that threw
 */
public record ArchiveMetrics(
    long backlogFiles,
    long backlogBytes,
    long archived,
    long archivedBytes,
    long archiveBytes,
    long failures,
    long lastArchiveNanos,
    String failing,
    long listenerTaken,
    long listenerOwed,
    long listenerRefusals) {

  /** The figures of an appender whose policy keeps none: all zero. */
  public static final ArchiveMetrics NONE = new ArchiveMetrics(0, 0, 0, 0, 0, 0, 0, "", 0, 0, 0);
}
