package io.spillway.stress.cli;

import io.spillway.stress.bench.BenchCommand;
import io.spillway.stress.plan.CancelledException;
import io.spillway.stress.report.RefusedException;
import java.io.PrintStream;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;

/** The program's command line. */
@Command(
    name = "spillway-stress",
    mixinStandardHelpOptions = true,
    version = "spillway-stress 0.1.0-SNAPSHOT",
    synopsisSubcommandLabel = "COMMAND",
    description = {
      "Shows what a Logback configuration does to application threads when its log file rotates.",
      "%nExit codes: 0 all promises held, 1 one was broken, 2 wrong options or no room,"
          + " 3 a trial was inconclusive, 4 the tester itself failed."
    },
    subcommands = {
      RunCommand.class,
      ListCommand.class,
      CompareCommand.class,
      CalibrateCommand.class,
      BenchCommand.class,
      WatchCommand.class
    },
    footer =
        "%nThe JMH benchmarks are a program of their own: ./spillway-stress jmh --help tells more.")
public final class CommandLineTool {

  private static final int INTERRUPTED = 130;
  private static final int FAILED = 4;

  private CommandLineTool() {}

  /** Carries out what the arguments ask and returns the exit code. */
  public static int execute(String[] arguments, PrintStream out, PrintStream err) {
    Output output = new Output(out, System.console() != null);
    CommandLine tool = commandLine();
    tool.getSubcommands().values().forEach(sub -> prepare(sub.getCommand(), output, arguments));
    tool.setOut(new PrintWriter(out, true));
    tool.setErr(new PrintWriter(err, true));
    tool.setExecutionExceptionHandler(
        (failure, command, parsed) -> {
          if (failure instanceof RefusedException) {
            err.println("spillway-stress: " + failure.getMessage());
            return CommandLine.ExitCode.USAGE;
          }
          if (failure instanceof CancelledException) {
            err.println("spillway-stress: " + failure.getMessage());
            return INTERRUPTED;
          }
          throw failure;
        });
    tool.setExitCodeExceptionMapper(
        failure -> failure instanceof ParameterException ? CommandLine.ExitCode.USAGE : FAILED);
    return arguments.length == 0 ? help(tool) : tool.execute(arguments);
  }

  /** What reads the arguments. */
  static CommandLine commandLine() {
    return new CommandLine(new CommandLineTool()).setCaseInsensitiveEnumValuesAllowed(true);
  }

  private static int help(CommandLine tool) {
    tool.usage(tool.getOut());
    return CommandLine.ExitCode.USAGE;
  }

  private static void prepare(Object command, Output output, String[] arguments) {
    if (command instanceof AbstractRun run) {
      run.prepare(output, arguments);
    } else if (command instanceof WatchCommand watch) {
      watch.prepare(output);
    }
  }
}
