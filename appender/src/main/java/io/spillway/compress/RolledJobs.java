package io.spillway.compress;

import io.spillway.compress.ArchiveNames.Kind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Archives the rolled files of one policy, one after the other. A failure puts the file off and
 * keeps it; the next one goes on.
 *
 * <p>Concurrency: {@link #look} by anybody, the rest by the worker. The flag is taken down before
 * the policy is asked, so that a file which comes meanwhile is asked for again.
 */
final class RolledJobs {
  private static final long LOOK_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int MANY_FILES = 3;

  private final Parts parts;
  private final JobOpener opener;
  private final Predicate<Path> ready;
  private volatile boolean lookDue;
  private boolean suspectDue = true;
  private long lookedNanos;
  private long pauseNanos = Long.MAX_VALUE; // after the last look
  private Path subject; // of the job, or of the attempt to begin one
  private Job job;

  /** Leaves out files of which the predicate says that somebody else archives them. */
  RolledJobs(Parts parts, JobOpener opener, Predicate<Path> taken) {
    this.parts = parts;
    this.opener = opener;
    this.ready = raw -> parts.backlog().isReady(raw) && !taken.test(raw);
  }

  /** Something may be waiting. */
  void look() {
    lookDue = true;
  }

  boolean isBusy() {
    return job != null;
  }

  /** How long there is nothing to do unless somebody calls {@link #look}. */
  long restNanos() {
    if (job != null || lookDue) {
      return 0;
    }
    return pauseNanos == Long.MAX_VALUE
        ? Long.MAX_VALUE
        : Math.max(0, pauseNanos - (System.nanoTime() - lookedNanos));
  }

  /** Does a chunk of the job, or begins the next one; false if there is none. */
  boolean work(byte[] chunk) {
    if (restNanos() > 0) {
      return false;
    }
    try {
      if (job == null) {
        job = next();
        return job != null;
      }
      if (job.step(chunk)) {
        return true;
      }
    } catch (Throwable t) {
      failed(t);
    }
    abandon();
    if (subject != null) {
      lookDue = true;
    }
    return true;
  }

  /** Frees what is under way; its file waits. */
  void abandon() {
    Job ended = job;
    job = null;
    if (ended != null) {
      ended.close();
    }
  }

  private Job next() throws IOException {
    lookDue = false;
    pauseNanos = Long.MAX_VALUE;
    Job suspect = suspect();
    if (suspect != null) {
      return suspect;
    }
    subject = null;
    long lookBegan = parts.backlog().now();
    subject = parts.rolled().next(ready);
    if (subject == null) {
      parts.backlog().prune(parts.files(), parts.rolled().lock());
      pauseNanos = parts.backlog().untilReadyNanos(lookBegan);
      lookedNanos = System.nanoTime();
      return null;
    }
    lookDue = true;
    tellBacklog();
    Job next = opener.open(subject);
    if (next == null) {
      parts.backlog().putOff(subject);
    }
    return next;
  }

  private Job suspect() throws IOException {
    subject = suspectDue ? parts.rolled().suspect() : null;
    suspectDue = false;
    return subject == null ? null : opener.openSuspect();
  }

  private void tellBacklog() throws IOException {
    parts.backlog().measure(parts.files(), parts.rolled().lock());
    long files = parts.backlog().files();
    if (files >= MANY_FILES) {
      parts
          .reports()
          .warn(
              "archive.backlog",
              files
                  + " rolled files ("
                  + parts.backlog().bytes()
                  + " bytes) wait to be archived; nothing is lost, but they take room. If this goes"
                  + " on: raise [compressionCpuShare] or lower [compressionLevel].");
    }
  }

  /** Does nothing for a second. */
  void pause() {
    lookDue = false;
    pauseNanos = LOOK_AGAIN_NANOS;
    lookedNanos = System.nanoTime();
  }

  private void failed(Throwable t) {
    parts.tally().failures.incrementAndGet();
    String again = "in a second";
    if (subject == null) {
      pause();
    } else if (parts.names().kindOf(subject) == Kind.RAW) {
      Path raw = job == null ? subject : job.path().now();
      again = "in " + TimeUnit.NANOSECONDS.toSeconds(parts.backlog().failed(raw)) + " s";
    } else {
      again = "at the next start";
    }
    parts
        .reports()
        .error(
            "archive.failed",
            "Cannot archive "
                + (subject == null ? "rolled files" : "[" + subject + "]")
                + "; nothing is lost, it is tried again "
                + again
                + ". To do: make room on the disk or in the quota, and see that the rolled file can"
                + " be read and the archive's directory be written.",
            t);
  }
}
