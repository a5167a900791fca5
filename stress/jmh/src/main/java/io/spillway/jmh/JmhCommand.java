package io.spillway.jmh;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.BenchmarkList;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.format.OutputFormat;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Runs benchmarks through JMH, which prints the table; writes figures as JSON. */
@Command(
    name = "spillway-stress jmh",
    mixinStandardHelpOptions = true,
    version = "spillway-stress 0.1.0-SNAPSHOT",
    customSynopsis = "spillway-stress jmh [-hV] [--quick] [--out=DIR] [REGEX] [-- JMH OPTIONS]",
    description = {
      "What a log call costs its caller, at saturation and below, and what each stage behind it"
          + " costs. Ends with a table, and writes JMH's JSON. Needs 2 GB of disk"
          + " for a while.",
      "%nJMH's own options follow after --, such as: -- -f 1 -prof gc. With -- -h it lists them,"
          + " with -- -l the benchmarks.",
      "%nExit codes: 0 done, 1 a benchmark failed, for example because events were lost that must"
          + " not be, 2 wrong options or no such benchmark."
    })
final class JmhCommand implements Callable<Integer> {
  private static final String ALL = ".*";
  private static final DateTimeFormatter STAMP =
      DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss-SSS", Locale.ROOT);

  @Parameters(
      arity = "0..1",
      paramLabel = "REGEX",
      defaultValue = ALL,
      description = "Benchmarks in whose full name it is found. Default: all.")
  private String regex;

  @Option(
      names = "--quick",
      description =
          "A minute instead of half an hour: one fork, fractions of a second, fewer threads and"
              + " contents. Shows that everything works; the figures are worth nothing.")
  private boolean quick;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      defaultValue = "spillway-results",
      description = "Where the JSON file goes. Default: ${DEFAULT-VALUE}.")
  private Path out;

  @Spec private CommandSpec spec;

  private final List<String> jmhArguments;
  private final PrintStream console;

  JmhCommand(List<String> jmhArguments, PrintStream console) {
    this.jmhArguments = jmhArguments;
    this.console = console;
  }

  @Override
  public Integer call() throws IOException, BenchmarkFailure {
    CommandLineOptions given = jmhOptions();
    if (given.shouldHelp()) {
      given.showHelp();
      return CommandLine.ExitCode.OK;
    }
    requireRegex();
    String name = "jmh-" + LocalDateTime.now().format(STAMP);
    Path result = out.resolve(name + ".json");
    Options options = options(given, result);
    if (given.shouldList()) {
      new Runner(options).list();
      return CommandLine.ExitCode.OK;
    }
    requireBenchmarks(options);
    Files.createDirectories(out);
    run(options);
    console.println("Figures: " + result);
    return CommandLine.ExitCode.OK;
  }

  private CommandLineOptions jmhOptions() {
    try {
      return new CommandLineOptions(jmhArguments.toArray(String[]::new));
    } catch (CommandLineOptionException e) {
      throw new ParameterException(
          spec.commandLine(),
          "Invalid JMH options "
              + jmhArguments
              + ": "
              + e.getMessage()
              + ". To do: see them with: spillway-stress jmh -- -h");
    }
  }

  private void requireRegex() {
    try {
      Pattern.compile(regex);
    } catch (PatternSyntaxException e) {
      throw refused("is not a regular expression: " + e.getDescription());
    }
  }

  /** Refuses a REGEX without a match; JMH would do so only after creating an empty result file. */
  private void requireBenchmarks(Options options) {
    OutputFormat silent = OutputFormatFactory.createFormatInstance(console, VerboseMode.SILENT);
    if (BenchmarkList.defaultList()
        .find(silent, options.getIncludes(), options.getExcludes())
        .isEmpty()) {
      throw refused("matches no benchmark");
    }
  }

  private ParameterException refused(String why) {
    return new ParameterException(
        spec.commandLine(),
        "Invalid value for REGEX: '"
            + regex
            + "' "
            + why
            + ". To do: see the names of all benchmarks with: spillway-stress jmh -- -l");
  }

  private Options options(CommandLineOptions given, Path result) {
    OptionsBuilder options = new OptionsBuilder();
    options.parent(quick ? Quick.options(given, regex.equals(ALL)) : given);
    options.include(regex);
    options.resultFormat(ResultFormatType.JSON);
    options.result(result.toString());
    return options.build();
  }

  /**
   * Runs JMH and fails if a benchmark failed; JMH continues after a failure, which would only be
   * missing among the figures.
   */
  private void run(Options options) throws BenchmarkFailure {
    VerboseMode verbosity = options.verbosity().orElse(VerboseMode.NORMAL);
    FailureWatch watch =
        new FailureWatch(OutputFormatFactory.createFormatInstance(console, verbosity));
    try {
      new Runner(options, watch.format()).run();
    } catch (RunnerException e) {
      throw new BenchmarkFailure(String.valueOf(e.getMessage()));
    }
    if (!watch.failed().isEmpty()) {
      throw new BenchmarkFailure("failed, see above: " + String.join(", ", watch.failed()));
    }
  }
}
