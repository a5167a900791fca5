package io.spillway.metrics;

/**
 * What a policy's compressor has done since it started, and what waits. The figures are read one
 * after the other while the compressor goes on.
 *
 * @param backlogFiles rolled files that wait to be archived, the one under way included
 * @param backlogBytes their length, as far as it is known
 * @param archived files
 * @param archivedBytes their length before compression
 * @param archiveBytes and after it
 * @param failures of compressions, sweeps and deletions; each is tried again
 * @param lastArchiveNanos how long the last archive took until it was whole under its name: from
 *     its rollover if the file had been followed, else from the beginning of its compression
 * @param failing the directory of archives in which it has failed more than once in a row and still
 *     waits for the next attempt, empty if there is none
 */
public record ArchiveMetrics(
    long backlogFiles,
    long backlogBytes,
    long archived,
    long archivedBytes,
    long archiveBytes,
    long failures,
    long lastArchiveNanos,
    String failing) {

  /** Of an appender whose policy keeps no such figures. */
  public static final ArchiveMetrics NONE = new ArchiveMetrics(0, 0, 0, 0, 0, 0, 0, "");
}
