package io.spillway.stress.bench;

import ch.qos.logback.core.util.FileSize;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The {@code bench} command: runs measurements in forked JVMs and prints medians and ratios. */
@Command(
    name = "bench",
    mixinStandardHelpOptions = true,
    description =
        "Measures throughput beside the peers, the median log call, what a start costs, CPU in"
            + " steady traffic and at rest, spill and replay, acknowledged calls, rollovers and"
            + " compression, and what being watched and the flight recording of a run cost; each in"
            + " a JVM of its own, in turn, several times. Prints medians and ratios.")
public final class BenchCommand implements Callable<Integer> {
  /** The measurements that can be chosen. */
  enum What {
    THROUGHPUT,
    LATENCY,
    STARTUP,
    CPU,
    IDLE,
    SPILL,
    ACKNOWLEDGE,
    ROLLOVER,
    WATCH,
    RECORDER
  }

  @Parameters(
      arity = "0..*",
      description = "What to measure: ${COMPLETION-CANDIDATES}. Default: all.")
  private List<What> what = List.of(What.values());

  private static final int RUNS = 3;
  private static final long SMALLEST_BIG = 1 << 20;
  private static final int STARTS = 11; // starts are short and vary from run to run

  @Option(
      names = "--repeat",
      paramLabel = "N",
      description =
          "Runs of each measurement, in turn. Default: " + RUNS + ", of startup " + STARTS + ".")
  private Integer repeats;

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
      description =
          "Producer threads of the throughput and acknowledge runs. Default: ${DEFAULT-VALUE}.")
  private List<Integer> producers;

  @Option(
      names = "--caller",
      split = ",",
      defaultValue = "LIGHT,BUSY",
      paramLabel = "CALLER",
      description = {
        "What the producers of the throughput runs do: ${COMPLETION-CANDIDATES}; a busy one reads the",
        "clock, records a histogram, works with texts and logs five arguments. Default: both."
      })
  private List<ThroughputBench.Caller> callers;

  @Option(
      names = "--seconds",
      defaultValue = "8",
      paramLabel = "N",
      description =
          "Of each rate of cpu; five times that of the lowest. Default: ${DEFAULT-VALUE}.")
  private int seconds;

  @Option(
      names = "--boot-class-path",
      paramLabel = "PATH",
      description = {
        "Of an application of Spring Boot that ends by itself, without an SLF4J provider but Logback,",
        "with Spillway: startup measures the time until it has started, too."
      })
  private String bootClassPath;

  @Option(names = "--boot-main", paramLabel = "CLASS", description = "Its main class.")
  private String bootMain;

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

  /** Created by picocli. */
  public BenchCommand() {}

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (repeats != null) {
      require("--repeat", repeats, 1, 1_000);
    }
    require("--events", events, 1, 1_000_000_000);
    producers.forEach(count -> require("--producers", count, 1, 10_000));
    int most = Collections.max(producers);
    if (events < most) {
      throw wrong("--events", events, most + " or more, one for each of the most producers");
    }
    require("--seconds", seconds, 1, 3_600);
    long bigBytes = bigBytes();
    BenchJvm jvm = new BenchJvm(Files.createDirectories(out));
    int repeat = repeats == null ? RUNS : repeats;
    for (What each : what) {
      switch (each) {
        case THROUGHPUT -> {
          for (int count : producers) {
            for (ThroughputBench.Caller caller : callers) {
              new ThroughputBench(jvm, repeat, events).run(count, caller);
            }
          }
        }
        case LATENCY -> new LatencyBench(jvm, repeat).run();
        case STARTUP -> startup(jvm);
        case CPU -> new CpuBench(jvm, repeat, seconds).run();
        case IDLE -> new IdleBench(jvm, repeat).run();
        case SPILL -> new SpillBench(jvm, repeat).run();
        case ACKNOWLEDGE -> {
          for (int count : producers) {
            new AcknowledgeBench(jvm, repeat).run(count);
          }
        }
        case ROLLOVER -> new RolloverBench(jvm, repeat).run(bigBytes);
        case WATCH -> new WatchBench(jvm, repeat).run();
        case RECORDER -> new RecorderBench(jvm, repeat).run();
        default -> throw new IllegalStateException(String.valueOf(each));
      }
    }
    return CommandLine.ExitCode.OK;
  }

  private void startup(BenchJvm jvm) throws IOException, InterruptedException {
    StartupBench startup = new StartupBench(jvm, repeats == null ? STARTS : repeats);
    startup.run();
    if (bootClassPath != null && bootMain != null) {
      startup.run(bootClassPath, bootMain);
    }
  }

  private long bigBytes() {
    long bytes = 0;
    try {
      bytes = FileSize.valueOf(size).getSize();
    } catch (IllegalArgumentException e) {
      throw wrong("--size", size, "a size such as 4GB");
    }
    if (bytes < SMALLEST_BIG) {
      throw wrong("--size", size, "1MB or more");
    }
    return bytes;
  }

  private void require(String option, int value, int least, int most) {
    if (value < least || value > most) {
      throw wrong(option, value, least + " to " + most);
    }
  }

  private CommandLine.ParameterException wrong(String option, Object value, String allowed) {
    return new CommandLine.ParameterException(
        command.commandLine(),
        "Invalid value for option '" + option + "': '" + value + "'; allowed: " + allowed);
  }
}
