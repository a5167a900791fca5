package io.spillway.stress.report;

/**
 * The lengths of all files of a trial together: log files, archives, finished or not, and spills.
 *
 * @param beforeBytes when the load began
 * @param peakBytes the most, by a look ten times a second
 * @param afterBytes when Logback had stopped
 * @param archiveBytes those of them that are compressed archives
 */
public record DiskFigures(long beforeBytes, long peakBytes, long afterBytes, long archiveBytes) {}
