package io.spillway.stress.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MarkdownReportTest {

  @Test
  void shouldBeginWithTheHeadlineTable() {
    RunResult run =
        Results.run(
            Results.passed("spillway", 1, 798),
            Results.trial("async", 1, TrialResult.Role.PEER, 2000, 74_577));

    assertThat(MarkdownReport.of(run))
        .startsWith("**passed**: `spillway-stress run --size 64MB`\n\n| trial | rotation |")
        .contains("\n|---|" + "---:|".repeat(15) + "---|\n")
        .contains(
            "| spillway | 2.0 s | 0 | 0 | 0 | 798 us | 20 us | 20 us | 20 us | 20 us | 20.0 MB | 0 |"
                + " 0 | 0 | 0 | none | passed |")
        .contains(
            "| async | 2.0 s | 0 | 0 | 0 | 2.0 ms | 20 us | 20 us | 20 us | 20 us | 20.0 MB |"
                + " 74,577 | 0 | 0 | 0 | none | violated |")
        .contains("\nspillway, async did not hold application threads up; async lost events.\n")
        .contains("- async (violated): nothing of note")
        .contains("Linux, 2 processors, 8.0 GB of memory; Java 17.0.1 Vendor")
        .contains("- A note.")
        .doesNotContain("Why it is not passed");
  }

  @Test
  void shouldShowTextAsTextOnOneLine() {
    RunResult run = Results.run(Results.failed("a|b", "exit 1:\n  at <init>(*x*)\n| `c` |"));

    assertThat(MarkdownReport.of(run))
        .contains("| a\\|b | - |")
        .contains("- a\\|b: exit 1: at \\<init\\>(\\*x\\*) \\| \\`c\\` \\|\n");
  }
}
