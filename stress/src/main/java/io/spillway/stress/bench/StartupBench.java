package io.spillway.stress.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Measures what a start costs: a process that loads one configuration, logs one line and ends. */
final class StartupBench {
  private static final List<String> KINDS =
      List.of("rolling-file", "async-8192", "spillway-file", "spillway");
  private static final double MILLIS = 1e-3;
  private static final double MEGABYTES = 1024;

  private final BenchJvm jvm;
  private final int repeat;

  StartupBench(BenchJvm jvm, int repeat) {
    this.jvm = jvm;
    this.repeat = repeat;
  }

  /** Measures processes of every configuration in turn. */
  void run() throws IOException, InterruptedException {
    Measurement cpu = new Measurement();
    Measurement memory = new Measurement();
    Measurement classes = new Measurement();
    for (int run = 0; run < repeat; run++) {
      for (String kind : KINDS) {
        BenchJvm.Figures figures =
            jvm.runTimed(List.of(), kind, Child.class.getName(), kind, "DIR");
        cpu.add(kind, figures.get("cpuSeconds"));
        memory.add(kind, figures.get("peakKilobytes"));
        figures =
            jvm.runTimed(List.of("-Xlog:class+load"), kind, Child.class.getName(), kind, "DIR");
        classes.add(kind, figures.get("classes"));
      }
    }
    System.out.println("Start, one line, end of the process:");
    System.out.print(cpu.table("ms of CPU", MILLIS));
    System.out.print(memory.table("MB at most", MEGABYTES));
    System.out.print(classes.table("classes", 1));
  }

  /**
   * Measures a Spring Boot application that ends by itself, with each configuration.
   *
   * @param classPath the class path of the application
   * @param main its main class
   */
  void run(String classPath, String main) throws IOException, InterruptedException {
    Measurement started = new Measurement();
    Measurement cpu = new Measurement();
    for (int run = 0; run < repeat; run++) {
      for (String kind : KINDS) {
        BenchJvm.Figures figures =
            jvm.runTimed(
                List.of("-cp", classPath, "-DqueueSize=8192"),
                kind,
                main,
                "--logging.config=" + Configurations.resource(kind));
        started.add(kind, figures.get("startedSeconds"));
        cpu.add(kind, figures.get("cpuSeconds"));
      }
    }
    System.out.println("Start of " + main + ":");
    System.out.print(started.table("ms until started", MILLIS));
    System.out.print(cpu.table("ms of CPU", MILLIS));
  }

  /** Logs one line; prints the peak resident memory of the process as {@code peakKilobytes=...}. */
  public static final class Child {
    private static final Pattern PEAK = Pattern.compile("VmHWM:\\s*(\\d+) kB");

    private Child() {}

    /**
     * Runs the measurement once.
     *
     * @param args configuration, directory
     * @throws Exception if the configuration is broken
     */
    public static void main(String[] args) throws Exception {
      Configurations.Logging logging = Configurations.open(args[0], Path.of(args[1]));
      logging.logger().info("order {} accepted, 3 items", 4711);
      logging.stop().run();
      byte[] status = Files.readAllBytes(Path.of("/proc/self/status"));
      Matcher peak = PEAK.matcher(new String(status, StandardCharsets.UTF_8));
      System.out.println("peakKilobytes=" + (peak.find() ? peak.group(1) : "NaN"));
    }
  }
}
