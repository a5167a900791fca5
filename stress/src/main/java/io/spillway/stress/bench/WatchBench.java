package io.spillway.stress.bench;

import java.io.IOException;
import java.util.List;

/** What being watched costs a JVM: the same load watched and alone, in turn. */
final class WatchBench {
  private static final String PACED_SECONDS = "20";
  private static final List<String> PERCENTILES = List.of("p50", "p99", "p99.9");

  private final BenchJvm jvm;
  private final String classPath;
  private final int repeat;
  private final Measurement calls = new Measurement();
  private final Measurement cpu = new Measurement();
  private final Measurement work = new Measurement();

  WatchBench(BenchJvm jvm, String classPath, int repeat) {
    this.jvm = jvm;
    this.classPath = classPath;
    this.repeat = repeat;
  }

  /** Prints everything. */
  void run() throws IOException, InterruptedException {
    for (int i = 0; i < repeat; i++) {
      measure(false);
      measure(true);
    }
    System.out.println("Log call, 300 threads, 5,000 events/s:");
    System.out.print(calls.table("us", 1e3));
    System.out.println("CPU of the same:");
    System.out.print(cpu.table("% of a core", 1));
    System.out.println("64 threads that contend for a monitor, flat out:");
    System.out.print(work.table("M operations/s", 1e6));
    System.out.println("Watched / alone:");
    for (String percentile : PERCENTILES) {
      printRatio("log call " + percentile, calls, percentile + " ");
    }
    printRatio("CPU", cpu, "");
    printRatio("operations/s", work, "");
  }

  private void measure(boolean watched) throws IOException, InterruptedException {
    BenchJvm.Figures figures =
        jvm.run(
            classPath,
            WatchedChild.class.getName(),
            "spillway-file",
            PACED_SECONDS,
            Boolean.toString(watched));
    String name = watched ? "watched" : "alone";
    for (String percentile : PERCENTILES) {
      calls.add(percentile + " " + name, figures.get(percentile));
    }
    cpu.add(name, figures.get("cpuPercent"));
    if (watched) {
      cpu.add("the watcher itself", figures.get("watcherCpuPercent"));
    }
    work.add(name, figures.get("operationsPerSecond"));
  }

  private static void printRatio(String what, Measurement of, String prefix) {
    double ratio = of.median(prefix + "watched") / of.median(prefix + "alone");
    System.out.printf("  %-28s %10.3f%n", what, ratio);
  }
}
