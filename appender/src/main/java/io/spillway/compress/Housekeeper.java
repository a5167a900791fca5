package io.spillway.compress;

import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.TimeUnit;

/**
 * What is to be done besides archiving: sweeps, deletions, and the policy's retention. Deleting
 * gigabytes takes a while, so neither a rollover nor a holder of the lock does it.
 *
 * <p>Concurrency: requests by anybody, the work by the worker. A flag is taken down before its work
 * begins, so that a request meanwhile counts. Policies are others' code: nothing that they throw
 * may lose a request.
 */
final class Housekeeper {
  private static final int RETENTION_SHARE = 10;

  private final Parts parts;
  private final Queue<Path> rubbish;
  private final Runnable swept;
  private volatile boolean sweepDue;
  private volatile boolean settleDue;
  private volatile boolean sweptOnce;
  private int sweepFailures;
  private final Alarm sweepPause = new Alarm();
  private final Alarm settlePause = new Alarm();

  /** A time from which on something may be done again. */
  private static final class Alarm {
    private long setNanos = System.nanoTime();
    private long lengthNanos;

    void set(long nanos) {
      setNanos = System.nanoTime();
      lengthNanos = nanos;
    }

    long left() {
      return Math.max(0, lengthNanos - (System.nanoTime() - setNanos));
    }
  }

  Housekeeper(Parts parts, Queue<Path> rubbish, Runnable swept) {
    this.parts = parts;
    this.rubbish = rubbish;
    this.swept = swept;
  }

  void sweep() {
    sweepDue = true;
  }

  /** Whether a directory has been looked through, or could not be. */
  boolean isSwept() {
    return sweptOnce;
  }

  /** Something was rolled over or archived. */
  void settle() {
    settleDue = true;
  }

  long restNanos() {
    if (!rubbish.isEmpty()) {
      return 0;
    }
    long sweep = sweepDue ? sweepPause.left() : Long.MAX_VALUE;
    long settle = settleDue ? settlePause.left() : Long.MAX_VALUE;
    return Math.min(sweep, settle);
  }

  /** Does one of the things that are due; false if none is. */
  boolean work() {
    if (deleteOne()) {
      return true;
    }
    if (sweepDue && sweepPause.left() == 0) {
      sweepNow();
      return true;
    }
    if (settleDue && settlePause.left() == 0) {
      settleNow();
      return true;
    }
    return false;
  }

  /** Whatever cannot be deleted now is found by the next sweep. */
  boolean deleteOne() {
    Path file = rubbish.poll();
    if (file == null) {
      return false;
    }
    try {
      parts.files().delete(file);
    } catch (Throwable e) {
      failed("Cannot delete [" + file + "], which is not needed any more", e);
    }
    return true;
  }

  private void sweepNow() {
    sweepDue = false;
    try {
      new Sweep(parts).run();
      sweepFailures = 0;
      sweepPause.set(0);
    } catch (Throwable e) {
      failed("Cannot look through the directory of archives", e);
    }
    sweptOnce = true;
    swept.run();
    settleDue = true;
    parts.rolled().swept();
  }

  private void failed(String what, Throwable e) {
    parts.tally().failures.incrementAndGet();
    sweepDue = true;
    sweepPause.set(Backlog.pause(sweepFailures++));
    parts
        .reports()
        .warn(
            "archive.sweep.failed",
            what
                + ": "
                + e
                + "; tried again in "
                + TimeUnit.NANOSECONDS.toSeconds(sweepPause.left() + 500_000_000L)
                + " s. To do: check that the directory is writable and its disk is healthy.");
  }

  private void settleNow() {
    settleDue = false;
    long start = System.nanoTime();
    try {
      parts.rolled().settled();
    } catch (Throwable e) {
      parts.tally().failures.incrementAndGet();
      parts
          .reports()
          .warn(
              "archive.retention",
              "Cannot remove old archives, trying again after the next one: "
                  + e
                  + ". To do: check that their directory can be read.");
    }
    settlePause.set(RETENTION_SHARE * (System.nanoTime() - start));
  }
}
