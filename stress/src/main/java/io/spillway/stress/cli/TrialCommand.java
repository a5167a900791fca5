package io.spillway.stress.cli;

import io.spillway.stress.load.LoadSpec;
import io.spillway.stress.plan.Run;
import io.spillway.stress.plan.RunOptions;
import io.spillway.stress.plan.Trial;
import io.spillway.stress.report.Judge;
import io.spillway.stress.report.RefusedException;
import io.spillway.stress.report.ResultFiles;
import io.spillway.stress.report.RunResult;
import io.spillway.stress.report.TextTable;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** Base of the commands that run trials: shared options, their checks, the printed result. */
abstract class TrialCommand implements Callable<Integer> {

  private static final double WARM_UP_SECONDS = 3;

  @Spec CommandSpec spec;
  @ParentCommand CommandLineTool tool;

  @Option(
      names = "--threads",
      paramLabel = "N",
      defaultValue = "300",
      description = "Application threads, 1 to 10000 (default ${DEFAULT-VALUE}).")
  private int threads;

  @Option(
      names = "--virtual-threads",
      description = "Application threads are virtual ones. Needs Java 21 or newer.")
  private boolean virtualThreads;

  @Option(
      names = "--rate",
      paramLabel = "N[/s]",
      defaultValue = "5000/s",
      converter = Units.Rate.class,
      description =
          "Events a second over all threads (default ${DEFAULT-VALUE}), in an open loop: each call"
              + " has its time, whether the one before it has returned or not.")
  private double rate;

