package io.spillway.stress.report;

import java.util.List;
import java.util.Locale;

/**
 * A run as JUnit XML, one test case for each trial, for pipelines that gate on it by the rules of
 * the exit code: a subject's violation is a failure, an inconclusive subject an error. A peer
 * decides nothing: if it is not passed, its test case is skipped with what was seen.
 */
final class JunitXml {

  private JunitXml() {}

  static String of(RunResult run) {
    StringBuilder xml = new StringBuilder("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    xml.append(
        String.format(
            Locale.ROOT,
            "<testsuite name=\"spillway-stress\" tests=\"%d\" failures=\"%d\" errors=\"%d\""
                + " skipped=\"%d\" time=\"%.3f\" timestamp=\"%s\">%n",
            run.trials().size(),
            count(run, "failure"),
            count(run, "error"),
            count(run, "skipped"),
            run.seconds(),
            run.startedAt()));
    for (TrialResult trial : run.trials()) {
      xml.append("  <testcase classname=\"spillway-stress.").append(trial.role());
      xml.append("\" name=\"").append(Html.escaped(trial.label())).append("\">");
      String outcome = outcome(trial);
      if (outcome != null) {
        List<String> reasons = trial.reasons();
        xml.append('<').append(outcome).append(" message=\"");
        xml.append(Html.escaped(reasons.get(0).replaceAll("\\s+", " "))).append("\">");
        xml.append(Html.escaped(String.join("\n", reasons)));
        xml.append("</").append(outcome).append('>');
      }
      xml.append("</testcase>\n");
    }
    return xml.append("</testsuite>\n").toString();
  }

  private static long count(RunResult run, String outcome) {
    return run.trials().stream().filter(trial -> outcome.equals(outcome(trial))).count();
  }

  /** Returns the element for the outcome of a trial, or null if it passed. */
  private static String outcome(TrialResult trial) {
    if (trial.verdict() == Verdict.PASSED) {
      return null;
    }
    if (trial.role() == TrialResult.Role.PEER) {
      return "skipped";
    }
    return trial.verdict() == Verdict.VIOLATED ? "failure" : "error";
  }
}
