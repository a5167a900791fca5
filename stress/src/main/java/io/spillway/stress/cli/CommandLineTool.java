package io.spillway.stress.cli;

import io.spillway.stress.plan.Cancellation;
import io.spillway.stress.report.RefusedException;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The command line of the program: its subcommands and its exit codes. */
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
    subcommands = {RunCommand.class, ListCommand.class, CalibrateCommand.class, WatchCommand.class},
    footer =
        "%nThe JMH benchmarks are a program of their own: ./spillway-stress jmh --help tells more.")
public final class CommandLineTool {

  private static final int INTERRUPTED = 130;
  private static final int FAILED = 4;

  private final PrintStream out;
  private final List<String> arguments;

  private CommandLineTool(PrintStream out, List<String> arguments) {
    this.out = out;
    this.arguments = arguments;
  }

  /** Executes the command line and returns the exit code. */
  public static int execute(String[] arguments, PrintStream out, PrintStream err) {
    CommandLine tool = commandLine(new CommandLineTool(out, List.of(arguments)));
    tool.setOut(new PrintWriter(out, true));
    tool.setErr(new PrintWriter(err, true));
    tool.setExecutionExceptionHandler(
        (failure, command, parsed) -> {
          if (failure instanceof RefusedException) {
            err.println("spillway-stress: " + failure.getMessage());
            return CommandLine.ExitCode.USAGE;
          }
          if (failure instanceof Cancellation.Cancelled) {
            err.println("spillway-stress: " + failure.getMessage());
            return INTERRUPTED;
          }
          if (failure instanceof IOException) { // the message names the file or the disk
            err.println("spillway-stress: it failed: " + failure);
            return FAILED;
          }
          throw failure;
        });
    tool.setParameterExceptionHandler((wrong, given) -> explain(wrong));
    tool.setExitCodeExceptionMapper(
        failure -> failure instanceof ParameterException ? CommandLine.ExitCode.USAGE : FAILED);
    try {
      return arguments.length == 0 ? help(tool) : tool.execute(arguments);
    } catch (Error e) {
      // picocli does not catch errors; a JVM ended by one exits with 1, which means a broken limit
      e.printStackTrace(err);
      return FAILED;
    }
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
        .registerConverter(int.class, new Units.Whole<>(Integer::valueOf))
        .registerConverter(long.class, new Units.Whole<>(Long::valueOf));
  }

  /** Returns the stream for results and progress. */
  PrintStream out() {
    return out;
  }

  /** Returns the arguments of the command line. */
  List<String> arguments() {
    return arguments;
  }

  private static int help(CommandLine tool) {
    tool.usage(tool.getOut());
    return CommandLine.ExitCode.USAGE;
  }
}
