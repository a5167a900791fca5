package io.spillway.metrics;

/**
 * What the compressor of a rolling policy has done since it started, and what waits for it.
 *
 * @param backlogFiles number of rolled files that wait to be archived, including the file being
 *     archived
 * @param archived number of files archived
 * @param failures number of failed compressions and deletions; each is tried again
 * @param failing the directory of a file whose archiving failed more than once in a row and is
 *     tried again; empty if there is none
 * @param listenerOwed number of archives that exist and that the listener has not taken yet
 */
public record ArchiveMetrics(
    long backlogFiles, long archived, long failures, String failing, long listenerOwed) {

  /** The figures of an appender whose policy keeps none: all zero. */
  public static final ArchiveMetrics NONE = new ArchiveMetrics(0, 0, 0, "", 0);
}
