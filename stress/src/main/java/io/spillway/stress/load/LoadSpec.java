package io.spillway.stress.load;

/**
 * What the forked JVM is to do; handed over as a JSON file.
 *
 * @param threads application threads
 * @param eventsPerSecond in total, over all threads
 * @param warmUpSeconds of load before anything is measured
 * @param aroundSeconds of measured load before the rotation is due, and again after it
 * @param rotationLimitSeconds after which a rotation that has not finished is given up
 * @param activeFile the log file
 * @param prefillBytes its length before the load
 * @param trialDirectory where figures are written
 * @param recordingFile where the flight recording is written
 */
public record LoadSpec(
    int threads,
    double eventsPerSecond,
    double warmUpSeconds,
    double aroundSeconds,
    double rotationLimitSeconds,
    String activeFile,
    long prefillBytes,
    String trialDirectory,
    String recordingFile) {

  /** Name of the file, within the trial directory, in which the child reports its figures. */
  public static final String FIGURES_FILE = "load.json";

  /** Application threads are known by the beginning of their names. */
  public static final String APPLICATION_THREAD = "app-";
}
