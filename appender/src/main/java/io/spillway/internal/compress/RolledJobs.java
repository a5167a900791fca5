package io.spillway.internal.compress;

import io.spillway.internal.compress.ArchiveComparison.Outcome;
import io.spillway.internal.compress.NameWriter.Began;
import io.spillway.internal.compress.NameWriter.Tracked;
import io.spillway.internal.disk.Disk.State;
import io.spillway.internal.disk.StorageFailures;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * Archives one raw file after the other, the oldest first. If the archive of a raw file exists
 * already, as after a crash, the two are compared, and {@link ArchiveComparison} decides which one
 * stays; in doubt, both stay. Used by the compressor thread, except for {@link #look}.
 */
final class RolledJobs {
  private static final long LOOK_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int MANY_FILES = 3;
  private static final int MANY_FAILURES = 3; // in a row
  private static final long RECENT_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final NameWriter writer;
  private final Predicate<Path> usable;
  private volatile boolean lookDue;
  private long lookedNanos;
  private long pauseNanos = Long.MAX_VALUE; // since lookedNanos
  private long waitedBefore = Long.MAX_VALUE; // files that waited when the last job began
  private Job job;
  private State growing; // the last raw file to which another program wrote while it was archived
  private final LongSupplier clock;
  private int failures; // in a row
  private long failedNanos; // time of the last one

  /** Leaves out files for which the predicate is true, as they are archived elsewhere. */
  RolledJobs(NameWriter writer, Predicate<Path> taken, LongSupplier clock) {
    this.writer = writer;
    this.clock = clock;
    this.usable = taken.negate();
  }

  /** Announces that a file may be waiting. Called by any thread. */
  void look() {
    lookDue = true;
  }

  /** Returns whether one file after the other fails, as on a full disk, the last one recently. */
  boolean isFailing() {
    return failures >= MANY_FAILURES && clock.getAsLong() - failedNanos < RECENT_NANOS;
  }

  /** Records that a file has been archived, here or by {@link Following}. */
  void succeeded() {
    failures = 0;
  }

  boolean isBusy() {
    return job != null;
  }

  /** Returns whether the archive that Logback may have left is still compared: no name changes. */
  boolean isCheckingLeftover() {
    return job != null && job.suspected;
  }

  /** Returns how long there is nothing to do unless {@link #look} is called. */
  long restNanos() {
    if (job != null || lookDue) {
      return 0;
    }
    return pauseNanos == Long.MAX_VALUE
        ? Long.MAX_VALUE
        : Math.max(0, pauseNanos - (System.nanoTime() - lookedNanos));
  }

  /** Does a chunk of the job, or begins the next job; returns false if there is none. */
  boolean work(byte[] chunk) {
    if (restNanos() > 0) {
      return false;
    }
    Path subject = null;
    try {
      if (job != null && job.closing) {
        abandon();
      }
      if (job == null) {
        lookDue = false;
        pauseNanos = Long.MAX_VALUE;
        long now = writer.backlog.now();
        subject = writer.backlog.next(now, usable);
        if (subject == null) {
          rest(now);
          return false;
        }
        lookDue = true;
        reportBacklog(now);
        job = open(subject);
        return true;
      }
      subject = job.raw.path();
      if (job.step(chunk)) {
        return true;
      }
    } catch (Throwable t) {
      failed(subject, t);
    }
    abandon();
    lookDue |= subject != null;
    return true;
  }

  private void rest(long since) throws IOException {
    writer.backlog.measure(writer.files, true);
    pauseNanos = writer.backlog.untilReadyNanos(since);
    lookedNanos = System.nanoTime();
  }

  /** Frees the current job; its file goes on waiting. */
  void abandon() {
    if (job != null) {
      job.close();
      job = null; // last: if memory is short for a step, all are repeated
    }
  }

  /** Returns the job of a raw file, or null if the file must wait, is gone, or is not regular. */
  private Job open(Path raw) throws IOException {
    State state = writer.files.state(raw);
    if (state == null || !state.regular()) {
      writer.backlog.forget(raw);
      return null;
    }
    if (writer.policy.isWritten(raw)) {
      writer.backlog.putOff(raw);
      return null;
    }
    if (state.isSameFile(growing) && state.bytes() != growing.bytes()) {
      growing = state; // an archive of it would not be published
      throw isWrittenElsewhere(raw);
    }
    Path archive = writer.names.archiveOf(raw); // before a file is open
    return open(writer.open(raw), archive, false);
  }

  private static IOException isWrittenElsewhere(Path file) {
    return new NameWriter.ForeignChangeException("another program writes to [" + file + "]");
  }

  private Job open(Tracked raw, Path archive, boolean suspected) throws IOException {
    try {
      State beside = writer.files.state(archive);
      return new Job(
          raw, beside != null && beside.regular() ? writer.open(archive) : null, suspected);
    } catch (IOException | RuntimeException | Error e) {
      raw.close();
      throw e;
    }
  }

  /**
   * Compares the archive that stock Logback may have left. For fixed windows Logback compresses the
   * active file itself and deletes it afterwards; if it is killed in between, the archive holds the
   * beginning of the active file, and would be kept beside the whole. Called before the first job.
   */
  void suspect() throws IOException {
    RolledFiles.LogbackLeftover suspect = writer.policy.suspect();
    Path source = suspect == null ? null : currentPath(suspect.source());
    State archive = suspect == null ? null : writer.files.state(suspect.archive());
    if (source != null && archive != null && archive.regular()) {
      abandon(); // a job that began after a failed attempt
      job = open(writer.open(source), suspect.archive(), true);
    }
  }

  /** Returns where the file is that was active at the start, rolled over or not; null if gone. */
  private Path currentPath(State file) throws IOException {
    Path active = writer.policy.active();
    if (file.isSameFile(writer.files.state(active))) {
      return active;
    }
    for (RolledName rolled : RolledName.list(writer.files, active)) {
      if (file.isSameFile(writer.files.state(rolled.path()))) {
        return rolled.path();
      }
    }
    return null;
  }

  /**
   * Warns if files are rolled over faster than they are archived; files of an earlier run and
   * delayed files are no reason.
   */
  private void reportBacklog(long now) throws IOException {
    writer.backlog.measure(writer.files, false);
    long files = writer.backlog.readyFiles(now);
    if (files >= MANY_FILES && files > waitedBefore) {
      writer.reports.warn("archive.backlog", backlogMessage(files, writer.backlog.readyBytes(now)));
    }
    waitedBefore = files;
  }

  private String backlogMessage(long files, long bytes) {
    StringBuilder message = new StringBuilder(300);
    message.append("Files are rolled over faster than they are archived: ").append(files);
    message.append(" (").append(bytes).append(" bytes) wait, and take room on the disk.");
    if (writer.policy.isCapped()) {
      message.append(" [totalSizeCap] does not count them.");
    }
    Archiver.Settings settings = writer.settings;
    String and = " If this goes on: ";
    if (settings.cpuShare() < 1) {
      message.append(and).append("raise [compressionCpuShare]");
      and = ", or ";
    }
    if (settings.format().isLevel(settings.level() - 1)) {
      message.append(and).append("lower [compressionLevel]");
      and = ", or ";
    }
    return message.append(and).append("log less.").toString();
  }

  /** Rests for a second. */
  void pause() {
    lookDue = false;
    pauseNanos = LOOK_AGAIN_NANOS;
    lookedNanos = System.nanoTime();
  }

  private void failed(Path subject, Throwable t) {
    failures++;
    failedNanos = clock.getAsLong();
    writer.backlog.failed();
    if (t instanceof Error) {
      writer.markInconsistent();
    }
    String again = "in a second";
    if (subject == null) {
      pause();
    } else if (job != null && job.suspected) {
      again = "at the next start";
    } else {
      again = "in " + TimeUnit.NANOSECONDS.toSeconds(writer.backlog.failed(subject)) + " s";
    }
    writer.reports.failure(
        "archive.failed",
        "Cannot archive "
            + (subject == null ? "rolled files" : "[" + subject + "]")
            + "; nothing is lost, it is tried again "
            + again
            + ". To do: "
            + NameWriter.remedy(t)
            + ".",
        t);
  }

  /** The work on one raw file, done a chunk at a time. */
  private final class Job {
    private final Tracked raw;
    private final Tracked archive; // null if there is none
    private ArchiveComparison comparison; // null without an archive, or once it is found truncated
    private final boolean suspected; // the raw file is or was the active one
    private Began began;
    private Path part;
    private ArchiveWriter out;
    private boolean published;
    private boolean closing;

    Job(Tracked raw, Tracked archive, boolean suspected) {
      this.raw = raw;
      this.archive = archive;
      this.suspected = suspected;
      this.comparison =
          archive == null
              ? null
              : new ArchiveComparison(
                  raw.in(),
                  raw.opened().bytes(),
                  archive.in(),
                  archive.opened().bytes(),
                  writer.settings.format());
      this.began = archive == null ? Began.at(System.nanoTime()) : Began.unrecorded();
    }

    /** Does a chunk; returns false when there is nothing left to do. */
    boolean step(byte[] chunk) throws IOException {
      if (raw.path() == null) {
        return false;
      }
      return comparison == null ? compress(chunk) : compare(chunk);
    }

    private boolean compress(byte[] chunk) throws IOException {
      try {
        return publish(chunk);
      } catch (IOException e) {
        if (StorageFailures.isNoRoom(e)) {
          makeRoom();
        }
        throw e;
      }
    }

    /**
     * Deletes the archive that was cut short, as by a full disk; otherwise it would take the room
     * of the complete one.
     */
    private void makeRoom() throws IOException {
      if (archive == null || archive.now() == null || archive.isWrittenTo() || raw.now() == null) {
        return;
      }
      Path path = archive.path();
      if (writer.discard(path) == null) {
        return;
      }
      writer.reports.warn(
          "archive.truncated",
          "Archive ["
              + path
              + "] was cut short, and is deleted: there is no room for it and for the one that is"
              + " made again from its rolled file ["
              + raw.path()
              + "], which is whole.");
    }

    private boolean publish(byte[] chunk) throws IOException {
      if (out == null) {
        part = writer.names.part(writer.names.archiveOf(raw.path()));
        out = writer.begin(part, raw.path(), raw.opened());
      }
      if (out.step(raw.in(), chunk, raw.opened().bytes())) {
        return true;
      }
      published = writer.publish(raw, archive, out, raw.opened(), began);
      if (!published && raw.path() != null) {
        checkUnwritten();
        writer.backlog.putOff(raw.path());
      }
      return false;
    }

    /** Throws if another program writes to one of the files, as that may last for ever. */
    private void checkUnwritten() throws IOException {
      State now = raw.now();
      if (now == null || writer.isStopped() || writer.policy.isWritten(raw.path())) {
        return;
      }
      if (now.bytes() != out.position()) {
        growing = now;
        throw isWrittenElsewhere(raw.path());
      }
      if (archive != null && archive.isWrittenTo()) {
        throw isWrittenElsewhere(archive.path());
      }
    }

    private boolean compare(byte[] chunk) throws IOException {
      Outcome outcome = comparison.step(chunk);
      if (outcome == null) {
        return true;
      }
      if (suspected) {
        judge(outcome);
      } else if ((outcome == Outcome.SAME || isCut(outcome)) && isOnDisk(outcome)) {
        reportCut(outcome);
        writer.retire(raw, raw.opened().bytes(), archive.opened(), began);
      } else if (raw.now() != null && archive.now() != null && !writer.isStopped()) {
        return part(outcome);
      } // else one was removed meanwhile: what is left is checked again
      return false;
    }

    /**
     * Returns whether the rolled file was cut by a power cut, as nothing forces rolled files
     * without spillSync. A rolled file that is younger than its archive is another file.
     */
    private boolean isCut(Outcome outcome) {
      return outcome == Outcome.WITHIN
          && raw.opened().modified().compareTo(archive.opened().modified()) <= 0;
    }

    private void reportCut(Outcome outcome) {
      if (outcome == Outcome.WITHIN) {
        writer.reports.warn(
            "archive.within",
            "Rolled file ["
                + raw.path()
                + "] has only the beginning of what its archive ["
                + archive.path()
                + "] has, as after a power cut; the archive is whole, and the rolled file is"
                + " removed.");
      }
    }

    /**
     * Forces the archive. A failed force is never repeated: the second one may succeed without
     * having written.
     */
    private boolean isOnDisk(Outcome outcome) {
      Path path = archive.path();
      if (path == null) {
        return false; // retention has deleted the archive
      }
      try {
        writer.files.sync(path);
        return true;
      } catch (IOException e) {
        writer.reports.warn(
            "archive.force",
            "Archive ["
                + path
                + "] cannot be forced to the disk and "
                + (outcome == Outcome.SAME ? "is made again: " : "stays beside its rolled file: ")
                + e);
        return false;
      }
    }

    /**
     * Separates the two: discards the archive, or begins a new one, or gives the rolled file
     * another name; returns false when that is done.
     */
    private boolean part(Outcome outcome) throws IOException {
      if (outcome == Outcome.DIFFERENT || outcome == Outcome.WITHIN) {
        writer.setAside(raw);
        return false;
      }
      if (outcome == Outcome.SAME) { // but not forced
        writer.discard(archive.path());
        return false;
      }
      makeAgain();
      return true;
    }

    /**
     * Begins a new archive. The old one stays until the new one is complete, because another
     * program may be writing it, such as gzip, which then deletes the rolled file by name.
     */
    private void makeAgain() throws IOException {
      if (archive.isWrittenTo()) {
        throw isWrittenElsewhere(archive.path());
      }
      writer.closing(comparison);
      comparison = null;
      raw.rewind();
      began = Began.at(System.nanoTime());
    }

    private void judge(Outcome outcome) throws IOException {
      if (outcome == Outcome.DIFFERENT
          || outcome == Outcome.WITHIN
          || comparison.comparedBytes() == 0
          || archive.now() == null
          || archive.isWrittenTo()
          || currentPath(raw.opened()) == null) {
        return;
      }
      Path suspect = archive.path();
      if (writer.discard(suspect) != null) {
        writer.reports.warn(
            "archive.suspect",
            "Archive ["
                + suspect
                + "] was left by an interrupted rollover; all of it is still in ["
                + raw.path()
                + "], so it is removed.");
      }
    }

    void close() {
      closing = true;
      if (comparison != null) {
        writer.closing(comparison);
      }
      if (archive != null) {
        archive.close();
      }
      raw.close();
      writer.end(out, part, published);
    }
  }
}
