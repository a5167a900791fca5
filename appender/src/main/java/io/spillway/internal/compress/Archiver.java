package io.spillway.internal.compress;

import io.spillway.internal.compress.ArchiveJob.Check;
import io.spillway.internal.metrics.FlightEvents;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * What the compressor thread does for one policy, in pieces: finds what earlier runs left, makes
 * archives, and runs retention in between. All fields belong to that thread; files are renamed and
 * deleted under the lock of {@link Archives}.
 */
final class Archiver {
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int MOST_DOUBLINGS = 6; // 64 seconds

  private final Archives archives;
  private final ArchiveFiles files;
  private boolean recovered;
  private ArchiveJob current; // the one that is begun
  private boolean triedSinceClean; // a file: in turn, one is tried and one clean is made
  private Compressor.Pacer pacer;
  private FlightEvents.Span recorded; // the compression under way

  Archiver(Archives archives) {
    this.archives = archives;
    this.files = archives.settings.files;
  }

  boolean isStopped() {
    return archives.isStopped();
  }

  /** Frees everything after a stop. */
  void abandon() {
    if (current != null) {
      giveUp(current);
    }
  }

  /** Does a piece of work; returns how long to rest. */
  long work(byte[] chunk) throws IOException {
    if (!recovered) {
      recover();
    }
    long rest = pacer == null || archives.isAwaited() ? 0 : pacer.restNanos();
    if (rest > 0) {
      return rest;
    }
    Runnable retention = archives.nextClean(); // read first: its file is among the jobs by now
    triedSinceClean &= retention != null;
    ArchiveJob job = current == null ? archives.next() : current;
    if (retention != null && (triedSinceClean || job == null)) {
      clean(retention);
      return 0;
    }
    if (job == null) {
      return RETRY_NANOS;
    }
    if (pacer == null) { // not earlier, as the clock loads sixty classes
      pacer = new Compressor.Pacer(Compressor.cpuClock(), System::nanoTime);
    }
    pacer.begin();
    try {
      step(job, chunk);
    } finally {
      pacer.charge(archives.settings.cpuPercent / 100.0);
    }
    return 0;
  }

  private void recover() throws IOException {
    try {
      archives.names.recover();
      recovered = true;
    } finally {
      archives.searched = true; // also if that failed: a stop does not wait for the next search
    }
  }

  private void clean(Runnable retention) {
    triedSinceClean = false;
    try {
      retention.run();
    } catch (RuntimeException e) {
      archives.reports.failure("archive.retention", "Cannot delete old archives: " + e, e);
    } finally {
      archives.cleaned();
    }
  }

  private void step(ArchiveJob job, byte[] chunk) {
    current = job;
    try {
      if (!begin(job)) {
        giveUp(job);
      } else if (job.isComparing()) {
        Check found = job.compareChunk(chunk, archives.settings.format);
        if (found != null) {
          settle(job, found);
        }
      } else if (!job.compressChunk(chunk)) {
        publish(job);
      }
    } catch (IOException | RuntimeException | LinkageError e) { // a library is loaded late
      failed(e);
    }
  }

  /** Returns whether the job is wanted; begins it, unless it is begun. */
  private boolean begin(ArchiveJob job) throws IOException {
    Path part;
    String entry;
    synchronized (archives) {
      if (!isWanted(job)) {
        return false;
      } else if (job.isBegun()) {
        return true;
      }
      Path archive = archives.archive(job.raw);
      job.open(files, Files.isRegularFile(archive, LinkOption.NOFOLLOW_LINKS) ? archive : null);
      part = archives.part(job.raw);
      entry = archives.names.entry(job.raw);
    }
    if (!job.isComparing()) {
      recorded = FlightEvents.compression();
      job.compress(part, entry, archives.settings);
    }
    return true;
  }

  /** Returns whether the file is there to be archived; forgets it if it was deleted. */
  private boolean isWanted(ArchiveJob job) {
    if (!job.gone && !files.exists(job.raw)) {
      archives.reports.info("archive.gone", "[" + job.raw + "] has gone without being archived.");
      archives.leave(job.raw);
    }
    return !job.gone && !archives.isStopped();
  }

  /** Acts on a comparison; where the archive is not the file's, the file is begun again. */
  private void settle(ArchiveJob job, Check found) throws IOException {
    if (found == Check.EQUAL) { // a crash came before the rolled file was deleted
      Path archive;
      synchronized (archives) {
        archive = archives.archive(job.raw);
      }
      job.force();
      files.forceDirectory(archive.toAbsolutePath().getParent());
    }
    synchronized (archives) {
      if (isWanted(job)) {
        switch (found) {
          case EQUAL -> finish(job);
          case CUT -> files.delete(archives.archive(job.raw));
          default -> rename(job);
        }
      }
    }
    giveUp(job);
  }

  /** Gives a rolled file another name, as that of its archive is taken. Lock held. */
  private void rename(ArchiveJob job) throws IOException {
    Path free = archives.free(job.raw);
    files.rename(job.raw, free);
    archives.reports.info(
        "archive.name",
        "[" + archives.archive(job.raw) + "] is another file's archive; taken: [" + free + "].");
    job.raw = free;
  }

  private void publish(ArchiveJob job) throws IOException {
    long length = job.end();
    synchronized (archives) {
      if (isWanted(job)) {
        files.copyAttributes(job.raw, job.part());
      }
    }
    job.force();
    Path archive;
    synchronized (archives) {
      if (!isWanted(job)) {
        giveUp(job);
        return;
      }
      if (files.exists(archives.archive(job.raw))) {
        rename(job);
      }
      archive = archives.archive(job.raw);
      files.rename(job.part(), archive);
      recorded.compressed(job.raw.toString(), archive.toString(), job.bytes, length);
    }
    files.forceDirectory(archive.toAbsolutePath().getParent());
    synchronized (archives) {
      if (isWanted(job)) {
        finish(job);
      }
    }
    giveUp(job);
  }

  /** Deletes the rolled file, as its archive is on the disk. Lock held. */
  private void finish(ArchiveJob job) throws IOException {
    files.delete(job.raw);
    if (job.failures > 0) {
      archives.reports.over("archive", "[" + archives.archive(job.raw) + "] is archived.");
    }
    archives.done(job);
    triedSinceClean = true;
  }

  /** Ends the work on a job, done or not, and deletes the part if there is one. */
  private void giveUp(ArchiveJob job) {
    current = null;
    Path part = job.part();
    Exception failure = job.close();
    try {
      if (part != null) {
        files.delete(part);
      }
    } catch (IOException e) { // the next start deletes it
      failure = e;
    }
    if (failure != null) { // a compressor may repeat that of its job
      archives.reports.info("archive.part", "Cannot clear up [" + part + "]: " + failure);
    }
  }

  /** Counts a failure; the file is tried again later. */
  void failed(Throwable why) {
    ArchiveJob job = current;
    if (job == null) {
      archives.reports.failure(
          "archive.earlier",
          "Cannot find the rolled files of earlier runs: "
              + why
              + "; it is tried again. To do: see that the directories of the archives are readable.",
          why);
      return;
    }
    giveUp(job);
    triedSinceClean = true;
    archives.reports.failure(
        "archive",
        "Cannot archive ["
            + job.raw
            + "]: "
            + why
            + "; it stays and is tried again. To do: see that there is room, and that the directory"
            + " is writable.",
        why);
    long pause = RETRY_NANOS << Math.min(MOST_DOUBLINGS, job.failures);
    archives.failed(job, System.nanoTime() + pause); // what is counted has been told
  }
}
