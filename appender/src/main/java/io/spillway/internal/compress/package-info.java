/**
 * Turns rolled files into archives, in the background. Knows no patterns and no policies; a policy
 * tells it through {@link io.spillway.internal.compress.RolledFiles} and {@link
 * io.spillway.internal.compress.ArchiveNames} what its files are.
 *
 * <pre>
 *   writer of the log --one rename--&gt; rolled file        the directory is the queue
 *          |                               |
 *          | hints                         | list, decide, one step, list again
 *          v                               v
 *      Archiver &lt;--------------- CompressionWorker (one thread per JVM, paced)
 *         |  what is due: deletions, sweep, names, retention, compression
 *         |-- Following     the active file, while it is written (CONTINUOUS)
 *         |-- RolledJobs    raw files, the oldest first: ArchiveWriter, ArchiveComparison
 *         '-- NameWriter    each rename; the only writer of archive names
 * </pre>
 *
 * <p>A rolled file is always in one of these states. W is the thread that writes the log, C the
 * compressor's; ID is digits and unique. What a crash leaves is a state, which the next start lists
 * and goes on from.
 *
 * <pre>
 *   state           files                               moved on by, to             after a crash
 *   ACTIVE          app.log                             W: a rename: ROLLED         written on, or rolled over
 *   ROLLED          app.log.PERIOD.SEQUENCE.rolled      C: makes room, gives it     the same; in a window the
 *                                                          its raw name: RAW        next shift fills the gap
 *   RAW             app.1.log                           C: writes the part          the same
 *   RAW, PART       app.1.log, app.1.log.gz.ID.part     C: copies attributes,       the part is deleted: RAW
 *                                                          fsync, renames the part
 *   RAW, ARCHIVE    app.1.log, app.1.log.gz             C: fsync of the directory,  compared: the same: ARCHIVE,
 *                                                          renames the raw file     DONE; cut short: a part of the
 *                                                                                   RAW replaces the ARCHIVE;
 *                                                                                   RAW cut short: ARCHIVE, DONE;
 *                                                                                   different: another raw name
 *   ARCHIVE, DONE   app.1.log.gz, app.1.log.ID.delete   C: deletes the latter       the same
 *   ARCHIVE         app.1.log.gz                        C: moves it in a shift;     the same
 *                                                          drops it: DONE
 *   DONE            app.1.log.gz.ID.delete              C: deletes it               the same
 *   STOCK_TMP       app.1.logDIGITS.tmp                 C: renames it: RAW          the same; Logback's own crash
 *                                                                                   has left it
 * </pre>
 *
 * <p>Without compression RAW is ARCHIVE. Without {@code <file>} ACTIVE has its raw name, and there
 * is no ROLLED: W begins another file, and the one before is RAW. Where the archives are on another
 * file system than the active file, RAW lies in {@code app.log.rolled/}, and the part is written on
 * the other. In a shift the archive moves before its raw file; an archive that a crash has moved
 * alone is told by its time, which is that of the raw file, and that follows. PERIOD is an instant
 * of it in UTC.
 *
 * <p>Before a step that renames, C looks whether the file is still there, as long as it was, the
 * same, and not the active one, and whether the new name is free.
 *
 * <p>A rolled file gets its raw name before it is compressed, because only a raw file and an
 * archive of one name tell after a crash which archive is to be compared; that of another file may
 * have the same content.
 *
 * <p>No lock is shared with the thread that writes. It announces a sequence once it has handed over
 * who followed the file, and C renames only what is announced. A file without a name of its own
 * that a clock step makes the active one again is claimed by either side in a volatile word before
 * it looks at that of the other; W then waits for the time of a rename, and else writes on and
 * tries again a second later. A stop holds a monitor that C holds round each step of renames.
 *
 * <p>Guarantees, on a disk that keeps what it has synced:
 *
 * <ol>
 *   <li>At every instant each rolled file is there: raw, or whole in an archive that is on the
 *       disk.
 *   <li>A name without {@code .part} never shows an unfinished archive.
 *   <li>Nothing is ever overwritten: a taken name is left, the rolled file takes another. An
 *       archive that was cut short is replaced by the whole one, and only if nobody writes to it.
 *   <li>Files whose names do not match exactly, links and directories are left alone.
 *   <li>A raw file and an archive of one name are told apart by content: the same, the raw file
 *       goes; the archive cut short, it is made again, and stays until that is done, as another
 *       program may be writing it; different, both stay. Without spillSync a raw file is not
 *       forced: one that is the beginning of a whole archive, and not younger, was cut by a power
 *       cut, and goes. An archive that cannot be forced to the disk then is made again, never asked
 *       twice.
 *   <li>A failure keeps the rolled file and tries again: a name each second, a compression after 1
 *       s, doubling up to 60 s; the other files go on, and health tells from the second one on.
 *       That another program writes to the file is such a failure.
 * </ol>
 *
 * <p>While the active file is followed, its part grows beside it: the extra disk space is that of
 * its archive. The stream of the compressor is never flushed, so the archive is as small as one
 * made afterwards. A crash, a stop or a file that was replaced underneath costs one compression
 * from the beginning. A stop and the JVM's exit wait for what is under way and for what waits, as
 * long as there is progress, 30 seconds at most. Any step is progress, a rename or a deletion, too.
 * Meanwhile C rests for no share and after no long look, and puts off what nobody waits for.
 */
package io.spillway.internal.compress;
