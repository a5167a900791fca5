package io.spillway.stress.cli;

import io.spillway.stress.plan.RunOptions;
import io.spillway.stress.report.Limits;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options that all runs share, and their checks. */
final class LoadOptions {

  private static final double WARM_UP_SECONDS = 3;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec command;

  @Option(
      names = "--threads",
      paramLabel = "N",
      defaultValue = "300",
      description = "Application threads, 1 to 10000 (default ${DEFAULT-VALUE}).")
  private int threads;

  @Option(
      names = "--rate",
      paramLabel = "N[/s]",
      defaultValue = "5000/s",
      converter = RateConverter.class,
      description = "Events a second over all threads (default ${DEFAULT-VALUE}).")
  private double rate;

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      defaultValue = "1GB",
      converter = SizeConverter.class,
      description = "File size at which to rotate, e.g. 64MB (default ${DEFAULT-VALUE}).")
  private long size;

  @Option(
      names = "--no-rotation",
      description = "The same load with the limit out of reach, to compare latencies with.")
  private boolean noRotation;

  @Option(
      names = "--duration",
      paramLabel = "SECONDS",
      defaultValue = "5",
      description =
          "Seconds of measured load before the rotation and again after it, 1 to 600"
              + " (default ${DEFAULT-VALUE}).")
  private int duration;

  @Option(
      names = "--heap",
      paramLabel = "SIZE",
      defaultValue = "512m",
      description = "Heap of each forked JVM, as for -Xmx (default ${DEFAULT-VALUE}).")
  private String heap;

  @Option(
      names = "--repeat",
      paramLabel = "N",
      defaultValue = "1",
      description = "Go through the trials so often, and report medians (default 1, up to 100).")
  private int repeat;

  @Option(
      names = "--max-park",
      paramLabel = "TIME",
      defaultValue = "0ms",
      converter = MillisConverter.class,
      description =
          "Violated if an application thread waits longer inside logging (default"
              + " ${DEFAULT-VALUE}: not at all).")
  private double maxPark;

  @Option(
      names = "--max-loss",
      paramLabel = "N",
      defaultValue = "0",
      description = "Violated if more events are lost (default ${DEFAULT-VALUE}).")
  private long maxLoss;

  @Option(
      names = "--max-p999",
      paramLabel = "TIME",
      defaultValue = "50ms",
      converter = MillisConverter.class,
      description =
          "Violated if the 99.9th percentile of log calls is longer, in the rotation or outside it"
              + " (default ${DEFAULT-VALUE}).")
  private double maxP999;

  @Option(names = "--keep", description = "Keep log files and flight recordings.")
  private boolean keep;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      defaultValue = "spillway-results",
      description = "Directory that gets one directory a run (default ${DEFAULT-VALUE}).")
  private Path out;

  /** The options, if each of them makes sense. */
  RunOptions checked() {
    require(
        "--threads", threads, "a number from 1 to 10000", () -> threads >= 1 && threads <= 10_000);
    require("--duration", duration, "1 to 600 seconds", () -> duration >= 1 && duration <= 600);
    require("--heap", heap, "a size such as 512m or 2g", () -> heap.matches("[1-9][0-9]*[kKmMgG]"));
    require("--repeat", repeat, "a number from 1 to 100", () -> repeat >= 1 && repeat <= 100);
    require("--max-loss", maxLoss, "0 or more events", () -> maxLoss >= 0);
    return new RunOptions(
        threads,
        rate,
        size,
        !noRotation,
        WARM_UP_SECONDS,
        duration,
        heap,
        repeat,
        new Limits(maxPark, maxLoss, maxP999),
        keep,
        out,
        null);
  }

  private void require(String option, Object value, String allowed, BooleanSupplier holds) {
    if (!holds.getAsBoolean()) {
      throw new ParameterException(
          command.commandLine(),
          "Invalid value for option '" + option + "': '" + value + "'; allowed: " + allowed);
    }
  }
}
