package io.spillway.stress;

import io.spillway.stress.cli.CommandLineTool;
import java.util.Locale;

/** Where the program starts. */
public final class Main {

  private Main() {}

  /**
   * Ends the JVM with 0 if all promises held, 1 if not, 2 for wrong options, 3 if unclear, 4 if it
   * failed.
   */
  public static void main(String[] arguments) {
    // Numbers as in English, as all the text around them is. The JVMs that it starts have the
    // locale of the system: what they log, and how archives are named, depends on it.
    Locale.setDefault(Locale.ROOT);
    System.exit(CommandLineTool.execute(arguments, System.out, System.err));
  }
}
