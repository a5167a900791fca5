package io.spillway.stress.bench;

import java.io.IOException;
import java.util.List;

/**
 * What the harness itself does to log calls: the same load without a rotation, with the flight
 * recording of a run and without it, in turn, every five seconds, within one JVM: what changes the
 * machine's pace, or one JVM from the next, changes both alike. Which of the two comes first
 * changes from pair to pair.
 */
final class RecorderBench {

  private static final List<String> KINDS = List.of("async-8192", "spillway-file");
  private static final List<String> PERCENTILES = List.of("p50", "p99", "p999");
  private static final int PAIRS = 12;

  private final BenchJvm jvm;
  private final String classPath;
  private final int repeat;

  RecorderBench(BenchJvm jvm, String classPath, int repeat) {
    this.jvm = jvm;
    this.classPath = classPath;
    this.repeat = repeat;
  }

  void run() throws IOException, InterruptedException {
    Measurement call = new Measurement();
    for (int run = 0; run < repeat; run++) {
      for (String kind : KINDS) {
        measure(call, kind, run % 2 == 1);
      }
    }
    System.out.printf(
        "Log call, 300 threads, 5,000 events/s, recorded as in a run and not, %d pairs of 4 s:%n",
        repeat * PAIRS);
    System.out.print(call.medians("us", 1e3));
    for (String kind : KINDS) {
      for (String percentile : PERCENTILES) {
        System.out.print(
            call.pairedRatio(
                kind + ": recorded / alone, " + percentile,
                name(kind, true, percentile),
                name(kind, false, percentile)));
      }
    }
  }

  private void measure(Measurement call, String kind, boolean recordedFirst)
      throws IOException, InterruptedException {
    BenchJvm.Figures figures =
        jvm.run(
            classPath,
            RecordedChild.class.getName(),
            kind,
            Integer.toString(PAIRS),
            Boolean.toString(recordedFirst));
    for (String percentile : PERCENTILES) {
      for (int pair = 0; pair < PAIRS; pair++) {
        String period = pair + percentile;
        call.add(name(kind, true, percentile), figures.get("recorded" + period));
        call.add(name(kind, false, percentile), figures.get("alone" + period));
      }
    }
  }

  private static String name(String kind, boolean recorded, String percentile) {
    return kind + (recorded ? " recorded " : " alone ") + percentile;
  }
}
