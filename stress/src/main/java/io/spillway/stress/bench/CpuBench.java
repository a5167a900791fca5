package io.spillway.stress.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;

/**
 * Measures the CPU time of an event in steady traffic: the CPU time of the process minus that of
 * the same load with logging switched off.
 */
final class CpuBench {
  private static final String OFF = "off";
  // The lowest rate comes last, when the JIT has compiled what a service runs.
  private static final int[] RATES = {50_000, 5_000, 100};
  private static final int LOW_RATE = 1_000;
  // factor of the seconds at low rates: the system counts CPU time in ticks of 10 ms
  private static final int LONGER = 5;

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
    kinds.remove("async-131072"); // it differs from async-8192 only when that queue is full
    List<String> order = new ArrayList<>(kinds);
    order.add(OFF);
    List<Measurement> measured = new ArrayList<>();
    for (int rate : RATES) {
      measured.add(new Measurement());
    }
    for (int run = 0; run < repeat; run++) {
      Collections.rotate(order, 1); // each kind follows each other kind in turn
      Map<String, BenchJvm.Figures> turn = new HashMap<>();
      for (String kind : order) {
        turn.put(kind, jvm.run(Child.class, kind, String.valueOf(seconds)));
      }
      for (String kind : kinds) {
        add(measured, kind, turn.get(kind), turn.get(OFF));
      }
    }
    for (int i = 0; i < RATES.length; i++) {
      System.out.printf("CPU at %,d events/s, above the load without logging:%n", RATES[i]);
      System.out.print(measured.get(i).table("s a million events", 1e3));
    }
  }

  private void add(
      List<Measurement> measured, String kind, BenchJvm.Figures figures, BenchJvm.Figures off) {
    for (int i = 0; i < RATES.length; i++) {
      String name = "cpuNanos" + RATES[i];
      double events = (double) RATES[i] * seconds(RATES[i], seconds);
      measured.get(i).add(kind, (figures.get(name) - off.get(name)) / events);
    }
  }

  private static int seconds(int rate, int seconds) {
    return rate < LOW_RATE ? seconds * LONGER : seconds;
  }

  /**
   * Runs steady loads one after the other and prints the CPU time of the whole process under each
   * as {@code cpuNanos50000=... cpuNanos5000=... cpuNanos100=...}. Runs in a forked JVM.
   */
  public static final class Child {
    private static final int PRODUCERS = 300;
    private static final int FEW_PRODUCERS = 10; // at 100 events a second
    private static final int WARM_UP_SECONDS = 3;

    private Child() {}

    /**
     * Runs the measurement once.
     *
     * @param args configuration, directory, seconds at each rate but the lowest
     * @throws Exception if the configuration is broken
     */
    public static void main(String[] args) throws Exception {
      Configurations.Logging logging = Configurations.open(args[0], Path.of(args[1]));
      int seconds = Integer.parseInt(args[2]);
      load(logging.logger(), 50_000).run(WARM_UP_SECONDS);
      StringBuilder figures = new StringBuilder();
      for (int rate : RATES) {
        SteadyLoad load = load(logging.logger(), rate);
        load.run(1); // handles what the preceding rate left in queues
        long before = ProcessCpu.nanos();
        load.run(seconds(rate, seconds));
        figures.append(" cpuNanos").append(rate).append('=').append(ProcessCpu.nanos() - before);
      }
      logging.stop().run();
      System.out.println(figures.substring(1));
    }

    private static SteadyLoad load(Logger logger, int rate) {
      return new SteadyLoad(logger, rate < LOW_RATE ? FEW_PRODUCERS : PRODUCERS, rate);
    }
  }
}
