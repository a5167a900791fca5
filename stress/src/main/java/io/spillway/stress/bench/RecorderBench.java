package io.spillway.stress.bench;

import java.io.IOException;
import java.util.List;

/**
 * What the harness itself does to log calls: the same load without a rotation, with the flight
 * recording of a run and without it, in turn. Which of the two comes first changes from run to run,
 * so that a machine that grows slower is not taken for the recorder.
 */
final class RecorderBench {

  private static final List<String> KINDS = List.of("async-8192", "spillway-file");
  private static final List<String> PERCENTILES = List.of("p50", "p99", "p999");
  private static final String SECONDS = "20";

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
        boolean first = run % 2 == 1;
        measure(call, kind, first);
        measure(call, kind, !first);
      }
    }
    System.out.println("Log call, 300 threads, 5,000 events/s, recorded as in a run and not:");
    System.out.print(call.table("us", 1e3));
    for (String kind : KINDS) {
      for (String percentile : PERCENTILES) {
        System.out.printf(
            "  %s: recorded / alone, %s: %.2f%n",
            kind,
            percentile,
            call.median(name(kind, true, percentile)) / call.median(name(kind, false, percentile)));
      }
    }
  }

  private void measure(Measurement call, String kind, boolean recorded)
      throws IOException, InterruptedException {
    BenchJvm.Figures figures =
        jvm.run(
            classPath, RecordedChild.class.getName(), kind, SECONDS, Boolean.toString(recorded));
    for (String percentile : PERCENTILES) {
      call.add(name(kind, recorded, percentile), figures.get(percentile));
    }
  }

  private static String name(String kind, boolean recorded, String percentile) {
    return kind + (recorded ? " recorded " : " alone ") + percentile;
  }
}
