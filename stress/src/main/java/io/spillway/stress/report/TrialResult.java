package io.spillway.stress.report;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.List;
import java.util.Locale;

/**
 * All figures of one trial. Those of steps that were not reached are null.
 *
 * @param name the trial's name; it contains the size of the log file if the sizes of the run differ
 * @param sizeBytes size at which the log file was to roll over
 * @param repeat number of the repeat, from 1
 * @param role why it was run
 * @param description one line for readers
 * @param configuration the logging library's configuration, verbatim
 * @param childCommand the command line of the forked JVM
 * @param load what the child measured
 * @param latency latency of log calls, or of the requests to a service
 * @param waits what the flight recording tells
 * @param control stalls of the machine during the trial
 * @param readBack what reading the files back has shown
 * @param service further figures of a service, or null
 * @param checks the evidence: every figure with its limit
 * @param verdict what the trial has shown
 * @param finding what was found, in one sentence, whatever the verdict
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
    Latency latency,
    Waits waits,
    Control control,
    ReadBackFigures readBack,
    ServiceFigures service,
    List<Check> checks,
    Verdict verdict,
    String finding) {

  /** Returns the trial's name, followed by the number of the repeat unless it is the first. */
  public String label() {
    return repeat > 1 ? name + " #" + repeat : name;
  }

  /** Returns whether all steps were reached, so that there are figures. */
  public boolean measured() {
    return load != null;
  }

  /** Returns why the verdict is not {@code passed}; empty if it is. */
  public List<String> reasons() {
    return checks.stream()
        .filter(check -> check.verdict() != Verdict.PASSED)
        .map(Check::reason)
        .toList();
  }

  /** The role of a trial in a run. */
  public enum Role {
    /** Shown for comparison: what it breaks is reported, but does not fail the run. */
    PEER,
    /** Held to the limits: what it breaks fails the run. */
    SUBJECT;

    @JsonValue
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * Figures that only a service has.
   *
   * @param requestsPerSecond requests answered per second
   * @param failed requests that got no answer of 200
   * @param cpuMicrosPerRequest processor time of the service per request
   * @param highestRate the highest rate within the limit of a search, or null without one
   */
  public record ServiceFigures(
      double requestsPerSecond, long failed, double cpuMicrosPerRequest, Double highestRate) {}
}
