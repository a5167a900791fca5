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
 * Archives one raw file after the other, the oldest first. Where the archive of its name is there
 * already, as after a crash, they are compared: does what {@link ArchiveComparison} says, and when
 * in doubt, both stay. Compressor's thread, but for {@link #look}.
 */
final class RolledJobs {
  private static final long LOOK_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int MANY_FILES = 3;
  private static final int MANY_FAILURES = 3; // of one file after the other
  private static final long RECENT_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final NameWriter writer;
  private final Predicate<Path> usable;
  private volatile boolean lookDue;
  private long lookedNanos;
  private long pauseNanos = Long.MAX_VALUE; // after the last look
  private long waitedBefore = Long.MAX_VALUE; // files, when the last job began
  private Job job;
  private State growing; // the last raw file to which another program wrote while it was archived
  private final LongSupplier clock;
  private int failures; // in a row
  private long failedNanos; // the last of them

  /** Leaves out files of which the predicate says that somebody else archives them. */
  RolledJobs(NameWriter writer, Predicate<Path> taken, LongSupplier clock) {
    this.writer = writer;
    this.clock = clock;
    this.usable = taken.negate();
  }

  /** Something may be waiting. */
  void look() {
    lookDue = true;
  }

  /** Whether one file after the other fails, as on a full disk; for long none is no failure. */
  boolean isFailing() {
    return failures >= MANY_FAILURES && clock.getAsLong() - failedNanos < RECENT_NANOS;
  }

  /** A file is archived, here or by whoever followed it. */
  void succeeded() {
    failures = 0;
  }

  boolean isBusy() {
    return job != null;
  }

  /** Whether the archive that Logback may have left is still to be judged: no name changes yet. */
  boolean isSuspecting() {
    return job != null && job.suspected;
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
        tellBacklog(now);
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

  /** Frees what is under way; its file waits. */
  void abandon() {
    if (job != null) {
      job.close();
      job = null; // last: without memory for a step, all of them are done once more
    }
  }

  /** The work that a raw file needs, or null if it must wait, has gone, or is no file. */
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
      growing = state; // all work on it would be in vain
      throw isWrittenElsewhere(raw);
    }
    Path archive = writer.names.archiveOf(raw); // before anything is open
    return open(writer.open(raw), archive, false);
  }

  private static IOException isWrittenElsewhere(Path file) {
    return new NameWriter.MeddledException("another program writes to [" + file + "]");
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
   * Stock Logback compresses the active file itself for fixed windows and deletes it afterwards;
   * when it is killed in between, its archive holds what the active file begins with, and would be
   * kept beside the whole. Before the first job.
   */
  void suspect() throws IOException {
    RolledFiles.Suspect suspect = writer.policy.suspect();
    Path source = suspect == null ? null : whereabouts(suspect.source());
    State archive = suspect == null ? null : writer.files.state(suspect.archive());
    if (source != null && archive != null && archive.regular()) {
      abandon(); // one that began after an attempt that failed
      job = open(writer.open(source), suspect.archive(), true);
    }
  }

  /** The file that was active at the start, which may have been rolled over since. */
  private Path whereabouts(State file) throws IOException {
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
   * Warns when files come faster than they go: what an earlier run left, or a delay, is no reason.
   */
  private void tellBacklog(long now) throws IOException {
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

  /** Does nothing for a second. */
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
      writer.unsure();
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

  /** Work on one raw file, done a chunk at a time. */
  private final class Job {
    private final Tracked raw;
    private final Tracked archive; // null unless one is there
    private ArchiveComparison comparison; // null once what the archive is worth is known
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

    /** Does a bit; false when there is nothing left to do. */
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

    /** Else the archive that was cut short, as by a full disk, would keep out the whole one. */
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

    /** That another program writes to one of the files may last for ever, and is a failure. */
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
        tellCut(outcome);
        writer.retire(raw, raw.opened().bytes(), archive.opened(), began);
      } else if (raw.now() != null && archive.now() != null && !writer.isStopped()) {
        return part(outcome);
      } // else one of them was taken away meanwhile: looked at again
      return false;
    }

    /**
     * Without spillSync nothing forces a rolled file: after a power cut it may be there again
     * without its end. One that was written later than what the archive was made of is another one.
     */
    private boolean isCut(Outcome outcome) {
      return outcome == Outcome.WITHIN
          && raw.opened().modified().compareTo(archive.opened().modified()) <= 0;
    }

    private void tellCut(Outcome outcome) {
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

    /** A failed force is never repeated: the second one may succeed without having written. */
    private boolean isOnDisk(Outcome outcome) {
      Path path = archive.path();
      if (path == null) {
        return false; // retention has deleted it
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

    /** Either the archive goes, or the rolled file takes another name; false when that is done. */
    private boolean part(Outcome outcome) throws IOException {
      if (outcome == Outcome.DIFFERENT || outcome == Outcome.WITHIN) {
        writer.setAside(raw);
        return false;
      }
      if (outcome == Outcome.SAME) { // which could not be forced
        writer.discard(archive.path());
        return false;
      }
      makeAgain();
      return true;
    }

    /**
     * The archive stays until the one that replaces it is whole: another program may be writing it,
     * as gzip, which deletes the rolled file by its name once it has finished.
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
          || whereabouts(raw.opened()) == null) {
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
