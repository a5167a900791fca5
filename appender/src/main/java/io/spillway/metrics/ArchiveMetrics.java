package io.spillway.metrics;

/**
 * What the compressor of a rolling policy has done since it started, and what waits for it. The
 * figures are read one after the other while the compressor goes on.
 *
 * @param backlogFiles number of rolled files that wait to be archived, including the file being
 *     archived
 * @param backlogBytes length of the files in the backlog, in bytes
 * @param archived number of files archived
 * @param archivedBytes length of the archived files before compression, in bytes
 * @param archiveBytes length of their archives, in bytes
 * @param failures number of failed compressions and deletions; each is tried again
 * @param lastArchiveNanos nanoseconds from the rollover, or the start that found the file, until
 *     the last archive was complete under its name
 * @param failing the directory of a file whose archiving failed more than once in a row and is
 *     tried again; empty if there is none
 * @param listenerTaken number of archives that the archive listener has taken
 * @param listenerOwed number of archives that exist and that the listener has not taken yet
 * @param listenerRefusals number of calls of the listener that threw; each archive is given again
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
