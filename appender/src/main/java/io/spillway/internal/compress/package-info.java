/**
 * Turns rolled files into archives, in the background. Contains no patterns and no policies; a
 * policy describes its files with {@link io.spillway.internal.compress.RolledFiles} and {@link
 * io.spillway.internal.compress.ArchiveNames}.
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
 * compressor thread; ID is digits and unique. A crash leaves the files in one of the states, which
 * the next start finds by listing them, and from which it continues.
 *
 * <pre>
 *   state           files                               moved on by, to             after a crash
 *   ACTIVE          app.log                             W: a rename: ROLLED         reopened, or rolled over
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
 *   STOCK_TMP       app.1.logDIGITS.tmp                 C: renames it: RAW          the same; left by a crash of
 *                                                                                   Logback
 * </pre>
 *
 * <p>Without compression RAW is ARCHIVE. Without {@code <file>} the active file has its raw name,
 * and there is no ROLLED: W begins another file, and the previous one is RAW. Where the archives
 * are on another file system than the active file, RAW lies in {@code app.log.rolled/}, and the
 * part is written on the archives' file system. In a shift the archive moves before its raw file.
 * If a crash separates the two, the archive is recognized by its time, which is that of the raw
 * file, and the raw file is moved after it. PERIOD is an instant of the file's period in UTC.
 *
 * <p>Before each rename, C checks that the file exists and that the new name is free; before it
 * publishes an archive, also that the rolled file is the same, has the same length and is not the
 * active one.
 *
 * <p>A rolled file gets its raw name before it is compressed, because after a crash only the common
 * name of raw file and archive shows which archive to compare; the archive of another file may have
 * the same content.
 *
 * <p>W shares no lock with C. W announces a sequence once it has handed over the follower of the
 * file, and C renames only files whose sequence is announced. Without {@code <file>}, a clock step
 * can make a rolled file the active one again. Before it uses such a file, each of W and C claims
 * it in a volatile field of its own and then reads the field of the other. If C has claimed the
 * file, W waits for the time of a rename; if the claim remains, W writes on in its current file and
 * tries again a second later. A stop takes a monitor that C holds during each step of renames.
 *
 * <p>Guarantees, on a disk that keeps what it has synced:
 *
 * <ol>
 *   <li>At every instant each rolled file exists: raw, or complete in an archive that is on the
 *       disk.
 *   <li>A name without {@code .part} never shows an unfinished archive.
 *   <li>No file is overwritten: where a name is taken, the rolled file gets another. Only an
 *       archive that was cut short is replaced by the complete one, and only if no other program
 *       writes to it.
 *   <li>Files whose names do not match exactly, links and directories are left alone.
 *   <li>A raw file and an archive of the same name are compared by content. If they are equal, the
 *       raw file is deleted. If the archive is cut short, it is made again, and stays until the new
 *       one is complete, as another program may be writing it. If they differ, both stay. Without
 *       spillSync a raw file is not forced to the disk: a raw file that is the beginning of a
 *       complete archive, and not younger, was cut by a power cut and is deleted. An archive that
 *       cannot be forced to the disk is made again; its force is never repeated.
 *   <li>After a failure the rolled file stays, and the step is repeated: a name each second, a
 *       compression after 1 s, doubling up to 60 s. The other files are processed meanwhile, and
 *       health reports the failure from the second one on. A write of another program to the file
 *       is such a failure.
 * </ol>
 *
 * <p>While the active file is followed, its part grows beside it; the extra disk space is that of
 * its archive. The compressor's stream is never flushed, so the archive is as small as one made
 * after the rollover. A crash, a stop, or a replaced file costs one compression from the beginning.
 * A stop and the JVM's exit wait for current and waiting work as long as there is progress, 30
 * seconds at most; each step counts as progress, even a rename or a deletion. During this wait C
 * does not rest to keep its share of a core or after a long listing, and it delays work that is not
 * waited for.
 */
package io.spillway.internal.compress;
