package io.spillway.stress;

import io.spillway.stress.cli.CommandLineTool;

/** Where the program starts. */
public final class Main {

  private Main() {}

  /**
   * Ends the JVM with 0 if all promises held, 1 if not, 2 for wrong options, 3 if unclear, 4 if it
   * failed.
   */
  public static void main(String[] arguments) {
    System.exit(CommandLineTool.execute(arguments, System.out, System.err));
  }
}
