package io.spillway.stress.load;

import java.util.Set;

/**
 * What the forked JVM is to do; handed over as a JSON file.
 *
 * @param threads application threads
 * @param virtualThreads whether those are virtual
 * @param eventsPerSecond in total, over all threads; 0 for as many as they can
 * @param mostEvents after which the load ends early, once the rotation has begun
 * @param warmUpSeconds of load before anything is measured
 * @param aroundSeconds of measured load before the rotation is due, and again after it
 * @param rotations after the last of which the load goes on for as long as before the first
 * @param extras what events carry besides their message
 * @param rotationLimitSeconds after which a rotation that has not finished is given up
 * @param target what the load goes to
 * @param consoleFile gets what the configuration prints
 * @param trialDirectory where figures are written
 * @param recordingFile where the flight recording is written
 */
public record LoadSpec(
    int threads,
    boolean virtualThreads,
    double eventsPerSecond,
    long mostEvents,
    double warmUpSeconds,
    double aroundSeconds,
    int rotations,
    Set<Extra> extras,
    double rotationLimitSeconds,
    Target target,
    String consoleFile,
    String trialDirectory,
    String recordingFile) {

  /** Name of the file, within the trial directory, in which the child reports its figures. */
  public static final String FIGURES_FILE = "load.json";

  /** What events carry besides their message. */
  public enum Extra {
    /** Every tenth event, a throwable with a cause and 30 frames. */
    THROWABLE,
    /** Two entries of the mapped diagnostic context. */
    MDC,
    /** A marker. */
    MARKER,
    /** The built-in configurations print the caller's file and line. */
    CALLER
  }

  /** Whether threads log again as soon as their last call has returned. */
  boolean closedLoop() {
    return eventsPerSecond == 0;
  }

  /** Application threads are known by the beginning of their names. */
  public static final String APPLICATION_THREAD = "app-";

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
   * @param fileNamePattern the archives' names, or null if everything in the directory belongs to
   *     it
   * @param rolledAppender the appender that is rolled over when the rotation is due, or null if it
   *     does that by itself
   */
  public record Target(
      String logger,
      boolean formatted,
      int messageBytes,
      String activeFile,
      boolean named,
      long prefillBytes,
      String directory,
      String fileNamePattern,
      String rolledAppender) {}
}
