/**
 * Makes archives of rolled files, in the background, and deletes old ones. A policy rolls over by a
 * rename under the lock of {@link io.spillway.internal.compress.Archives}; one compressor thread of
 * the JVM does the rest, in chunks.
 *
 * <pre>
 *   thread that writes --rename--&gt; Archives (jobs, lock)
 *                                      ^
 *   Compressor (one thread, paced) --&gt; Archiver --&gt; ArchiveJob: ArchiveFormats, ArchiveFiles
 *                                      |--&gt; Periods: earlier runs, retention
 *                                      '--&gt; ArchiveFeed --&gt; listener, on a thread of its own
 * </pre>
 *
 * <p>A rolled file is always in one of these states. W is the thread that writes the log, C the
 * compressor thread; both rename and delete under the lock.
 *
 * <pre>
 *   state         files                            moved on by, to              after a crash
 *   ACTIVE        app.log                          W: a rename: RAW             written on, or rolled over
 *   RAW           app.1.log                        C: writes the part           the same
 *   RAW, PART     app.1.log, app.1.log.gz.part     C: copies attributes,        the part is deleted: RAW
 *                                                     fsync, renames the part
 *   RAW, ARCHIVE  app.1.log, app.1.log.gz          C: fsync of the directory,   compared: equal: ARCHIVE; cut: the
 *                                                     deletes the raw file         archive is made again; else the
 *                                                                                  raw file gets another name
 *   ARCHIVE       app.1.log.gz                     W: a shift of the window     the same
 * </pre>
 *
 * <p>Without compression RAW is ARCHIVE; without {@code <file>} the active file has its raw name.
 * In a shift the archive moves before its raw file: if a crash separates the two, their equal times
 * show it. Across file systems the rename of W is a copy.
 *
 * <p>On a disk that keeps what it has synced: at every instant each rolled file exists, raw or
 * complete in an archive; a name without {@code .part} never shows an unfinished archive; a name
 * that is taken gets {@code .1}; a failed step is repeated, while other files are processed.
 */
package io.spillway.internal.compress;
