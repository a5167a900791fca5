package io.spillway.stress.load;

import java.util.Map;
import java.util.Set;

/**
 * What the forked JVM does; handed over as a JSON file.
 *
 * @param threads the number of application threads; of a service, those for requests
 * @param eventsPerSecond the rate of all threads together
 * @param aroundSeconds seconds of measured load before the rotation is due, and again after the
 *     last one
 * @param rotationLimitSeconds seconds after which the load ends without the end of the rotation
 * @param consoleFile the file for what the configuration prints
 * @param trialDirectory the directory for figures
 * @param application the service whose requests make the log calls, or null if threads only log
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

  /** Names of files, within the trial directory, with the figures and the latencies. */
  public static final String FIGURES_FILE = "load.json";

  public static final String LATENCY_FILE = "latency.hlog";

  /** Beginning of the names of application threads. */
  public static final String APPLICATION_THREAD = "app-";

  /** What events carry besides their message. */
  public enum Extra {
    /** Every tenth event has a throwable with a cause and 30 frames. */
    THROWABLE(260),
    /** Every event has two entries in the mapped diagnostic context. */
    MDC(0),
    /** Every event has a marker. */
    MARKER(0),
    /** The built-in configurations print the caller's file and line. */
    CALLER(20);

    /** What it adds on average to an event that the built-in configurations write. */
    public final int bytes;

    Extra(int bytes) {
      this.bytes = bytes;
    }
  }

  /**
   * Where the load goes.
   *
   * @param formatted whether messages are formatted before the call, so that a layout that
   *     separates format and arguments shows them, too: so in a user's configuration
   * @param messageBytes the least size of a message, or 0 for its natural length
   * @param named whether the log file keeps its name; if not, its successor has another name
   * @param prefillBytes the length of the log file before the load
   * @param directory the directory in which, or below which, archives appear
   * @param fileNamePattern the archives' names, or null if there are no archives
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
   * A service of {@code stress/services}.
   *
   * @param threads threads for requests
   * @param work settings of what it does for a request, by name
   */
  public record Application(String kind, int threads, Map<String, String> work) {}
}
