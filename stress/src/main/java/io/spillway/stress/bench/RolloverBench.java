package io.spillway.stress.bench;

import java.io.IOException;

/** Rollovers and compression with the policies of {@code io.spillway.rolling}. */
final class RolloverBench {
  private static final String ON_ROLLOVER = "rollover";
  private static final String CONTINUOUS = "rollover-continuous";
  private static final long MEGABYTE = 1L << 20;

  /** What one core compresses easily, so that the compressor can follow. */
  private static final long STEADY_BYTES_PER_SECOND = 50_000_000;

  private final BenchJvm jvm;
  private final String classPath;
  private final int repeat;

  RolloverBench(BenchJvm jvm, String classPath, int repeat) {
    this.jvm = jvm;
    this.classPath = classPath;
    this.repeat = repeat;
  }

  /** Prints everything; big is the size of a big file. */
  void run(long big) throws IOException, InterruptedException {
    rollovers(big);
    backlog();
    continuous(big);
  }

  private BenchJvm.Figures child(
      String configuration, long limit, int rollovers, long bytesPerSecond, boolean readBack)
      throws IOException, InterruptedException {
    return jvm.run(
        classPath,
        RolloverChild.class.getName(),
        configuration,
        Long.toString(limit),
        Integer.toString(rollovers),
        Long.toString(bytesPerSecond),
        Boolean.toString(readBack));
  }

  private void rollovers(long big) throws IOException, InterruptedException {
    Measurement times = new Measurement();
    for (int run = 0; run < repeat; run++) {
      BenchJvm.Figures small = child(ON_ROLLOVER, 8 * MEGABYTE, 100, 0, false);
      times.add("100 x 8 MB p50", small.get("p50"));
      times.add("100 x 8 MB p99", small.get("p99"));
      times.add("100 x 8 MB max", small.get("max"));
      times.add("1 x " + big / MEGABYTE + " MB", child(ON_ROLLOVER, big, 1, 0, false).get("max"));
    }
    System.out.println("From trigger to the end of the first write into the new file, flat out:");
    System.out.print(times.table("ms", 1e6));
  }

  private void backlog() throws IOException, InterruptedException {
    Measurement seconds = new Measurement();
    double wrong = 0;
    for (int run = 0; run < repeat; run++) {
      BenchJvm.Figures figures = child(ON_ROLLOVER, 64 * MEGABYTE, 20, 0, true);
      seconds.add("logging", figures.get("load"));
      seconds.add("compressing afterwards", figures.get("compressing"));
      seconds.add("slowest rollover", figures.get("max"));
      wrong += figures.get("wrong");
    }
    System.out.println("20 rollovers of 64 MB flat out, everything read back in order:");
    System.out.print(seconds.table("s", 1e9));
    System.out.printf("  lines lost, torn or out of order: %.0f%n", wrong);
  }

  private void continuous(long big) throws IOException, InterruptedException {
    Measurement publish = new Measurement();
    Measurement cpu = new Measurement();
    Measurement ratio = new Measurement();
    for (int run = 0; run < repeat; run++) {
      for (String mode : new String[] {ON_ROLLOVER, CONTINUOUS}) {
        BenchJvm.Figures figures = child(mode, big, 1, STEADY_BYTES_PER_SECOND, false);
        publish.add(mode, figures.get("publish"));
        cpu.add(mode, figures.get("cpu"));
        ratio.add(mode, figures.get("archive") / figures.get("archived"));
      }
    }
    System.out.printf("One file of %d MB, written at 50 MB/s:%n", big / MEGABYTE);
    System.out.println(" archive whole after");
    System.out.print(publish.table("s", 1e9));
    System.out.println(" CPU of the whole process");
    System.out.print(cpu.table("s", 1e9));
    System.out.printf("  ratio %.3f%n", cpu.median(CONTINUOUS) / cpu.median(ON_ROLLOVER));
    System.out.println(" archive / file");
    System.out.print(ratio.table("", 1));
    System.out.printf("  ratio %.4f%n", ratio.median(CONTINUOUS) / ratio.median(ON_ROLLOVER));
  }
}
