package io.spillway.metrics;

/**
 * What a policy's compressor has done since it started, and what waits. The figures are read one
 * after the other while the compressor goes on.
 *
 * @param backlogFiles rolled files that wait to be archived, the one under way included
 * @param dueFiles those of them that {@code maxRandomDelay} does not put off
 * @param backlogBytes the length of all that wait, as far as it is known
 * @param archived files
 * @param archivedBytes their length before compression
 * @param archiveBytes and after it
 * @param failures of compressions, sweeps and deletions; each is tried again
 * @param lastArchiveNanos how long the last archive took until it was whole under its name: from
 *     its rollover if the file had been followed, else from the beginning of its compression
 * @param failing the directory of archives in which it has failed more than once in a row and still
 *     waits for the next attempt, empty if there is none
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

  /** Of an appender whose policy keeps no such figures. */
  public static final ArchiveMetrics NONE =
      new ArchiveMetrics(0, 0, 0, 0, 0, 0, 0, 0, "", Handed.NOTHING);

  /**
   * What has become of the archives that an archive listener was to be given: each is taken, owed
   * or deleted.
   *
   * @param taken archives
   * @param owed archives that are there and not taken yet, the one in hand included
   * @param refusals calls that threw
   * @param deleted archives, and rolled files, that were deleted before they were taken
   * @param failing whether the archives could not be looked for, or the list of those taken not be
   *     read or written, more than once in a row and up to now
   */
  public record Handed(long taken, long owed, long refusals, long deleted, boolean failing) {
    /** Without a listener. */
    public static final Handed NOTHING = new Handed(0, 0, 0, 0, false);
  }

  /**
   * The same with what a listener was given.
   *
   * @param listener the figures of it
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
