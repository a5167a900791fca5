package io.spillway.metrics;

/**
 * What the compressor of a rolling policy has done since it started, and what waits for it. The
 * figures are read one after the other while the compressor goes on.
 *
 * @param backlogFiles number of rolled files that wait to be archived, including the file being
 *     archived
 * @param dueFiles number of files in the backlog that {@code maxRandomDelay} does not put off
 * @param backlogBytes length of the files in the backlog, in bytes, as far as it is known
 * @param archived number of files archived
 * @param archivedBytes length of the archived files before compression, in bytes
 * @param archiveBytes length of their archives, in bytes
 * @param failures number of failed compressions, sweeps and deletions; each is tried again
 * @param lastArchiveNanos nanoseconds until the last archive was complete under its name: from the
 *     rollover if the file had been followed, else from the beginning of its compression
 * @param failing the directory of archives in which the compressor has failed more than once in a
 *     row and still waits for the next attempt; empty if there is none
 * @param handed what the policy's archive listener was given
 */
public record ArchiveMetrics(
    long backlogFiles,
    long dueFiles,
    long backlogBytes,
    long archived,
    long archivedBytes,
    long archiveBytes,
    long failures,
    long lastArchiveNanos,
    String failing,
    Handed handed) {

  /** The figures of an appender whose policy keeps none: all zero. */
  public static final ArchiveMetrics NONE =
      new ArchiveMetrics(0, 0, 0, 0, 0, 0, 0, 0, "", Handed.NOTHING);

  /**
   * What has become of the archives that an archive listener was to be given: each is taken, owed
   * or deleted.
   *
   * @param taken number of archives that the listener has taken
   * @param owed number of archives that exist and are not taken yet, including the archive that the
   *     listener works on
   * @param refusals number of calls of the listener that threw
   * @param deleted number of archives, and rolled files, that were deleted before they were taken
   * @param failing whether the archives could not be searched for, or the list of taken archives
   *     could not be read or written, more than once in a row and up to now
   */
  public record Handed(long taken, long owed, long refusals, long deleted, boolean failing) {
    /** The figures of an appender without an archive listener: all zero. */
    public static final Handed NOTHING = new Handed(0, 0, 0, 0, false);
  }

  /**
   * Returns these figures with those of an archive listener.
   *
   * @param listener the figures of the listener
   * @return a copy
   */
  public ArchiveMetrics with(Handed listener) {
    return new ArchiveMetrics(
        backlogFiles,
        dueFiles,
        backlogBytes,
        archived,
        archivedBytes,
        archiveBytes,
        failures,
        lastArchiveNanos,
        failing,
        listener);
  }
}
