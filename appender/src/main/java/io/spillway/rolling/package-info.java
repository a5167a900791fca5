/**
 * Rolling policies whose rollover costs the writer one rename, and exact triggering policies. They
 * have the names and settings of Logback's policies, and work in its {@code RollingFileAppender} as
 * well as in {@code io.spillway.SpillwayRollingFileAppender}.
 *
 * <pre>
 *   writer:      close --&gt; rename app.log to app.log.PERIOD.SEQUENCE.rolled --&gt; open app.log --&gt; write on
 *                                  |
 *   compressor:                    '--&gt; app.1.log             gets its number; a fixed window is shifted first
 *                                       |
 *                                       '--&gt; app.1.log.gz    (io.spillway.internal.compress)
 *                                            |
 *                                            '--&gt; retention: deletes what exceeds maxHistory or totalSizeCap
 * </pre>
 *
 * <p>Assumptions: (1) one process rolls a pattern; (2) a rename is atomic; (3) all but the rename
 * of the active file is done by the compressor's thread, the only writer of archive names.
 *
 * <p>Guarantees: (1) no rename replaces a file; (2) a rollover is a constant number of file
 * operations, however many archives there are; without {@code <file>} it lists a directory when the
 * clock has stepped back into a period that is not remembered; (3) after any failure the appender
 * continues to write to the same file, and the next attempt resumes from there; (4) the files of a
 * fixed window are in the order of their age at every instant, and files that wait for a number are
 * newer than all numbered files, so that a crash leaves at most a gap, which the next shift fills.
 */
package io.spillway.rolling;
