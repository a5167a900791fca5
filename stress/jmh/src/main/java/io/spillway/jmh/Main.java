package io.spillway.jmh;

import java.io.PrintStream;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine;

/** Main class of {@code spillway-stress jmh}. */
public final class Main {
  private static final String JMH_OPTIONS_FOLLOW = "--";

  private Main() {}

  /** Runs the command; exits with 0, with 1 if a benchmark failed, with 2 for wrong options. */
  public static void main(String[] arguments) {
    System.exit(execute(arguments, System.out, System.err));
  }

  /** Runs the command and returns the exit code. */
  static int execute(String[] arguments, PrintStream out, PrintStream err) {
    List<String> all = Arrays.asList(arguments);
    int end = all.indexOf(JMH_OPTIONS_FOLLOW);
    List<String> own = end < 0 ? all : all.subList(0, end);
    List<String> jmh = end < 0 ? List.of() : all.subList(end + 1, all.size());
    return new CommandLine(new JmhCommand(jmh, out))
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .setExecutionExceptionHandler(
            (failure, command, parsed) -> {
              if (failure instanceof BenchmarkFailure) {
                err.println("spillway-stress jmh: " + failure.getMessage());
                return CommandLine.ExitCode.SOFTWARE;
              }
              throw failure;
            })
        .execute(own.toArray(String[]::new));
  }
}
