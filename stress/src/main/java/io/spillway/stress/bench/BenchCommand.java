package io.spillway.stress.bench;

import ch.qos.logback.core.util.FileSize;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Measures what needs no rotation. */
@Command(
    name = "bench",
    description = {
      "Measures throughput beside the peers, the median log call, idle cost, spill and replay,",
      "rollovers and compression, and what being watched and what the flight recording of a run",
      "cost;",
      "each in a JVM of its own, in turn, several times. Prints medians and ratios."
    })
public final class BenchCommand implements Callable<Integer> {
  private static final String OWN_CLASS_PATH = System.getProperty("java.class.path");
  private static final List<String> LOGBACK_KINDS =
      List.of("rolling-file", "async-8192", "spillway", "spillway-file");

  /** What can be measured. */
  enum What {
    THROUGHPUT,
    LATENCY,
    IDLE,
    SPILL,
    ROLLOVER,
    WATCH,
    RECORDER
  }

  @Parameters(
      arity = "0..*",
      description = "What to measure: ${COMPLETION-CANDIDATES}. Default: all.")
  private List<What> what = List.of(What.values());

  @Option(
      names = "--repeat",
      defaultValue = "3",
      paramLabel = "N",
      description = "Runs of each measurement, in turn. Default: ${DEFAULT-VALUE}.")
  private int repeat;

  @Option(
      names = "--events",
      defaultValue = "6000000",
      paramLabel = "N",
      description = "Events of a throughput run. Default: ${DEFAULT-VALUE}.")
  private int events;

  @Option(
      names = "--producers",
      split = ",",
      defaultValue = "1,8,300",
      paramLabel = "N",
      description = "Producer threads of the throughput runs. Default: ${DEFAULT-VALUE}.")
  private List<Integer> producers;

  @Option(
      names = "--size",
      defaultValue = "4GB",
      paramLabel = "SIZE",
      description = "A big file, for rollovers. Default: ${DEFAULT-VALUE}.")
  private String size;

  @Option(
      names = "--out",
      defaultValue = ".",
      paramLabel = "DIR",
      description = "Where log files are written, and removed again. Default: here.")
  private Path out;

  @Spec private CommandSpec command;

  private final Log4j2Peer log4j2 = Log4j2Peer.find();
  private BenchJvm jvm;

  /** Made by picocli. */
  public BenchCommand() {}

  @Override
  public Integer call() throws IOException, InterruptedException {
    jvm = new BenchJvm(Files.createDirectories(out));
    for (What each : what) {
      switch (each) {
        case THROUGHPUT -> {
          for (int count : producers) {
            throughput(count);
          }
        }
        case LATENCY -> latency();
        case IDLE -> idle();
        case SPILL -> spill();
        case ROLLOVER -> new RolloverBench(jvm, OWN_CLASS_PATH, repeat).run(bigBytes());
        case WATCH -> new WatchBench(jvm, OWN_CLASS_PATH, repeat).run();
        case RECORDER -> new RecorderBench(jvm, OWN_CLASS_PATH, repeat).run();
        default -> throw new IllegalStateException(String.valueOf(each));
      }
    }
    return CommandLine.ExitCode.OK;
  }

  private long bigBytes() {
    try {
      return FileSize.valueOf(size).getSize();
    } catch (IllegalArgumentException e) {
      throw new CommandLine.ParameterException(
          command.commandLine(),
          "Invalid value for option '--size': '" + size + "'; allowed: a size such as 4GB");
    }
  }

  private void throughput(int count) throws IOException, InterruptedException {
    Measurement perSecond = new Measurement();
    int each = events / count;
    int warmUp = events / 2;
    String[] load = {String.valueOf(count), String.valueOf(each), String.valueOf(warmUp)};
    for (int run = 0; run < repeat; run++) {
      for (String kind : LOGBACK_KINDS) {
        record(
            perSecond,
            kind,
            count * each,
            warmUp,
            jvm.run(OWN_CLASS_PATH, ThroughputChild.class.getName(), kind, load));
      }
      if (log4j2 != null) {
        record(
            perSecond,
            "log4j2-async",
            count * each,
            warmUp,
            jvm.run(log4j2.classPath(), Log4j2Peer.MAIN, null, load));
      }
    }
    System.out.printf("Throughput, %d producers, lossless, end to end:%n", count);
    System.out.print(perSecond.table("M events/s", 1e6));
    List<String> peers = new ArrayList<>(List.of("rolling-file", "async-8192"));
    if (log4j2 != null) {
      peers.add("log4j2-async");
    }
    System.out.print(perSecond.ratio("spillway-file / best peer", "spillway-file", peers));
  }

  private static void record(
      Measurement perSecond, String kind, int sent, int warmUp, BenchJvm.Figures figures) {
    if (figures.lines() != sent + (long) warmUp) {
      System.out.printf("  %s lost events: %d lines of %d%n", kind, figures.lines(), sent + warmUp);
    }
    perSecond.add(kind, sent * 1e9 / figures.get("nanos"));
  }

  private void latency() throws IOException, InterruptedException {
    Measurement p50 = new Measurement();
    for (int run = 0; run < repeat; run++) {
      for (String kind : LOGBACK_KINDS) {
        BenchJvm.Figures figures =
            jvm.run(OWN_CLASS_PATH, LatencyChild.class.getName(), kind, "5000", "10");
        p50.add(kind + " p50", figures.get("p50"));
        p50.add(kind + " p99.9", figures.get("p999"));
      }
    }
    System.out.println("Log call, 1 producer, 5,000 events/s:");
    System.out.print(p50.table("us", 1e3));
  }

  private void idle() throws IOException, InterruptedException {
    Measurement cpu = new Measurement();
    Measurement lone = new Measurement();
    Measurement call = new Measurement();
    for (int run = 0; run < repeat; run++) {
      BenchJvm.Figures figures =
          jvm.run(OWN_CLASS_PATH, IdleChild.class.getName(), "spillway-file", "20");
      cpu.add("idle", figures.get("cpuPercent"));
      lone.add("lone event p50", figures.get("loneP50"));
      lone.add("lone event max", figures.get("loneMax"));
      call.add("its log call p50", figures.get("callP50"));
      call.add("its log call max", figures.get("callMax"));
    }
    System.out.println("Idle spillway-file:");
    System.out.print(cpu.table("% of a core", 1));
    System.out.print(lone.table("ms until in the file", 1e6));
    System.out.print(call.table("us", 1e3));
  }

  private void spill() throws IOException, InterruptedException {
    Measurement rates = new Measurement();
    for (int run = 0; run < repeat; run++) {
      BenchJvm.Figures figures =
          jvm.run(OWN_CLASS_PATH, SpillChild.class.getName(), "spillway-stall", "2000000");
      rates.add("spill", figures.get("spillPerSecond"));
      rates.add("replay", figures.get("replayPerSecond"));
      rates.add("direct", figures.get("directPerSecond"));
    }
    System.out.println("Stuck sink, SpillwayAppender over a buffered RollingFileAppender:");
    System.out.print(rates.table("M events/s", 1e6));
    System.out.print(rates.ratio("replay / direct", "replay", List.of("direct")));
  }
}
