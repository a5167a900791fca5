package io.spillway.stress.load;

import java.util.Map;
import java.util.Set;

/**
 * What the forked JVM does; handed over as a JSON file.
 *
 * @param threads the number of application threads; of a service, the most that may log
 * @param virtualThreads whether application threads are virtual
 * @param eventsPerSecond the rate of all threads together
 * @param warmUpSeconds seconds of load before anything is measured
 * @param aroundSeconds seconds of measured load before the rotation is due, and again after it
 * @param rotations the number of rotations; after the last one the load continues for {@code
 *     aroundSeconds}
 * @param extras what events carry besides their message
 * @param rotationLimitSeconds seconds after which the load ends without the end of the rotation
 * @param target where the load goes
 * @param consoleFile the file for what the configuration prints
 * @param trialDirectory the directory for figures
 * @param recordingFile the file for the flight recording
 * @param application the service whose requests make the log calls, or null if the harness's own
 *     threads make them
 */
public record LoadSpec(
    int threads,
    boolean virtualThreads,
    double eventsPerSecond,
    double warmUpSeconds,
    double aroundSeconds,
    int rotations,
    Set<Extra> extras,
    double rotationLimitSeconds,
    Target target,
    String consoleFile,
    String trialDirectory,
    String recordingFile,
    Application application) {

  /** Name of the file, within the trial directory, in which the child reports its figures. */
  public static final String FIGURES_FILE = "load.json";

  /** Name of the file, within the trial directory, with the latencies of each second. */
  public static final String LATENCY_FILE = "latency.hlog";

  /** What events carry besides their message. */
  public enum Extra {
    /** Every tenth event has a throwable with a cause and 30 frames. */
    THROWABLE,
    /** Every event has two entries in the mapped diagnostic context. */
    MDC,
    /** Every event has a marker. */
    MARKER,
    /** The built-in configurations print the caller's file and line. */
    CALLER
  }

  /** Beginning of the names of application threads. */
  public static final String APPLICATION_THREAD = "app-";

  /**
   * Where the load goes.
   *
   * @param logger the logger that application threads use
   * @param formatted whether messages are formatted before the call, so that a layout that
   *     separates format and arguments shows them, too: so in a user's configuration
   * @param messageBytes the least size of a message, or 0 for its natural length
   * @param activeFile the log file
   * @param named whether the log file keeps its name; if not, its successor has another name
   * @param prefillBytes the length of the log file before the load
   * @param directory the directory in which, or below which, archives appear
   * @param fileNamePattern the archives' names, or null if every file in the directory belongs to
   *     the log
   * @param rolledAppender the appender to roll over when the rotation is due, or null if it rolls
   *     over by itself
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

  /**
   * A service and what it does for a request.
   *
   * @param kind which of the services in {@code stress/services}
   * @param threads threads for requests
   * @param work settings of the work for a request, by name
   */
  public record Application(String kind, int threads, Map<String, String> work) {}
}
