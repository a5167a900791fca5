package io.spillway.stress.report;

/**
 * One row of the evidence for a verdict.
 *
 * @param what what was measured, with its unit
 * @param limit the largest value that keeps the promise, or the condition that is needed
 * @param seen the value that was measured
 * @param verdict whether it was kept or broken; inconclusive if that cannot be told
 */
public record Check(String what, String limit, String seen, Verdict verdict) {

  /** Returns why the check is not passed, as one sentence. */
  public String reason() {
    return what + ": " + seen + " (allowed: " + limit + ")";
  }
}
