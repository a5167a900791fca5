package io.spillway.stress.report;

import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** Progress as one bar over the expected time of the whole run, in tenths of a second. */
final class BarProgress implements Progress {

  private static final int COLUMNS = 79;

  private final ProgressBar bar;
  private double doneSeconds;
  private double stepSeconds;
  private long stepStartNanos = System.nanoTime();

  BarProgress(double expectedSeconds) {
    bar =
        new ProgressBarBuilder()
            .setTaskName("spillway-stress")
            .setInitialMax(Math.round(expectedSeconds * 10))
            .setStyle(ProgressBarStyle.ASCII)
            .setUpdateIntervalMillis(200)
            .hideEta()
            // The library would find the width out by one that takes Ctrl-C away from the JVM.
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

  /** Within a step the bar never runs past what the step was expected to take. */
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
