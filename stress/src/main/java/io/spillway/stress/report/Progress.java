package io.spillway.stress.report;

import java.io.PrintStream;
import java.util.Locale;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** Shows how far a run has come. Calls may come from any thread, but not from two at a time. */
public interface Progress extends AutoCloseable {

  /** Begins a step of the run that is expected to take the given number of seconds. */
  void begin(String step, double expectedSeconds);

  /** Reports an event within the current step. */
  void note(String what);

  /** Updates the display; called a few times a second while a step lasts. */
  void tick();

  @Override
  void close();

  /** Shows nothing. */
  Progress NONE =
      new Progress() {
        @Override
        public void begin(String step, double expectedSeconds) {}

        @Override
        public void note(String what) {}

        @Override
        public void tick() {}

        @Override
        public void close() {}
      };

  /** Returns the number of trials as text. */
  static String trials(int number) {
    return number == 1 ? "1 trial" : number + " trials";
  }

  /** Returns a progress bar on a terminal and plain lines elsewhere. */
  static Progress to(PrintStream out, boolean terminal, double expectedSeconds) {
    return terminal ? new Bar(expectedSeconds) : new Lines(out);
  }

  /** Progress as one bar over the expected time of the whole run, in tenths of a second. */
  static final class Bar implements Progress {

    private static final int COLUMNS = 79;

    private final ProgressBar bar;
    private double doneSeconds;
    private double stepSeconds;
    private long stepStartNanos = System.nanoTime();

    Bar(double expectedSeconds) {
      bar =
          new ProgressBarBuilder()
              .setTaskName("spillway-stress")
              .setInitialMax(Math.round(expectedSeconds * 10))
              .setStyle(ProgressBarStyle.ASCII)
              .setUpdateIntervalMillis(200)
              .hideEta()
              // The library's default determines the width with a terminal that takes Ctrl-C away
              // from the JVM.
              .setConsumer(new ConsoleProgressBarConsumer(System.err, COLUMNS))
              .build();
    }

    @Override
    public void begin(String step, double expectedSeconds) {
      doneSeconds += stepSeconds;
      stepSeconds = expectedSeconds;
      stepStartNanos = System.nanoTime();
      bar.setExtraMessage(" " + step);
      tick();
    }

    @Override
    public void note(String what) {
      bar.setExtraMessage(" " + what);
    }

    /** Advances the bar by the time elapsed, but not past the expected end of the step. */
    @Override
    public void tick() {
      double elapsed = (System.nanoTime() - stepStartNanos) / 1e9;
      bar.stepTo(Math.round((doneSeconds + Math.min(elapsed, stepSeconds)) * 10));
    }

    @Override
    public void close() {
      bar.stepTo(bar.getMax());
      bar.close();
    }
  }

  /** Progress as plain lines, one for each step, for logs and pipes. */
  static final class Lines implements Progress {

    private final PrintStream out;
    private final long startNanos = System.nanoTime();

    Lines(PrintStream out) {
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
}
