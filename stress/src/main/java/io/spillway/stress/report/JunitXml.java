package io.spillway.stress.report;

import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * A run as JUnit XML, one test case for each trial, for pipelines that gate on it by the rules of
 * the exit code: a subject's violation is a failure, an inconclusive subject an error. A peer
 * decides nothing: if it is not passed, its test case is skipped with what was seen.
 */
final class JunitXml {

  private JunitXml() {}

  static String of(RunResult run) {
    List<TrialResult> trials = run.trials();
    List<String> outcomes = trials.stream().map(JunitXml::outcome).toList();
    return String.format(
        Locale.ROOT,
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuite name="spillway-stress" tests="%d" failures="%d" errors="%d" skipped="%d"\
         time="%.3f" timestamp="%s">
        %s</testsuite>
        """,
        trials.size(),
        Collections.frequency(outcomes, "failure"),
        Collections.frequency(outcomes, "error"),
        Collections.frequency(outcomes, "skipped"),
        run.seconds(),
        run.startedAt(),
        trials.stream().map(JunitXml::testCase).collect(Collectors.joining()));
  }

  private static String testCase(TrialResult trial) {
    String outcome = outcome(trial);
    String element = "";
    if (!outcome.isEmpty()) {
      String message = Html.escaped(trial.reasons().get(0).replaceAll("\\s+", " "));
      String all = Html.escaped(String.join("\n", trial.reasons()));
      element = "<%s message=\"%s\">%s</%1$s>".formatted(outcome, message, all);
    }
    return "  <testcase classname=\"spillway-stress.%s\" name=\"%s\">%s</testcase>\n"
        .formatted(trial.role(), Html.escaped(trial.label()), element);
  }

  /** Returns the element for the outcome of a trial; empty if it passed. */
  private static String outcome(TrialResult trial) {
    if (trial.verdict() == Verdict.PASSED) {
      return "";
    }
    if (trial.role() == TrialResult.Role.PEER) {
      return "skipped";
    }
    return trial.verdict() == Verdict.VIOLATED ? "failure" : "error";
  }
}
