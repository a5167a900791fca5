package io.spillway.stress;

import io.spillway.stress.cli.CommandLineTool;
import java.util.Locale;

/** Entry point of the stress tester's command line. */
public final class Main {

  private Main() {}

  /**
   * Runs the command line and ends the JVM with its exit code: 0 if all promises held, 1 if one was
   * broken, 2 for wrong options or if there is no room, 3 if a trial was inconclusive, 4 if the
   * tester itself failed, 130 if Ctrl-C has ended it, 143 if SIGTERM has.
   */
  public static void main(String[] arguments) {
    // The printed text is English, so numbers are formatted as in English. The JVMs that this one
    // starts keep the locale of the system: what they log and how archives are named depend on it.
    Locale.setDefault(Locale.ROOT);
    System.exit(CommandLineTool.execute(arguments, System.out, System.err));
  }
}
