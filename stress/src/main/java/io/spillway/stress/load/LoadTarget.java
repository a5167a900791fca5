package io.spillway.stress.load;

/**
 * What the load goes to.
 *
 * @param logger that application threads use
 * @param formatted whether messages are put together before the call, so that a layout that keeps
 *     format and arguments apart shows them, too
 * @param messageBytes of each message at least, or 0 for its natural length
 * @param activeFile the log file
 * @param named whether the log file keeps its name; if not, its successor is called otherwise
 * @param prefillBytes its length before the load
 * @param directory in which its archives appear, or below it
 * @param fileNamePattern the archives' names, or null if everything in the directory belongs to it
 * @param rolledAppender the appender that is rolled over when the rotation is due, or null if it
 *     does that by itself
 */
public record LoadTarget(
    String logger,
    boolean formatted,
    int messageBytes,
    String activeFile,
    boolean named,
    long prefillBytes,
    String directory,
    String fileNamePattern,
    String rolledAppender) {}
