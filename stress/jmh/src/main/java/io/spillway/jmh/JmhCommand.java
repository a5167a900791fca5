package io.spillway.jmh;

import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.results.format.ResultFormatFactory;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.NoBenchmarksException;
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
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Runs benchmarks through JMH in rounds, prints the medians as tables; {@code main} is here. */
@Command(
    name = "spillway-stress jmh",
    mixinStandardHelpOptions = true,
    version = "spillway-stress 0.1.0-SNAPSHOT",
    customSynopsis =
        "spillway-stress jmh [-hV] [--quick] [--rounds=N] [--directory=DIR] [--out=DIR] [REGEX]"
            + " [-- JMH OPTIONS]",
    description = {
      "Spillway beside its peers: events in the file a second, processor time, duration of log"
          + " calls, start; and Spillway's encoder and spill alone. Ends with tables in Markdown,"
          + " and keeps them beside JMH's JSON.",
      "%nJMH's own options follow after --, such as: -- -p producers=8 -p caller=BUSY. With -- -h"
          + " it lists them, with -- -l the benchmarks and their parameters.",
      "%nExit codes: 0 done, 1 a benchmark failed, for example because events were lost, 2 wrong"
          + " options or no such benchmark."
    })
public final class JmhCommand implements Callable<Integer> {
  private static final DateTimeFormatter STAMP =
      DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss-SSS", Locale.ROOT);

  /** JMH's options for a quick run, whose JVMs mostly live too short for a second compiler. */
  private static final List<String> QUICK =
      List.of(
          "-f 1",
          "-wi 0",
          "-i 1",
          "-r 50ms",
          "-jvmArgsPrepend -XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
          "-p caller=BUSY",
          "-p events=20000",
          "-p seconds=0.2");

  @Parameters(
      arity = "0..1",
      paramLabel = "REGEX",
      defaultValue = ".*",
      description = "Benchmarks in whose full name it is found. Default: all.")
  private Pattern regex;

  @Option(
      names = "--quick",
      description =
          "A minute or two instead of an hour: few events, fractions of a second. Shows that"
              + " everything works; the figures are worth nothing.")
  private boolean quick;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "How often everything is repeated. Appenders are compared round by round."
              + " Default: ${DEFAULT-VALUE}.")
  private int rounds;

  @Option(
      names = "--directory",
      paramLabel = "DIR",
      defaultValue = "${sys:java.io.tmpdir}",
      description =
          "Where the log files go, on a disk or in memory; up to 1 GB for a while."
              + " Default: ${DEFAULT-VALUE}.")
  private Path directory;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      defaultValue = "spillway-results",
      description = "Where tables and JSON go. Default: ${DEFAULT-VALUE}.")
  private Path out;

  @Spec private CommandSpec spec;

  private final List<String> jmhArguments;
  private final PrintStream console;

  private JmhCommand(List<String> jmhArguments, PrintStream console) {
    this.jmhArguments = jmhArguments;
    this.console = console;
  }

  /** Runs the command; exits with 0, with 1 if a benchmark failed, with 2 for wrong options. */
  public static void main(String[] arguments) {
    System.exit(execute(List.of(arguments), System.out, System.err));
  }

  /** Runs the command and returns the exit code. */
  static int execute(List<String> arguments, PrintStream out, PrintStream err) {
    int dashes = arguments.indexOf("--");
    int end = dashes < 0 ? arguments.size() : dashes;
    List<String> jmh = arguments.subList(Math.min(end + 1, arguments.size()), arguments.size());
    return new CommandLine(new JmhCommand(jmh, out))
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .setExecutionExceptionHandler(
            (failure, command, parsed) -> {
              boolean ofJmh = failure instanceof RunnerException;
              String why = ofJmh ? "failed, see above: " + failure.getMessage() : "" + failure;
              err.println("spillway-stress jmh: " + why);
              return ExitCode.SOFTWARE;
            })
        .execute(arguments.subList(0, end).toArray(String[]::new));
  }

  @Override
  public Integer call() throws IOException, RunnerException {
    CommandLineOptions given;
    try {
      given = new CommandLineOptions(jmhOptions().toArray(String[]::new));
    } catch (CommandLineOptionException e) {
      throw refused(
          "Invalid JMH options %s: %s. To do: see them with: spillway-stress jmh -- -h",
          jmhArguments, e.getMessage());
    }
    if (given.shouldHelp()) {
      given.showHelp();
      return ExitCode.OK;
    }
    Options options = options(given);
    if (given.shouldList() || given.shouldListWithParams()) {
      new Runner(options).listWithParams(given);
      return ExitCode.OK;
    }
    if (rounds < 1) {
      throw refused("Invalid value for --rounds: %d. To do: give 1 or more", rounds);
    }
    Files.createDirectories(out);
    Files.createDirectories(directory);
    System.setProperty(WorkDirectory.PLACE, directory.toString());
    String name = "jmh-" + LocalDateTime.now().format(STAMP);
    Figures figures = new Figures();
    for (int round = 1; round <= rounds; round++) {
      Collection<RunResult> results = run(options);
      String json = out.resolve(name + "-" + round + ".json").toString();
      ResultFormatFactory.getInstance(ResultFormatType.JSON, json).writeOut(results);
      figures.add(results);
    }
    Path tables = Files.writeString(out.resolve(name + ".md"), figures.markdown());
    console.println("JMH adds secondary figures of iterations up; the tables take medians.\n");
    console.println(figures.markdown());
    console.println("Figures: " + tables);
    return ExitCode.OK;
  }

  private ParameterException refused(String text, Object... values) {
    return new ParameterException(spec.commandLine(), text.formatted(values));
  }

  /** Returns JMH's options as given, with those of a quick run that are not among them. */
  private List<String> jmhOptions() {
    List<String> options = new ArrayList<>(jmhArguments);
    for (String option : quick ? QUICK : List.<String>of()) {
      String name = option.replaceAll("^-p |[ =].*", "");
      if (jmhArguments.stream().noneMatch(given -> given.matches(name + "([^a-zA-Z].*)?"))) {
        options.addAll(List.of(option.split(" ", 2)));
      }
    }
    return options;
  }

  /** Adds to JMH's options; without {@code shouldFailOnError}, JMH continues after a failure. */
  private Options options(CommandLineOptions given) {
    List<String> arguments = new ArrayList<>(given.getJvmArgsAppend().orElse(List.of()));
    arguments.add("-D" + WorkDirectory.PLACE + "=" + directory);
    return new OptionsBuilder()
        .parent(given)
        .include(regex.pattern())
        .shouldFailOnError(true)
        .jvmArgsAppend(arguments.toArray(String[]::new))
        .build();
  }

  private Collection<RunResult> run(Options options) throws RunnerException {
    VerboseMode verbosity = options.verbosity().orElse(VerboseMode.NORMAL);
    OutputFormat format = OutputFormatFactory.createFormatInstance(console, verbosity);
    try {
      return new Runner(options, format).run();
    } catch (NoBenchmarksException e) {
      throw refused(
          "Invalid value for REGEX: '%s' matches no benchmark. To do: see all with:"
              + " spillway-stress jmh -- -l",
          regex);
    }
  }
}
