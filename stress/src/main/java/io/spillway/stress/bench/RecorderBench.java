package io.spillway.stress.bench;

import ch.qos.logback.classic.LoggerContext;
import io.spillway.stress.record.FlightRecording;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * Measures what the harness itself adds to log calls. One JVM runs the same load without a
 * rotation, alternately with and without the flight recording of a run, in periods of five seconds,
 * so that a change of the machine's pace or a difference between JVMs affects both alike. The order
 * within a pair alternates from pair to pair.
 */
final class RecorderBench {

  private static final List<String> KINDS = List.of("async-8192", "spillway-file");
  private static final List<String> PERCENTILES = List.of("p50", "p99", "p999");
  private static final int PAIRS = 12;

  private final BenchJvm jvm;
  private final int repeat;

  RecorderBench(BenchJvm jvm, int repeat) {
    this.jvm = jvm;
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
        jvm.run(Child.class, kind, Integer.toString(PAIRS), Boolean.toString(recordedFirst));
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

  /**
   * Runs {@link SteadyLoad} while the flight recording that every trial makes is switched on and
   * off. Prints percentiles of the log call's service time in nanoseconds for each pair of periods.
   * Runs in a forked JVM.
   */
  public static final class Child {

    private static final int WARM_UP_SECONDS = 10;
    private static final int SETTLE_MILLIS = 1_000;
    private static final int PERIOD_MILLIS = 4_000;

    private final SteadyLoad load;
    private final Path directory;

    private Child(SteadyLoad load, Path directory) {
      this.load = load;
      this.directory = directory;
    }

    /**
     * Runs the measurement once.
     *
     * @param args configuration, directory, pairs of periods, whether the first is recorded
     * @throws Exception if the configuration is broken or the recording cannot be made
     */
    public static void main(String[] args) throws Exception {
      Path directory = Path.of(args[1]);
      LoggerContext context = Configurations.load(args[0], directory);
      SteadyLoad load = new SteadyLoad(context);
      load.run(WARM_UP_SECONDS);
      int pairs = Integer.parseInt(args[2]);
      int millis = (2 * pairs + 1) * (SETTLE_MILLIS + PERIOD_MILLIS);
      Thread service = new Thread(() -> run(load, millis / 1_000), "service");
      service.start();
      boolean recorded = Boolean.parseBoolean(args[3]);
      Child child = new Child(load, directory);
      for (int pair = 0; pair < pairs; pair++, recorded = !recorded) { // on off, off on, on off ...
        child.period(pair, recorded);
        child.period(pair, !recorded);
      }
      service.join();
      context.stop();
    }

    private static void run(SteadyLoad load, int seconds) {
      try {
        load.run(seconds);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    /** Measures one period, without the recording's start, which precedes the load in a trial. */
    private void period(int pair, boolean recorded) throws IOException, InterruptedException {
      FlightRecording recording =
          recorded ? new FlightRecording(directory.resolve(pair + ".jfr"), false) : null;
      try {
        Thread.sleep(SETTLE_MILLIS);
        Histogram histogram = load.recordAnew();
        Thread.sleep(PERIOD_MILLIS);
        load.recordAnew();
        print(histogram, (recorded ? "recorded" : "alone") + pair);
      } finally {
        if (recording != null) {
          recording.close();
        }
      }
    }

    private static void print(Histogram histogram, String period) {
      BenchJvm.tell(
          "%1$sp50=%2$d %1$sp99=%3$d %1$sp999=%4$d",
          period,
          histogram.getValueAtPercentile(50),
          histogram.getValueAtPercentile(99),
          histogram.getValueAtPercentile(99.9));
    }
  }
}
