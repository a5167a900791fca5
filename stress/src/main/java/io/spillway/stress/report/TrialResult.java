package io.spillway.stress.report;

import java.util.List;

/**
 * All figures of one trial. Those of steps that were not reached are null.
 *
 * @param name the trial; with its size, if those of the run differ
 * @param sizeBytes of the log file when it was to roll over
 * @param repeat which repeat, from 1
 * @param role why it was run
 * @param description one line for readers
 * @param configuration the logging library's configuration, verbatim
 * @param childCommand the command line of the forked JVM
 * @param load what the child measured
 * @param parks waits of application threads inside logging
 * @param pauses what the JVM itself stopped
 * @param heap how much of it was in use, or null if the collector does not tell
 * @param control what the machine itself stalled meanwhile
 * @param readBack what the files hold
 * @param evidence everything that the verdict rests on
 * @param verdict what the trial has shown
 * @param reasons why the verdict is not {@code passed}
 */
public record TrialResult(
    String name,
    long sizeBytes,
    int repeat,
    Role role,
    String description,
    String configuration,
    List<String> childCommand,
    LoadFigures load,
    ParkFigures parks,
    PauseFigures pauses,
    HeapFigures heap,
    ControlFigures control,
    ReadBackFigures readBack,
    List<Check> evidence,
    Verdict verdict,
    List<String> reasons) {

  /** Its name, with the number of the repeat unless it is the first. */
  public String label() {
    return repeat > 1 ? name + " #" + repeat : name;
  }

  /** Whether all steps were reached, so that there are figures. */
  public boolean measured() {
    return load != null && parks != null && readBack != null;
  }
}
