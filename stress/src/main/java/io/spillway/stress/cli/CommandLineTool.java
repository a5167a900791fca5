package io.spillway.stress.cli;

import io.spillway.stress.plan.RunDirectory;
import io.spillway.stress.plan.Trial;
import io.spillway.stress.plan.Trials;
import io.spillway.stress.report.RefusedException;
import io.spillway.stress.watch.Target;
import io.spillway.stress.watch.Watch;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The command line of the program: its commands and its exit codes. */
@Command(
    name = "spillway-stress",
    mixinStandardHelpOptions = true,
    version = "spillway-stress 0.1.0-SNAPSHOT",
    synopsisSubcommandLabel = "COMMAND",
    description = {
      "Shows what a Logback configuration does to application threads when its log file rotates.",
      "%nExit codes: 0 all promises held, 1 one was broken, 2 wrong options or no room,"
          + " 3 a trial was inconclusive, 4 the tester itself failed,"
          + " 130 after Ctrl-C, 143 after SIGTERM."
    },
    subcommands = {RunCommand.class, CalibrateCommand.class},
    footer =
        "%nThe JMH benchmarks are a program of their own: ./spillway-stress jmh --help tells more.")
public final class CommandLineTool {

  private static final int INTERRUPTED = 130;
  private static final int FAILED = 4;

  @Spec private CommandSpec spec;
  final PrintStream out;
  final List<String> arguments;

  private CommandLineTool(PrintStream out, List<String> arguments) {
    this.out = out;
    this.arguments = arguments;
  }

  /** Executes the command line and returns the exit code. */
  public static int execute(String[] arguments, PrintStream out, PrintStream err) {
    CommandLine tool = commandLine(new CommandLineTool(out, List.of(arguments)));
    tool.setOut(new PrintWriter(out, true));
    tool.setErr(new PrintWriter(err, true));
    tool.setExecutionExceptionHandler((failure, command, parsed) -> explain(failure, err));
    tool.setParameterExceptionHandler((wrong, given) -> explain(wrong));
    tool.setExitCodeExceptionMapper(
        failure -> failure instanceof ParameterException ? CommandLine.ExitCode.USAGE : FAILED);
    try {
      if (arguments.length > 0) {
        return tool.execute(arguments);
      }
      tool.usage(out);
      return CommandLine.ExitCode.USAGE;
    } catch (Error e) {
      // picocli does not catch errors; a JVM ended by one exits with 1, which means a broken limit
      e.printStackTrace(err);
      return FAILED;
    }
  }

  private static int explain(Exception failure, PrintStream err) throws Exception {
    if (RunDirectory.cancelled()) { // which explains any failure
      err.println("spillway-stress: cancelled; the files of this run are deleted");
      return INTERRUPTED;
    }
    if (failure instanceof RefusedException) {
      err.println("spillway-stress: " + failure.getMessage());
      return CommandLine.ExitCode.USAGE;
    }
    if (failure instanceof IOException) { // the message names the file or the disk
      err.println("spillway-stress: it failed: " + failure);
      return FAILED;
    }
    throw failure;
  }

  /** Prints the message without the usage, which would scroll the message off the screen. */
  private static int explain(ParameterException wrong) {
    CommandLine command = wrong.getCommandLine();
    PrintWriter err = command.getErr();
    err.println("spillway-stress: " + wrong.getMessage());
    UnmatchedArgumentException.printSuggestions(wrong, err);
    err.println(command.getCommandSpec().qualifiedName() + " --help shows all options");
    err.flush();
    return CommandLine.ExitCode.USAGE;
  }

  /** Returns a parser of the arguments that prints nothing. */
  static CommandLine commandLine() {
    return commandLine(new CommandLineTool(System.out, List.of()));
  }

  private static CommandLine commandLine(CommandLineTool tool) {
    return new CommandLine(tool)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .registerConverter(int.class, value -> Units.whole(value, Integer::valueOf))
        .registerConverter(long.class, value -> Units.whole(value, Long::valueOf));
  }

  @Command(
      mixinStandardHelpOptions = true,
      description =
          "Shows the built-in configurations that 'run --appender' knows, and the scenarios of"
              + " 'run --scenario'.")
  private int list(
      @Option(names = "--xml", description = "Shows the configurations, too.") boolean xml)
      throws IOException {
    List<Trial> all = Trials.builtIn();
    int width = all.stream().mapToInt(trial -> trial.name().length()).max().orElse(1);
    for (Trial trial : all) {
      String mark = Trials.DEFAULT.contains(trial.name()) ? "*" : " ";
      String format = "%s %-" + width + "s  %s%n";
      out.printf(Locale.ROOT, format, mark, trial.name(), trial.description());
      if (xml) {
        out.println(trial.configuration().indent(4));
      }
    }
    out.println("* without --appender");
    for (String name : Scenario.BUILT_IN) {
      String description = ScenarioReader.find(name).content().description();
      out.printf(Locale.ROOT, "%nScenario %s: %s%n", name, description);
    }
    return CommandLine.ExitCode.OK;
  }

  @Command(
      mixinStandardHelpOptions = true,
      description = {
        "Watches a running JVM of this user, and shows which frames hold up how many threads for"
            + " how long: log calls first, then whatever else does.",
        "The JVM needs no restart. It may be any HotSpot JVM of this user, Java 17 or newer."
      })
  private int watch(
      @Parameters(
              arity = "0..1",
              paramLabel = "PID",
              description = "The process to watch. Without it: the list of those that could be.")
          Long pid,
      @Option(
              names = "--seconds",
              paramLabel = "N",
              defaultValue = "60",
              description =
                  "How long to watch, 1 to 3600 (default ${DEFAULT-VALUE}); Ctrl-C ends it too.")
          int seconds,
      @Option(
              names = "--out",
              paramLabel = "DIR",
              defaultValue = "spillway-results",
              description = "Directory that gets one directory a watch (default ${DEFAULT-VALUE}).")
          Path directory)
      throws IOException, InterruptedException {
    if (seconds < 1 || seconds > 3600) {
      throw new ParameterException(
          spec.subcommands().get("watch"),
          "Invalid value for option '--seconds': '" + seconds + "'; allowed: 1 to 3600");
    }
    if (pid != null) {
      new Watch(pid, seconds, directory).execute(out, System.console() != null);
      return CommandLine.ExitCode.OK;
    }
    List<Target.Jvm> jvms = Target.list();
    if (jvms.isEmpty()) {
      out.println("No JVM of this user is running.");
    }
    jvms.forEach(jvm -> out.printf("%7d  %s%n", jvm.pid(), jvm.command()));
    return CommandLine.ExitCode.OK;
  }
}
