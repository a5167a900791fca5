package io.spillway.stress.report;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.List;
import java.util.Locale;

/**
 * All figures of one trial. Those of steps that were not reached are null.
 *
 * @param name contains the size of the log file if the sizes of the run differ
 * @param sizeBytes size at which the log file was to roll over
 * @param configuration the logging library's configuration, verbatim
 * @param latency of log calls, or of the requests to a service
 * @param service further figures of a service, or null
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
    return checks.stream().filter(check -> !check.passed()).map(Check::reason).toList();
  }

  /** Returns the first limit that it broke, as a clause. */
  String firstBroken() {
    boolean held = measured() && !checks.get(0).passed();
    return held ? load.heldUp() : reasons().get(0);
  }

  /** Returns the thread-seconds that threads were held up; 0 without figures. */
  double heldSeconds() {
    return measured() ? load.heldSeconds() : 0;
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
   * One row of the evidence for a verdict.
   *
   * @param what what was measured, with its unit
   * @param limit the largest value that keeps the promise, or the condition that is needed
   */
  public record Check(String what, String limit, String seen, Verdict verdict) {

    boolean passed() {
      return verdict == Verdict.PASSED;
    }

    /** Returns why the check is not passed, as one sentence. */
    String reason() {
      return what + ": " + seen + " (allowed: " + limit + ")";
    }
  }

  /**
   * Figures that only a service has.
   *
   * @param failed requests that got no answer of 200
   * @param highestRate the highest rate within the limit of a search, or null without one
   */
  public record ServiceFigures(
      double requestsPerSecond, long failed, double cpuMicrosPerRequest, Double highestRate) {}
}