  @Option(
      names = "--message-size",
      paramLabel = "BYTES",
      defaultValue = "0",
      description =
          "Bytes of each event's text, up to 1000000 (default 0: about 53, lines of about 138).")
  private int messageSize;

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      split = ",",
      defaultValue = "512MB",
      converter = Units.Size.class,
      description =
          "File size at which to rotate, e.g. 64MB (default ${DEFAULT-VALUE}); several, as in"
              + " 1GB,4GB, take each trial once a size.")
  private List<Long> sizes;

  @Option(
      names = "--no-rotation",
      description = "The same load with the limit out of reach, to compare latencies with.")
  private boolean noRotation;

  @Option(
      names = "--rotations",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "How many rotations the load goes on for, 1 to 20 (default ${DEFAULT-VALUE}): with a"
              + " --size that the --rate fills in seconds, rollover upon rollover. All from the"
              + " first to the last archive counts as in the rotation. Not for a --config that"
              + " rolls over by the clock alone.")
  private int rotations;

  @Option(
      names = "--with",
      paramLabel = "WHAT",
      split = ",",
      description =
          "What events carry besides their message: throwable (every tenth event, 30 frames and a"
              + " cause), mdc, marker, caller (the built-in configurations print file and line).")
  private List<LoadSpec.Extra> extras = List.of();

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
      converter = Units.Heap.class,
      description = "Heap of each forked JVM, such as 2GB or 2g (default ${DEFAULT-VALUE}).")
  private String heap;

  @Option(
      names = "--repeat",
      paramLabel = "N",
      defaultValue = "1",
      description = "Go through the trials so often, and report medians (default 1, up to 100).")
  private int repeat;

  @Option(
      names = "--max-held",
      paramLabel = "TIME",
      defaultValue = "1s",
      converter = Units.Millis.class,
      description =
          "Violated if application threads spend longer in log calls of 10 ms or more, in"
              + " thread-time a minute of load: 1s (the default) is one thread for a second, or"
              + " twenty for 50 ms each.")
  private double maxHeld;

  @Option(
      names = "--max-p999",
      paramLabel = "TIME",
      defaultValue = "50ms",
      converter = Units.Millis.class,
      description =
          "Violated if the 99.9th percentile of response time, from the moment at which a call was"
              + " due to its return, is longer in the rotation or outside it (default"
              + " ${DEFAULT-VALUE}).")
  private double maxP999;

  @Option(
      names = "--max-loss",
      paramLabel = "N",
      defaultValue = "0",
      description = "Violated if more events are lost (default ${DEFAULT-VALUE}).")
  private long maxLoss;

  @Option(names = "--keep", description = "Keep log files and flight recordings.")
  private boolean keep;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      defaultValue = "spillway-results",
      description = "Directory that gets one directory a run (default ${DEFAULT-VALUE}).")
  private Path out;

  /** The scenario field that has set each option, by the option's name. */
  private final Map<String, String> fields = new HashMap<>();

  /** Takes over the settings of a scenario, except those that the command line gives, too. */
  final void take(Scenario scenario) {
    Scenario.Content content = scenario.content();
    take(scenario, "--threads", "threads", content.threads(), value -> threads = value);
    take(scenario, "--rate", "rate", content.rate(), value -> rate = value);
    take(scenario, "--message-size", "messageSize", content.messageSize(), v -> messageSize = v);
    take(scenario, "--size", "sizes", content.sizes(), value -> sizes = value);
    take(scenario, "--duration", "duration", content.duration(), value -> duration = value);
    take(scenario, "--heap", "heap", content.heap(), value -> heap = value);
    take(scenario, "--repeat", "repeat", content.repeat(), value -> repeat = value);
    Scenario.Bounds limits = content.limits();
    if (limits != null) {
      take(scenario, "--max-held", "limits.maxHeld", limits.maxHeld(), v -> maxHeld = v);
      take(scenario, "--max-p999", "limits.maxP999", limits.maxP999(), v -> maxP999 = v);
      take(scenario, "--max-loss", "limits.maxLoss", limits.maxLoss(), v -> maxLoss = v);
    }
  }

  private <T> void take(Scenario from, String option, String field, T value, Consumer<T> setter) {
    if (value != null && !given(option)) {
      fields.put(option, from.field(field));
      setter.accept(value);
    }
  }

  private boolean given(String option) {
    return spec.commandLine().getParseResult().hasMatchedOption(option);
  }

  /**
   * Returns the distinct sizes from the command line, else those of the trial, which may be null,
   * else those of the scenario; empty if none of these names one.
   */
  final List<Long> sizesAsked(List<Long> ofTrial) {
    List<Long> ofAll = given("--size") || fields.containsKey("--size") ? sizes : List.of();
    List<Long> asked = ofTrial != null && !given("--size") ? ofTrial : ofAll;
    return asked.stream().distinct().toList();
  }

  /** Returns the sizes as {@link #sizesAsked} does, or the default size if none is named. */
  final List<Long> sizes(List<Long> ofTrial) {
    List<Long> asked = sizesAsked(ofTrial);
    return asked.isEmpty() ? sizes : asked;
  }

  /** Returns the options; refuses values that are out of range. */
  final RunOptions checked() {
    requireRange("--threads", threads, 1, 10_000, "a number from 1 to 10000");
    requireRange("--duration", duration, 1, 600, "1 to 600 seconds");
    requireRange("--message-size", messageSize, 0, 1_000_000, "0 to 1000000 bytes");
    requireRange("--repeat", repeat, 1, 100, "a number from 1 to 100");
    requireRange("--rotations", rotations, 1, 20, "a number from 1 to 20");
    requireRange("--max-loss", maxLoss, 0, Long.MAX_VALUE, "0 or more events");
    int java = Runtime.version().feature();
    if (virtualThreads && java < 21) {
      throw wrong("--virtual-threads", "Java " + java, "Java 21 or newer (set JAVA_HOME)");
    }
    return new RunOptions(
        threads,
        virtualThreads,
        rate,
        messageSize,
        !noRotation,
        rotations,
        extras.isEmpty() ? Set.of() : EnumSet.copyOf(extras),
        WARM_UP_SECONDS,
        duration,
        heap,
        repeat,
        new Judge.Limits(maxHeld / 1_000, maxP999, maxLoss),
        keep,
        out,
        null);
  }

  private void requireRange(String option, long value, long least, long most, String allowed) {
    if (value < least || value > most) {
      throw wrong(option, value, allowed);
    }
  }

  /** Returns the refusal of a value, which names the option or the scenario's field. */
  final RuntimeException wrong(String option, Object value, String allowed) {
    String what = "'" + value + "'; allowed: " + allowed;
    return fields.containsKey(option)
        ? new RefusedException(fields.get(option) + ": " + what)
        : new ParameterException(
            spec.commandLine(), "Invalid value for option '" + option + "': " + what);
  }

  /**
   * Runs the trials; prints the results and the paths of the files.
   *
   * @param scenario the scenario that the trials are part of, or null
   */
  final Run.Finished finish(List<Trial> trials, RunResult.Scenario scenario)
      throws IOException, InterruptedException {
    PrintStream to = tool.out;
    Run.Finished finished = new Run(checked(), trials, tool.arguments, scenario, to).execute();
    RunResult result = finished.result();
    to.printf("%n%s%n%n%s%n", result.finding(), TextTable.of(result));
    result.trials().forEach(t -> to.printf("%s (%s): %s%n", t.label(), t.verdict(), t.finding()));
    to.println();
    if (result.scenario() != null && !result.scenario().published().isEmpty()) {
      to.println("Published: " + result.scenario().source());
      to.println(TextTable.of(result.scenario()));
    }
    result.notes().forEach(note -> to.println("Note: " + note));
    ResultFiles files = new ResultFiles(finished.file().getParent());
    to.println("Verdict: " + result.verdict());
    to.println("Report:  " + files.html());
    to.println("Figures: " + files.json());
    to.printf(
        "To paste, for CI: %s, %s%n", files.markdown().getFileName(), files.junit().getFileName());
    return finished;
  }
}
