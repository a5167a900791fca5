package io.spillway.stress.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;

/** What events cost in steady traffic, above the same load with logging switched off. */
final class CpuBench {
  private static final String OFF = "off";
  private static final int[] RATES = {100, 5_000, 50_000};

  private final BenchJvm jvm;
  private final int repeat;
  private final int seconds;

  CpuBench(BenchJvm jvm, int repeat, int seconds) {
    this.jvm = jvm;
    this.repeat = repeat;
    this.seconds = seconds;
  }

  void run() throws IOException, InterruptedException {
    List<String> kinds = new ArrayList<>(BenchJvm.all());
    kinds.remove("async-131072"); // as async-8192 unless that is full
    kinds.add(0, OFF);
    List<Measurement> measured = new ArrayList<>();
    for (int rate : RATES) {
      measured.add(new Measurement());
    }
    for (int run = 0; run < repeat; run++) {
      BenchJvm.Figures off = null;
      for (String kind : kinds) {
        BenchJvm.Figures figures = jvm.run(Child.class, kind, String.valueOf(seconds));
        off = off == null ? figures : off; // the first of each turn
        for (int i = 0; i < RATES.length && figures != off; i++) {
          String name = "cpuNanos" + RATES[i];
          measured
              .get(i)
              .add(kind, (figures.get(name) - off.get(name)) / ((double) RATES[i] * seconds));
        }
      }
    }
    for (int i = 0; i < RATES.length; i++) {
      System.out.printf("CPU at %,d events/s, above the load without logging:%n", RATES[i]);
      System.out.print(measured.get(i).table("s a million events", 1e3));
    }
  }

  /**
   * Steady loads, one after the other; prints the CPU time of the whole process under each as
   * {@code cpuNanos100=... cpuNanos5000=... cpuNanos50000=...}. Runs in a JVM of its own.
   */
  public static final class Child {
    private static final int PRODUCERS = 300;
    private static final int FEW_PRODUCERS = 10; // at 100 events a second
    private static final int WARM_UP_SECONDS = 3;

    private Child() {}

    /**
     * Runs once.
     *
     * @param args configuration, directory, seconds at each rate
     * @throws Exception if the configuration is broken
     */
    public static void main(String[] args) throws Exception {
      Configurations.Logging logging = Configurations.open(args[0], Path.of(args[1]));
      int seconds = Integer.parseInt(args[2]);
      load(logging.logger(), 50_000).run(WARM_UP_SECONDS);
      StringBuilder figures = new StringBuilder();
      for (int rate : RATES) {
        SteadyLoad load = load(logging.logger(), rate);
        load.run(1); // what the rate before has left
        long before = ProcessCpu.nanos();
        load.run(seconds);
        figures.append(" cpuNanos").append(rate).append('=').append(ProcessCpu.nanos() - before);
      }
      logging.stop().run();
      System.out.println(figures.substring(1));
    }

    private static SteadyLoad load(Logger logger, int rate) {
      return new SteadyLoad(logger, rate < 1_000 ? FEW_PRODUCERS : PRODUCERS, rate);
    }
  }
}
