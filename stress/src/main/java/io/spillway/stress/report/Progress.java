package io.spillway.stress.report;

import java.io.OutputStream;
import java.io.PrintStream;
import java.util.Locale;

/** Shows how far a run has come, in lines with the seconds since its start. */
public final class Progress {

  /** Shows nothing. */
  public static final Progress NONE =
      new Progress(new PrintStream(OutputStream.nullOutputStream()));

  private final PrintStream out;
  private final long startNanos = System.nanoTime();

  /** Creates a progress that begins now. */
  public Progress(PrintStream out) {
    this.out = out;
  }

  /** Begins a step of the run that is expected to take the given number of seconds. */
  public void begin(String step, double expectedSeconds) {
    note(String.format(Locale.ROOT, "%s (about %.0f s)", step, expectedSeconds));
  }

  /** Reports an event within the current step. */
  public void note(String what) {
    double seconds = (System.nanoTime() - startNanos) / 1e9;
    out.printf(Locale.ROOT, "[%5.1f s] %s%n", seconds, what);
  }
}
