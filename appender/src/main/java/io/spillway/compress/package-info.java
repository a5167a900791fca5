/**
 * Turns rolled files into archives, behind everybody's back. Knows no patterns and no policies; a
 * policy tells it through {@link io.spillway.compress.RolledFiles} and {@link
 * io.spillway.compress.ArchiveNames} what its files are.
 *
 * <pre>
 *   writer of the log --rename--&gt; raw file          the directory is the queue
 *          |                          |
 *          | hints                    | next
 *          v                          v
 *      Archiver ----------&gt; CompressionWorker (one thread per JVM, paced)
 *                             |  Housekeeper     sweep, deletions, retention
 *                             |  FollowedJobs    the active file, while it is written (CONTINUOUS)
 *                             |  RolledJobs      raw files, the oldest first
 *                             v
 *                        ArchiveWriter --.part--&gt; Publisher --&gt; archive
 * </pre>
 *
 * <p>How an archive comes to its name (L: under the policy's lock, which holds renames, looks and
 * openings only):
 *
 * <pre>
 *   1   write ARCHIVE.ID.part; give it the raw file's permissions and time; fsync; close
 *   2 L the raw file is still there, as long as it was, the same file, not the active one; its
 *       archive's name, wherever it was moved meanwhile, is free (else the raw file moves aside);
 *       rename the part to the archive
 *   3   fsync the archive's directory
 *   4 L the archive is where the raw file's archive belongs, and is the file that was written;
 *       rename the raw file to RAW.ID.delete
 *   5   delete that
 * </pre>
 *
 * <p>What a crash after each leaves, and what the sweep of the next start and the turn of the raw
 * file make of it:
 *
 * <pre>
 *   1   raw file and part                   the part is deleted, the raw file is archived
 *   2,3 raw file and its whole archive      they are compared: the same, so the raw file goes
 *   4   archive and .delete file            that is deleted
 * </pre>
 *
 * <p>Guarantees, on a disk that keeps what it has synced:
 *
 * <ol>
 *   <li>At every instant each rolled file is there: raw, or whole in an archive that is on the
 *       disk.
 *   <li>A name without {@code .part} never shows an unfinished archive.
 *   <li>Nothing is ever overwritten: a taken name is left, the rolled file takes another.
 *   <li>Files whose names do not match exactly, links and directories are left alone.
 *   <li>A raw file and an archive of one name are told apart by content alone: the same, the raw
 *       file goes; the archive cut short, the archive goes and is made again; different, both stay.
 *       An archive that cannot be forced to the disk then is made again, never asked twice.
 *   <li>A failure keeps the raw file and tries again: after 1 s, doubling up to 60 s; the other
 *       files go on.
 * </ol>
 *
 * <p>While the active file is followed, its part grows beside it: the extra disk space is that of
 * its archive. The stream of the compressor is never flushed, so the archive is as small as one
 * made afterwards. A crash, a stop or a file that was replaced underneath costs one compression
 * from the beginning.
 */
package io.spillway.compress;
