package io.spillway.internal.sink;

import io.spillway.internal.disk.Failures;
import io.spillway.internal.metrics.Counters;
import io.spillway.internal.metrics.Counters.Count;
import io.spillway.internal.metrics.DetachedThread;
import io.spillway.internal.metrics.Reports;
import java.io.File;
import java.io.IOException;

/**
 * Writes chunks to the own log file and rolls it over between chunks. A failed write is repeated
 * until it succeeds or the batch is fenced; meanwhile ring and spill take new events.
 *
 * <p>Concurrency: for the deliverer, except {@link #force} and {@link #hasLost}, which any thread
 * may call.
 */
public class LogFileSink implements Sink {
  private static final long FIRST_RETRY_NANOS = 10_000_000L;
  private static final long LAST_RETRY_NANOS = 250_000_000L; // a stop waits longer for the sink
  private static final long ROLL_AGAIN_NANOS = 1_000_000_000L; // after one that failed

  /** The policies, by the rolling file appender. May throw whatever a policy throws. */
  public interface Rolling {
    boolean isTriggering(File activeFile);

    /** Moves the file and opens the next one. False: reported, to be tried again later. */
    boolean rollover();

    /** A chunk of that many bytes was written; the file ends with a whole line. */
    void written(int count);

    /** Writes the footer, closes the file, stops encoder and policies. */
    void close();
  }

  private final LogFile file;
  private final Rolling rolling;
  private final Counters counters;
  private final Reports reports;
  private boolean checkLineEnd = true; // the file may end with half a line
  private boolean failing;
  private boolean due; // a policy has triggered a rollover, which it may do only once
  private boolean rollFailed;
  private long rollFailedNanos;
  private volatile boolean failureTold;

  public LogFileSink(LogFile file, Rolling rolling, Counters counters, Reports reports) {
    this.file = file;
    this.rolling = rolling;
    this.counters = counters;
    this.reports = reports;
  }

  long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public void deliver(Batch batch) {
    long pause = FIRST_RETRY_NANOS;
    while (batch.done() < batch.count() && !batch.isFenced()) {
      rollIfTriggered(); // also between attempts: the next file may have room
      if (batch.isFenced()) {
        return; // a rollover may take minutes
      }
      try {
        endHalfLine(batch);
        file.write(batch.bytes(), batch.length());
        delivered(batch);
      } catch (IOException e) {
        failed(e);
        DetachedThread.pause(this, pause);
        pause = Math.min(2 * pause, LAST_RETRY_NANOS);
      }
    }
  }

  /** Marks the chunk first: whatever a policy does now, the chunk must not come again. */
  private void delivered(Batch batch) {
    int events = batch.count() - batch.done();
    batch.done(batch.count());
    try {
      rolling.written(batch.length());
    } catch (Throwable t) {
      policyFailed(t);
    }
    tellFailure();
    if (failing) {
      failing = false;
      reports.over("write", "Writing to file [" + file.file() + "] works again.");
    }
    counters.delivered(events, batch.leftover()); // last: who waits for it then sees the rest
  }

  /** Ends half a line that a kill has left, or a disk that has failed and comes back. */
  private void endHalfLine(Batch next) throws IOException {
    int length = next.length();
    boolean ofLines = length > 0 && next.bytes()[length - 1] == '\n';
    if (checkLineEnd && ofLines && file.endsInsideLine()) {
      file.write(new byte[] {'\n'}, 1);
    }
    checkLineEnd = false;
  }

  private void rollIfTriggered() {
    try {
      due |= rolling.isTriggering(file.file());
      boolean pausing = rollFailed && nanoTime() - rollFailedNanos < ROLL_AGAIN_NANOS;
      if (due && !pausing && !file.isTorn()) {
        rollOver();
      }
    } catch (Throwable t) {
      policyFailed(t);
    }
  }

  private void rollOver() {
    rollFailed = true; // unless it returns true
    try {
      rollFailed = !rolling.rollover();
      due = rollFailed;
      if (rollFailed) {
        counters.add(Count.SINK_FAILURES, 1);
      }
    } finally {
      rollFailedNanos = nanoTime();
      counters.add(Count.ROLLOVERS, 1);
    }
  }

  private void policyFailed(Throwable t) {
    counters.add(Count.SINK_FAILURES, 1);
    reports.error(
        "rollover",
        "A rolling or triggering policy threw; nothing is lost, writing goes on to [%s]."
            .formatted(file.file()),
        t);
  }

  private void failed(IOException e) {
    failing = true;
    checkLineEnd = true;
    counters.add(Count.SINK_FAILURES, 1);
    reports.warn( // the failure may pass, and an ERROR ends the start of a Spring Boot application
        "write",
        ("Cannot write to file [%s]: %s. It is tried again until it works; events wait in memory and"
                + " in the spill. To do: %s.")
            .formatted(
                file.file(), Failures.reason(e, file.path()), Failures.remedy(e, file.path())));
  }

  @Override
  public boolean force() {
    try {
      file.force();
      return true;
    } catch (IOException e) {
      tellFailure();
      return false;
    }
  }

  @Override
  public boolean hasLost() {
    return file.failure() != null;
  }

  /** Reports the first failed force, or a failed close, which may be that of a rollover. */
  private void tellFailure() {
    IOException failure = file.failure();
    if (failure == null || failureTold) {
      return;
    }
    failureTold = true;
    counters.add(Count.SINK_FAILURES, 1);
    reports.warn(
        "force",
        ("What was written to file [%s] may not be on its disk: %s. With spillSync, what went or goes"
                + " through the spill is kept there, and the next start delivers it once more; what"
                + " went through memory alone may be missing, and is not counted. To do: see that"
                + " the disk is healthy and has room, then restart the application.")
            .formatted(file.file(), Failures.reason(failure, file.path())));
  }

  @Override
  public void close() {
    try {
      rolling.close();
    } finally {
      tellFailure();
    }
  }
}
