package io.spillway.stress.report;

import java.io.PrintStream;
import java.util.Locale;

/** Progress as plain lines, one for each step, for logs and pipes. */
final class LineProgress implements Progress {

  private final PrintStream out;
  private final long startNanos = System.nanoTime();

  LineProgress(PrintStream out) {
    this.out = out;
  }

  @Override
  public void begin(String step, double expectedSeconds) {
    print(String.format(Locale.ROOT, "%s (about %.0f s)", step, expectedSeconds));
  }

  @Override
  public void note(String what) {
    print("  " + what);
  }

  @Override
  public void tick() {
    // Plain lines are for logs: time passing is not worth a line.
  }

  @Override
  public void close() {
    out.flush();
  }

  private void print(String line) {
    double seconds = (System.nanoTime() - startNanos) / 1e9;
    out.println(String.format(Locale.ROOT, "[%5.1f s] %s", seconds, line));
  }
}
