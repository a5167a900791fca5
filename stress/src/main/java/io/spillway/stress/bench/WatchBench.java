package io.spillway.stress.bench;

import ch.qos.logback.classic.LoggerContext;
import io.spillway.stress.Main;
import io.spillway.stress.fork.ChildCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;
import org.HdrHistogram.Histogram;

/** Measures what a watch costs the watched JVM: the same load watched and alone, in turn. */
final class WatchBench {
  private static final String PACED_SECONDS = "20";
  private static final List<String> PERCENTILES = List.of("p50", "p99", "p99.9");

  private final BenchJvm jvm;
  private final int repeat;
  private final Measurement calls = new Measurement();
  private final Measurement cpu = new Measurement();
  private final Measurement work = new Measurement();

  WatchBench(BenchJvm jvm, int repeat) {
    this.jvm = jvm;
    this.repeat = repeat;
  }

  /** Runs all measurements and prints their figures. */
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
        jvm.run(Child.class, "spillway-file", PACED_SECONDS, Boolean.toString(watched));
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

  /**
   * Runs {@link SteadyLoad}, then {@link ContendedWork}, optionally watched by {@code
   * spillway-stress watch} in another JVM. Prints percentiles of the log call's service time in
   * nanoseconds, CPU use during the load, and operations a second.
   */
  public static final class Child {

    private static final int WARM_UP_SECONDS = 10;
    private static final int OPERATIONS = 2_000_000;
    private static final double SECOND = 1e9;

    private Child() {}

    /**
     * Runs the measurement once.
     *
     * @param args configuration, directory, seconds, whether to be watched
     * @throws Exception if the configuration is broken or the watcher fails
     */
    public static void main(String[] args) throws Exception {
      Path directory = Path.of(args[1]);
      int seconds = Integer.parseInt(args[2]);
      boolean watched = Boolean.parseBoolean(args[3]);
      LoggerContext context = Configurations.load(args[0], directory);
      SteadyLoad load = new SteadyLoad(context);
      Histogram calls;
      ContendedWork work = new ContendedWork();
      try (Watcher watcher = watched ? Watcher.ofThisJvm(directory.resolve("watch")) : null) {
        load.run(WARM_UP_SECONDS);
        double[] before = cpuSeconds(watcher);
        calls = load.run(seconds);
        double[] after = cpuSeconds(watcher);
        work.perSecond(OPERATIONS / 4); // warm-up
        BenchJvm.tell("operationsPerSecond=%.0f", work.perSecond(OPERATIONS));
        BenchJvm.tell("cpuPercent=%.3f", 100 * (after[0] - before[0]) / seconds);
        BenchJvm.tell("watcherCpuPercent=%.3f", 100 * (after[1] - before[1]) / seconds);
      }
      context.stop();
      BenchJvm.tell(
          "p50=%d p99=%d p99.9=%d",
          calls.getValueAtPercentile(50),
          calls.getValueAtPercentile(99),
          calls.getValueAtPercentile(99.9));
    }

    /** Returns the CPU seconds of this JVM, then those of its watcher. */
    private static double[] cpuSeconds(Watcher watcher) {
      Duration own = ProcessHandle.current().info().totalCpuDuration().orElseThrow();
      Duration other = watcher == null ? Duration.ZERO : watcher.cpu();
      return new double[] {own.toNanos() / SECOND, other.toNanos() / SECOND};
    }
  }

  /**
   * Runs a fixed number of operations in threads at full speed. Each thread computes alone for some
   * microseconds, then for a fifth of that time inside a monitor shared by all threads.
   */
  static final class ContendedWork {
    private static final int THREADS = 64;
    private static final int ALONE_BYTES = 32 * 1024;
    private static final int INSIDE_BYTES = ALONE_BYTES / 5;

    private final Object monitor = new Object();
    private final byte[] bytes = new byte[ALONE_BYTES];
    private long sum;

    /** Runs the given number of operations, and returns the operations a second. */
    double perSecond(int operations) throws InterruptedException {
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        threads.add(new Thread(() -> work(operations / THREADS), "work-" + i));
      }
      long start = System.nanoTime();
      threads.forEach(Thread::start);
      for (Thread thread : threads) {
        thread.join();
      }
      return operations * 1e9 / (System.nanoTime() - start);
    }

    private void work(int operations) {
      for (int i = 0; i < operations; i++) {
        long alone = checksum(ALONE_BYTES);
        synchronized (monitor) {
          sum += alone + checksum(INSIDE_BYTES);
        }
      }
    }

    private long checksum(int length) {
      CRC32 crc = new CRC32();
      crc.update(bytes, 0, length);
      return crc.getValue();
    }
  }

  /** Runs {@code spillway-stress watch} on this JVM in a forked JVM, until it is closed. */
  static final class Watcher implements AutoCloseable {
    private static final String BEGUN = "Watching";
    private static final String MOST_SECONDS = "3600";
    private static final int TERMINATED = 143;

    private final Process process;

    private Watcher(Process process) {
      this.process = process;
    }

    /** Starts a watcher of this JVM and returns once it has begun to watch. */
    static Watcher ofThisJvm(Path out) throws IOException {
      List<String> command = new ArrayList<>();
      command.add(ChildCommand.java());
      command.addAll(List.of("--add-exports", "jdk.attach/sun.tools.attach=ALL-UNNAMED"));
      command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
      command.addAll(List.of("watch", Long.toString(ProcessHandle.current().pid())));
      command.addAll(List.of("--seconds", MOST_SECONDS, "--out", out.toString()));
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      BufferedReader said = process.inputReader();
      for (String line = said.readLine(); line != null; line = said.readLine()) {
        if (line.startsWith(BEGUN)) {
          Thread drain = new Thread(() -> said.lines().forEach(rest -> {}), "watcher-output");
          drain.setDaemon(true);
          drain.start();
          return new Watcher(process);
        }
      }
      throw new IOException("The watcher did not begin");
    }

    /** Returns the CPU time that the watcher has used so far. */
    Duration cpu() {
      return process.info().totalCpuDuration().orElseThrow();
    }

    /** Ends the watcher with a signal, as Ctrl-C does. */
    @Override
    public void close() throws IOException {
      process.destroy();
      if (process.onExit().join().exitValue() != TERMINATED) {
        throw new IOException("The watcher ended before its time: " + process.exitValue());
      }
    }
  }
}
