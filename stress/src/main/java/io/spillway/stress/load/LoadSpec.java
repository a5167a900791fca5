package io.spillway.stress.load;

/**
 * What the forked JVM is to do; handed over as a JSON file.
 *
 * @param threads application threads
 * @param virtualThreads whether those are virtual
 * @param eventsPerSecond in total, over all threads; 0 for as many as they can
 * @param mostEvents after which the load ends early, once the rotation has begun
 * @param warmUpSeconds of load before anything is measured
 * @param aroundSeconds of measured load before the rotation is due, and again after it
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
    double rotationLimitSeconds,
    LoadTarget target,
    String consoleFile,
    String trialDirectory,
    String recordingFile) {

  /** Name of the file, within the trial directory, in which the child reports its figures. */
  public static final String FIGURES_FILE = "load.json";

  /** Whether threads log again as soon as their last call has returned. */
  boolean closedLoop() {
    return eventsPerSecond == 0;
  }

  /** Application threads are known by the beginning of their names. */
  public static final String APPLICATION_THREAD = "app-";
}
