package io.spillway;

import io.spillway.internal.metrics.Reports;
import io.spillway.internal.route.PipelineContext;
import io.spillway.internal.sink.Sink;
import io.spillway.internal.spill.Spill;

/**
 * A stop that comes after the JVM's exit hook: closes the spill and the sink, which the exit has
 * left open for log calls. No event waits for delivery by then. All steps need a separate thread:
 * the thread that stops could have to wait for a log call that is stuck in the sink, or be in that
 * call itself. If the exit has gone on without the spill's disk, the sink is closed without waiting
 * for that disk.
 */
final class LateEnding extends Steps {
  private static final long LOOK_NANOS = 10_000_000L;
  private static final long RETRY_NANOS = 500_000_000L; // the JVM prints a warning each time
  private static final int CALLS_ENDED = 1;
  private static final int SPILL_CLOSED = 2; // or left to the last step, while the ending uses it
  private static final int SINK_CLOSED = 3;
  private static final int ALL_CLOSED = 4;

  private static final String NO_THREAD =
      "For 10 seconds there has been no thread to close what the exit has left open, the spill and the"
          + " sink. No event is lost by that. To do: raise the limit of threads of the process or its"
          + " container.";

  private final Ending ending;
  private final LateCalls<?> calls;
  private final Spill spill;
  private final Sink sink;
  private final Reports reports;
  // Set before the steps begin; every caller sets the same value.
  private volatile boolean closeSink;

  /**
   * Creates an ending that has not begun.
   *
   * @param context context of the pipeline
   * @param ending the ending that the exit began
   * @param calls late calls, already closed
   * @param spill spill to close; may be null
   * @param sink sink to which the calls deliver
   */
  LateEnding(PipelineContext context, Ending ending, LateCalls<?> calls, Spill spill, Sink sink) {
    super(context, ALL_CLOSED);
    this.ending = ending;
    this.calls = calls;
    this.spill = spill;
    this.sink = sink;
    reports = context.reports();
  }

  /**
   * Begins, once.
   *
   * @param sinkLeft whether the deliverer has left the sink to be closed
   */
  void begin(boolean sinkLeft) {
    closeSink = sinkLeft;
    begin();
  }

  @Override
  void take(int step) {
    switch (step) {
      case 0 -> calls.end();
      case 1 -> {
        if (ending.isOver()) {
          closeSpill();
        }
      }
      case 2 -> {
        if (closeSink) {
          sink.close();
        }
      }
      default -> {
        while (!ending.isOver()) {
          ending.awaitOver(RETRY_NANOS);
        }
        closeSpill();
      }
    }
  }

  private void closeSpill() {
    if (spill != null) {
      spill.close();
    }
  }

  @Override
  String failure() {
    return "A stop could not close what the exit had left open.";
  }

  /**
   * Waits for the steps: for a log call that may be stuck in the sink as long as the sink may take,
   * and for the spill's disk as long as a stop does, unless the ending has used up that time. Steps
   * that take longer go on in the background.
   *
   * @param sinkNanos how long to wait for the calls, and again for the close of the sink
   */
  void await(long sinkNanos) {
    if (hasThread() && has(CALLS_ENDED, sinkNanos) && has(SPILL_CLOSED, PATIENCE_NANOS)) {
      has(ending.isOver() ? ALL_CLOSED : SINK_CLOSED, sinkNanos);
    }
  }

  private boolean hasThread() {
    boolean has = false;
    for (long waited = 0; !has && waited < PATIENCE_NANOS; waited += RETRY_NANOS) {
      has = isAlive() || awaitOver(RETRY_NANOS) || isAlive();
    }
    if (!has) {
      reports.error("stop", NO_THREAD, null);
    }
    return has;
  }

  /** Waits for a number of steps. Counts polls, not time, because the machine may stand still. */
  private boolean has(int steps, long nanos) {
    for (long waited = 0; taken() < steps && waited < nanos; waited += LOOK_NANOS) {
      awaitOver(LOOK_NANOS);
    }
    return taken() >= steps;
  }
}
