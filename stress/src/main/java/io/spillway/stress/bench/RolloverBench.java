package io.spillway.stress.bench;

import ch.qos.logback.classic.LoggerContext;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.rolling.ArchivingPolicy;
import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import org.HdrHistogram.Histogram;
import org.slf4j.Logger;

/** Measures rollovers and compression with the policies of {@code io.spillway.rolling}. */
final class RolloverBench {
  private static final String ON_ROLLOVER = "rollover";
  private static final long MEGABYTE = 1L << 20;

  private final BenchJvm jvm;
  private final int repeat;

  RolloverBench(BenchJvm jvm, int repeat) {
    this.jvm = jvm;
    this.repeat = repeat;
  }

  /**
   * Runs all measurements and prints their figures; {@code big} is the size of a big file in bytes.
   */
  void run(long big) throws IOException, InterruptedException {
    rollovers(big);
    besideArchives();
    backlog();
  }

  private BenchJvm.Figures child(
      String configuration, long limit, int rollovers, long bytesPerSecond, boolean readBack)
      throws IOException, InterruptedException {
    return child(
        configuration,
        Long.toString(limit),
        Integer.toString(rollovers),
        Long.toString(bytesPerSecond),
        Boolean.toString(readBack),
        "0");
  }

  private BenchJvm.Figures child(String configuration, String... load)
      throws IOException, InterruptedException {
    return jvm.run(Child.class, configuration, load);
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

  /** Compares rollovers without and beside 1,000 archives, which must cost the same. */
  private void besideArchives() throws IOException, InterruptedException {
    Measurement times = new Measurement();
    for (int run = 0; run < repeat; run++) {
      for (String archives : new String[] {"0", "1000"}) {
        String limit = Long.toString(MEGABYTE);
        String pace = Long.toString(20 * MEGABYTE); // leaves processor time to the compressor
        BenchJvm.Figures figures = child(ON_ROLLOVER, limit, "100", pace, "false", archives);
        times.add(archives + " archives, p50", figures.get("p50"));
        times.add(archives + " archives, p99", figures.get("p99"));
      }
    }
    System.out.println("The same beside archives of earlier runs, 100 x 1 MB at 20 MB/s:");
    System.out.print(times.table("ms", 1e6));
    System.out.printf(
        "  ratio of p50 %.2f, of p99 %.2f%n",
        times.median("1000 archives, p50") / times.median("0 archives, p50"),
        times.median("1000 archives, p99") / times.median("0 archives, p99"));
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

  /**
   * Logs through a number of rollovers, waits until every archive is complete, and reads all lines
   * back. Prints {@code rollovers=... p50=... p99=... max=...} (nanoseconds from the trigger to the
   * end of the first write), {@code load=...} (nanoseconds until all events are delivered), {@code
   * compressing=...} (nanoseconds from the end of the load to the last archive), and {@code
   * wrong=...}, the lines out of order, lost or torn.
   */
  public static final class Child {
    private static final long TICK_NANOS = 1_000_000;
    private static final long PATIENCE_NANOS = 900_000_000_000L;

    private Child() {}

    /**
     * Runs the measurement once.
     *
     * @param args configuration, directory, bytes of a file, rollovers, bytes a second or 0 for as
     *     fast as it goes, whether to read back, how many archives there are before
     * @throws Exception if the configuration is broken
     */
    public static void main(String[] args) throws Exception {
      Path directory = Path.of(args[1]);
      long limit = Long.parseLong(args[2]);
      for (int index = 1; index <= Integer.parseInt(args[6]); index++) {
        Files.createFile(directory.resolve("app." + index + ".log.gz"));
      }
      LoggerContext context = Configurations.load(args[0], directory, limit);
      SpillwayRollingFileAppender<?> appender =
          (SpillwayRollingFileAppender<?>)
              context.getLogger(Logger.ROOT_LOGGER_NAME).getAppender("FILE");
      ArchivingPolicy policy = (ArchivingPolicy) appender.getRollingPolicy();
      long start = System.nanoTime();
      long sent = load(context, appender, Long.parseLong(args[3]), Double.parseDouble(args[4]));
      if (!appender.awaitDelivered(Duration.ofMinutes(10))) {
        throw new IllegalStateException("Not delivered in ten minutes.");
      }
      long loaded = System.nanoTime();
      while (policy.getArchiveMetrics().backlogFiles() > 0) {
        if (System.nanoTime() - loaded > PATIENCE_NANOS) {
          throw new IllegalStateException("Not archived in fifteen minutes.");
        }
        LockSupport.parkNanos(TICK_NANOS);
      }
      long archived = System.nanoTime();
      context.stop();
      Histogram rollovers = TimedSizePolicy.rollovers();
      long wrong = Boolean.parseBoolean(args[5]) ? NumberedLines.wrong(directory, sent) : 0;
      BenchJvm.tell(
          "rollovers=%d p50=%d p99=%d max=%d load=%d compressing=%d wrong=%d",
          rollovers.getTotalCount(),
          rollovers.getValueAtPercentile(50),
          rollovers.getValueAtPercentile(99),
          rollovers.getMaxValue(),
          loaded - start,
          archived - loaded,
          wrong);
    }

    /**
     * Logs until the given number of rollovers is done, and returns the number of events logged.
     */
    private static long load(
        LoggerContext context,
        SpillwayRollingFileAppender<?> appender,
        long rollovers,
        double bytesPerSecond) {
      Logger logger = context.getLogger("io.spillway.stress.bench.Service");
      double perNano = bytesPerSecond / NumberedLines.BYTES / 1e9;
      long start = System.nanoTime();
      long sent = 0;
      while (appender.getMetrics().getRollovers() < rollovers) {
        long due = sent + 1_000;
        if (perNano > 0) {
          LockSupport.parkNanos(TICK_NANOS);
          due = (long) ((System.nanoTime() - start) * perNano);
        }
        while (sent < due) {
          NumberedLines.log(logger, sent++);
        }
      }
      return sent;
    }
  }

  /** Writes and checks numbered lines of one producer: {@code app.N.log.gz}, {@code app.log}. */
  static final class NumberedLines {
    private static final String MESSAGE =
        "order {} accepted, 3 items, customer 4711, trace {}, total 99.90";
    private static final long GOLDEN_RATIO = 0x9E3779B97F4A7C15L;

    /** Approximate length of a line. */
    static final int BYTES = 142;

    private static final Pattern NUMBER = Pattern.compile(" - order (\\d+) accepted.*99\\.90$");
    private static final int LAST_INDEX = 21;

    private NumberedLines() {}

    /** Logs one line; its trace is a hash, so that lines compress about as well as real ones. */
    static void log(Logger logger, long number) {
      long trace = number * GOLDEN_RATIO;
      logger.info(MESSAGE, number, Long.toHexString(trace ^ (trace >>> 29)));
    }

    /** Returns how many lines have an unexpected number, plus those missing at the end. */
    static long wrong(Path directory, long sent) throws IOException {
      long[] nextAndWrong = new long[2];
      for (int index = LAST_INDEX; index >= 1; index--) {
        Path archive = directory.resolve("app." + index + ".log.gz");
        if (Files.exists(archive)) {
          try (InputStream in =
              new GZIPInputStream(new FileInputStream(archive.toFile()), 1 << 16)) {
            count(in, nextAndWrong);
          }
        }
      }
      try (InputStream in = new FileInputStream(directory.resolve("app.log").toFile())) {
        count(in, nextAndWrong);
      }
      return nextAndWrong[1] + Math.abs(sent - nextAndWrong[0]);
    }

    private static void count(InputStream in, long[] nextAndWrong) throws IOException {
      BufferedReader lines =
          new BufferedReader(new InputStreamReader(in, StandardCharsets.US_ASCII), 1 << 16);
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        Matcher number = NUMBER.matcher(line);
        if (!number.find() || Long.parseLong(number.group(1)) != nextAndWrong[0]++) {
          nextAndWrong[1]++;
        }
      }
    }
  }
}
