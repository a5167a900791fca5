package io.spillway.internal.compress;

import io.spillway.archive.ArchiveFormat;
import io.spillway.internal.disk.Disk;
import io.spillway.internal.disk.Disk.State;
import io.spillway.internal.metrics.DetachedThread;
import io.spillway.internal.metrics.Reports;
import io.spillway.metrics.ArchiveMetrics;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Archives the rolled files of one policy in the background, on the one compressor thread of the
 * JVM. The directory is the queue of what waits: calls are hints that return at once, and a process
 * that dies loses no work. Decides what is done next: deletions, sweeps, names, retention, then
 * compression. Each instance is started once, then stopped once.
 *
 * <p>Concurrency: hints come from the thread that writes the log and set flags; the compressor
 * thread reads the flags and does all the rest. A flag is cleared before its work begins, so that a
 * request during the work counts.
 */
public final class Archiver {
  static { // while memory is available, initializes the compressor's classes
    ArchiveComparison.Outcome.values();
    ArchiveNames.Kind.values();
    RolledName.BY_SEQUENCE.reversed();
    FileTime.fromMillis(0).to(TimeUnit.MICROSECONDS); // used by the JDK to set a file's time
  }

  /** A wait ends after this time without progress, as on a disk that hangs or is full. */
  private static final long STUCK_NANOS = 1_000_000_000L;

  private static final long POLL_NANOS = 1_000_000L;

  /** The most time that counts between two checks, as the machine may have been suspended. */
  private static final long LOOK_NANOS = 250_000_000L;

  private static final long PLACE_AGAIN_NANOS = 1_000_000_000L;
  private static final long ROLLED_AGAIN_NANOS = 100_000_000L;
  private static final int RETENTION_SHARE = 10;

  /** The longest rest after an errand; a longer one would be due to a stalled disk or machine. */
  private static final long MOST_REST_NANOS = 60_000_000_000L;

  /** Failed sweeps after which names are given even if a crash's files could not be repaired. */
  private static final int SWEEPS_BEFORE_NAMES = 3;

  /**
   * What an archiver runs on.
   *
   * @param files the disk
   * @param worker the thread that archives
   * @param nanoClock measures its pauses
   */
  record Context(Disk files, CompressionWorker worker, LongSupplier nanoClock) {}

  private final NameWriter writer;
  private final CompressionWorker worker;
  private final LongSupplier clock;
  private final Following following;
  private final RolledJobs jobs;
  private final Duty duty = new Duty();
  private final AtomicLong idleAsked = new AtomicLong(); // number of the last waiting call
  private volatile long idleSeen; // the last one that was found idle
  private final DeferredTask sweep;
  private final DeferredTask placing;
  private final DeferredTask settling;
  private volatile int sweepFailures; // in a row; written by the compressor's thread
  private int settleFailures; // in a row
  private volatile long announced; // the highest sequence that may be placed
  private volatile boolean swept;
  private volatile boolean hurrying;
  private volatile boolean started;

  /**
   * How one policy's files are archived; validated by the policy.
   *
   * @param format the format of the archives' suffix
   * @param level a level that the format accepts
   * @param cpuShare share of one core that archiving may take, above 0, at most 1
   * @param maxRandomDelay upper limit of the random delay of each file's compression
   */
  public record Settings(
      ArchiveFormat format, int level, double cpuShare, Duration maxRandomDelay) {}

  /** Work that is done when it is requested and its pause is over. */
  private final class DeferredTask {
    private volatile boolean asked;
    private long setNanos = clock.getAsLong();
    private long pauseNanos;
    private boolean spared; // whether a hurry ends the pause

    void ask() {
      asked = true;
    }

    /** Delays the errand after a failure, even if a caller waits. */
    void pause(long nanos) {
      set(nanos, false);
    }

    /** Delays an errand that takes long in favor of others; a stop does not wait for this delay. */
    void rest(long nanos) {
      set(Math.min(nanos, MOST_REST_NANOS), true);
    }

    private void set(long nanos, boolean unlessHurrying) {
      setNanos = clock.getAsLong();
      pauseNanos = nanos;
      spared = unlessHurrying;
    }

    long restNanos() {
      if (!asked) {
        return Long.MAX_VALUE;
      }
      return spared && hurrying ? 0 : Math.max(0, pauseNanos - (clock.getAsLong() - setNanos));
    }

    /** Returns whether the errand is due; if so, clears its request. */
    boolean begin() {
      boolean due = restNanos() == 0;
      if (due) {
        asked = false;
      }
      return due;
    }
  }

  /**
   * Creates an archiver that is not started.
   *
   * @param rolled the policy's files
   * @param settings validated by the policy
   * @param reports receives failures
   * @param files the disk
   */
  public Archiver(RolledFiles rolled, Settings settings, Reports reports, Disk files) {
    this(
        rolled, settings, reports, new Context(files, CompressionWorker.SHARED, Reports.NANO_TIME));
  }

  Archiver(RolledFiles rolled, Settings settings, Reports reports, Context context) {
    this.worker = context.worker;
    this.clock = context.nanoClock;
    this.sweep = new DeferredTask();
    this.placing = new DeferredTask();
    this.settling = new DeferredTask();
    this.writer = new NameWriter(context.files, rolled, settings, reports);
    this.following = new Following(writer, this::look);
    this.jobs = new RolledJobs(writer, following::owns, clock);
  }

  /**
   * Stops every archiver of the same names, such as that of a policy whose appender could not be
   * started, which Logback never stops. Only the owner of the names may call this.
   */
  public void takeOver() {
    for (CompressionWorker.Duty other : worker.duties()) {
      if (other instanceof Duty of && of.archiver().writer.names.isOf(writer.names)) {
        of.archiver().stop();
      }
    }
  }

  /**
   * Starts with a sweep of the files that earlier runs left. Returns at once.
   *
   * @param lastSequence the highest sequence of the files that wait for a name, or less
   */
  public void start(long lastSequence) {
    announced = lastSequence;
    sweep.ask();
    started = true;
    worker.add(duty);
  }

  /**
   * Waits until all files are archived, except those delayed by {@link Settings#maxRandomDelay},
   * and retention is done; ends after a second without progress. From this call on, compression may
   * take a whole core.
   *
   * @param mostNanos the longest wait in nanoseconds
   * @return whether no file waits, except for delayed ones
   */
  public boolean awaitArchived(long mostNanos) {
    long mine = idleAsked.incrementAndGet();
    return await(mostNanos, () -> idleSeen >= mine);
  }

  /**
   * Waits until each rolled file has a raw name, which takes one rename each; ends after a second
   * without progress.
   *
   * @param mostNanos the longest wait in nanoseconds
   */
  public void awaitPlaced(long mostNanos) {
    await(mostNanos, () -> !writer.backlog.isPlacing());
  }

  private boolean await(long mostNanos, BooleanSupplier done) {
    hurrying = true;
    worker.wake();
    long looked = clock.getAsLong();
    long waited = 0;
    long still = 0;
    long seen = worker.progress();
    while (isRunning() && !done.getAsBoolean()) {
      long now = clock.getAsLong();
      long passed = Math.min(now - looked, LOOK_NANOS);
      looked = now;
      waited += passed;
      still += passed;
      if (seen != worker.progress()) {
        seen = worker.progress();
        still = 0;
      }
      if (waited > mostNanos || still > STUCK_NANOS) {
        break;
      }
      DetachedThread.pause(this, POLL_NANOS);
    }
    return done.getAsBoolean();
  }

  /**
   * Reports that a piece of work is done, however small, so that a waiting call continues; has no
   * effect while each file that is tried fails. Called by the compressor thread.
   */
  public void progressed() {
    if (hurrying && !jobs.isFailing()) {
      worker.progressed();
    }
  }

  /** Returns whether no work is known and the first sweep is done. For the compressor thread. */
  private boolean isIdle() {
    return swept
        && !writer.isInconsistent()
        && writer.backlog.dueFiles() == 0
        && !placing.asked
        && (!settling.asked || settleFailures > 0); // a failing retention is not waited for
  }

  /**
   * Stops the archiver; no name changes after this method has returned. An unfinished archive is
   * abandoned, and its rolled file waits for the next start.
   */
  public void stop() {
    writer.stop();
    worker.wake();
  }

  /**
   * Returns whether the archiver is running.
   *
   * @return false before the start, and after a stop or a {@link #takeOver}
   */
  public boolean isRunning() {
    return started && !writer.isStopped();
  }

  /**
   * Announces a rolled file that waits for its raw name. If the file was {@linkplain #follow
   * followed}, its archive is finished.
   *
   * @param rolled the name of the file after its rollover
   */
  public void rolled(RolledName rolled) {
    if (isRunning()) {
      long delay = writer.names.isPlain() ? 0 : randomDelayNanos();
      writer.backlog.add(rolled.path(), false, delay);
      following.rolled(rolled.path(), false);
      announced = Math.max(announced, rolled.sequence()); // last: it may now be renamed
      placing.ask();
      worker.wake();
    }
  }

  /**
   * Announces a rolled file that had its raw name while it was written.
   *
   * @param raw the file's path
   */
  public void rolled(Path raw) {
    if (!isRunning()) {
      return;
    }
    if (writer.names.isInPlace(raw)) {
      writer.policy.published(writer.names.archiveOf(raw));
    } else {
      writer.backlog.add(raw, true, randomDelayNanos());
      following.rolled(raw, true);
      look();
    }
    settling.ask();
    worker.wake();
  }

  /**
   * Announces that an Error interrupted a rollover: the directory is searched for the files that
   * the rollover left. A file that was followed is abandoned by the next {@link #follow}.
   *
   * @param lastSequence the sequence of the rollover, whose file may have its rolled name
   */
  public void markInconsistent(long lastSequence) {
    announced = Math.max(announced, lastSequence);
    writer.markInconsistent();
    worker.wake();
  }

  private long randomDelayNanos() {
    long most = writer.settings.maxRandomDelay().toNanos();
    return most <= 0 ? 0 : ThreadLocalRandom.current().nextLong(most);
  }

  private void look() {
    jobs.look();
  }

  /**
   * Renames a raw file or an archive, as in a shift. Called by the compressor thread.
   *
   * @param from the file's path
   * @param to a free name
   * @throws IOException if the file cannot be renamed
   */
  public void move(Path from, Path to) throws IOException {
    writer.rename(from, to);
    progressed();
  }

  /**
   * Removes a raw file or an archive: renames it to a DONE name, and leaves the deletion, which may
   * take long, to a later step. Called by the compressor thread.
   *
   * @param file the file's path
   * @return the file's path until it is deleted; null if it is the active file and stays, or after
   *     a stop
   * @throws IOException if the file cannot be renamed
   */
  public Path discard(Path file) throws IOException {
    Path done = writer.discard(file);
    progressed();
    return done;
  }

  /**
   * Returns whether an archive of a raw file is being written. For the compressor thread.
   *
   * @param raw the file's path
   * @return true also while the active file is followed that is expected to get that name
   */
  public boolean isArchiving(Path raw) {
    return writer.isMaking(writer.names.archiveOf(raw));
  }

  /**
   * Archives the active file, which has just been opened, while it is written, from its beginning.
   * A file followed before is abandoned. Called by the one thread that writes the file, as is
   * {@link #grown}.
   *
   * @param active the active file's path
   */
  public void follow(Path active) {
    if (isRunning() && !writer.names.isPlain()) {
      following.follow(active);
      worker.wake();
    }
  }

  /**
   * Announces that more of the followed file is written. Costs one store to memory.
   *
   * @param from offset where the new bytes begin; below the last {@code to} if another program
   *     truncated the file
   * @param to offset where the new bytes end; bytes below it will not be rewritten
   */
  public void grown(long from, long to) {
    following.grown(from, to);
  }

  /**
   * Returns the figures of what has been archived and what waits.
   *
   * @return the current figures
   */
  public ArchiveMetrics metrics() {
    return writer.backlog.metrics(failing());
  }

  private String failing() {
    Path file = writer.backlog.failing();
    boolean fails = file != null || Backlog.isRepeated(sweepFailures) || !isServed();
    return fails
        ? writer.names.directoryOf(file == null ? writer.policy.active() : file).toString()
        : "";
  }

  /** Returns whether the compressor thread is alive or not needed; tries to start a dead one. */
  private boolean isServed() {
    return !isRunning() || worker.restartIfDead();
  }

  /** The work of the compressor thread for this archiver. */
  private final class Duty implements CompressionWorker.Duty {
    private long archivedBefore;
    private int failedSweeps;

    private Archiver archiver() {
      return Archiver.this;
    }

    @Override
    public boolean isStopped() {
      return writer.isStopped();
    }

    @Override
    public void abandon() {
      try {
        jobs.abandon();
      } finally {
        following.abandon();
        while (writer.hasDeletions()) {
          delete(writer.nextDeletion()); // the next start finds what cannot be deleted
        }
      }
    }

    @Override
    public boolean attend(byte[] chunk) {
      if (writer.isStopped()) {
        return true; // the next round removes this duty
      }
      if (writer.hasDeletions()) {
        delete(writer.nextDeletion());
        return true;
      }
      if (writer.isInconsistent()) {
        following.giveUpLost();
        writer.look();
        sweep.ask();
      }
      long asked = idleAsked.get();
      boolean worked = sweep.begin();
      if (worked) {
        sweepNow();
      }
      if (swept && !jobs.isCheckingLeftover() && placing.begin()) {
        place();
        worked = true;
      }
      boolean first = hurrying && jobs.restNanos() == 0; // a stop archives before it cleans up
      if (!first && settling.begin()) { // before the next compression, which may take long
        settle();
        worked = true;
      }
      worked = worked || archived(following.finish(chunk, true));
      if (!worked && isIdle()) {
        idleSeen = asked;
      }
      return worked;
    }

    @Override
    public boolean follow(byte[] chunk) {
      return !writer.isStopped()
          && (archived(following.finish(chunk, false))
              || !hurrying && following.follow(chunk)); // a stop leaves the active file
    }

    @Override
    public boolean compress(byte[] chunk) {
      return !writer.isStopped() && archived(jobs.work(chunk));
    }

    /** Requests retention after each archive; returns its argument. */
    private boolean archived(boolean worked) {
      long now = writer.backlog.archived();
      if (now != archivedBefore) {
        archivedBefore = now;
        jobs.succeeded();
        settling.ask();
      }
      if (worked) {
        progressed();
      }
      return worked;
    }

    @Override
    public boolean isBusy() {
      return jobs.isBusy();
    }

    @Override
    public void hurry() {
      hurrying = true;
    }

    @Override
    public boolean isHurrying() {
      return hurrying;
    }

    @Override
    public void awaitArchived(long mostNanos) {
      Archiver.this.awaitArchived(mostNanos);
    }

    @Override
    public double cpuShare() {
      return hurrying ? 1 : writer.settings.cpuShare();
    }

    @Override
    public long restNanos() {
      if (writer.hasDeletions()) {
        return 0;
      }
      long errands = Math.min(sweep.restNanos(), settling.restNanos());
      if (swept && !jobs.isCheckingLeftover()) {
        errands = Math.min(errands, placing.restNanos());
      }
      return Math.min(errands, Math.min(following.restNanos(), jobs.restNanos()));
    }

    @Override
    public void survived(Throwable t) {
      writer.markInconsistent();
      writer.backlog.failed();
      jobs.pause();
      jobs.abandon();
      writer.reports.error(
          "archive.worker",
          "The compressor met an unexpected failure and goes on; nothing is lost. To do: report"
              + " it, please.",
          t);
    }

    private void delete(Path file) {
      try {
        writer.files.delete(file);
        progressed();
      } catch (Throwable e) {
        sweepFailed("Cannot delete [" + file + "], which is not needed any more", e);
      }
    }

    private void sweepNow() {
      if (!swept && writer.policy.isRolledElsewhere()) { // its archive looks truncated
        sweep.pause(ROLLED_AGAIN_NANOS);
        sweep.ask();
        return;
      }
      try {
        try {
          new Sweep().run();
        } finally { // even if a file could not be cleaned up
          settleInterrupted();
        }
        sweepFailures = 0;
        sweep.pause(0);
      } catch (Throwable e) {
        sweepFailed("Cannot look through the directory of archives", e);
        swept |= ++failedSweeps >= SWEEPS_BEFORE_NAMES;
      }
      look();
      placing.ask();
      settling.ask();
    }

    /** Repairs what a crash left before the first name changes, unless that keeps failing. */
    private void settleInterrupted() throws IOException {
      writer.policy.swept();
      if (!swept) {
        jobs.suspect();
        swept = true;
      }
    }

    private void sweepFailed(String what, Throwable e) {
      writer.backlog.failed();
      long pause = Backlog.pause(sweepFailures);
      sweepFailures = sweepFailures + 1;
      sweep.pause(pause);
      sweep.ask();
      writer.reports.warn(
          "archive.sweep.failed",
          what
              + ": "
              + e
              + "; tried again in "
              + TimeUnit.NANOSECONDS.toSeconds(pause)
              + " s. To do: check that the directory is writable and its disk is healthy.");
    }

    /** Gives the rolled files their raw names, in the order of their rollovers. */
    private void place() {
      long start = clock.getAsLong();
      RolledName next = null;
      try {
        long last = announced; // a later file's follower is not handed over yet
        for (RolledName rolled : RolledName.list(writer.files, writer.policy.active())) {
          next = rolled;
          if (rolled.sequence() <= last || !rolled.isCounted()) { // others are not announced
            writer.place(rolled);
            progressed();
          }
        }
        following.giveUpLost();
        placing.rest(clock.getAsLong() - start); // listing a large directory takes long
      } catch (Throwable e) {
        if (e instanceof Error) {
          writer.markInconsistent(); // perhaps a file has its name, and that is not recorded
        }
        writer.backlog.failed();
        writer.backlog.notPlaced();
        placing.pause(PLACE_AGAIN_NANOS);
        placing.ask();
        writer.reports.failure(
            "archive.name",
            "Cannot give "
                + (next == null ? "rolled files" : "[" + next.path() + "]")
                + " the name of an archive; nothing is lost, it is tried again in a second. To do:"
                + " check that the directory of the archives exists, is writable, and its disk is"
                + " healthy.",
            e);
      }
      look();
      settling.ask();
    }

    private void settle() {
      long start = clock.getAsLong();
      try {
        writer.policy.settled();
        settleFailures = 0;
        settling.rest(RETENTION_SHARE * (clock.getAsLong() - start));
      } catch (Throwable e) {
        settleFailed(e);
      }
    }

    private void settleFailed(Throwable e) {
      long pause = Backlog.pause(settleFailures);
      settleFailures++;
      settling.pause(pause);
      settling.ask();
      if (e instanceof Error) {
        writer.markInconsistent(); // perhaps a file was renamed, and that is not recorded
      }
      writer.backlog.failed();
      writer.reports.warn(
          "archive.retention",
          "Cannot remove old archives, or give new ones to the archive listener: "
              + e
              + "; tried again in "
              + TimeUnit.NANOSECONDS.toSeconds(pause)
              + " s. To do: check that their directory can be read, and that memory and threads are"
              + " available.");
    }
  }

  /**
   * Lists the policy's files once and cleans up what a crash or stock Logback left. Rolled files
   * that are found wait for their turn, in which their archives are checked, too. Touches only
   * names that match exactly.
   */
  private final class Sweep implements ArchiveNames.Visitor {
    private long rolledFiles;
    private long rolledBytes;
    private long deletions;

    /** Sweeps; throws a failure after everything else is done. */
    void run() throws IOException {
      try {
        writer.names.walk(writer.files, this);
      } finally {
        findRolled();
      }
    }

    private void findRolled() throws IOException {
      for (RolledName rolled : RolledName.list(writer.files, writer.policy.active())) {
        State state = writer.files.state(rolled.path());
        if (state != null) {
          found(rolled.path(), false, state);
        }
      }
      if (rolledFiles > 0) {
        writer.reports.info(
            "archive.sweep",
            rolledFiles
                + " rolled files ("
                + rolledBytes
                + " bytes) were left to be archived; they are archived in the background.");
      }
      if (deletions > 0) {
        writer.reports.info(
            "archive.sweep.deletions", deletions + " unfinished or used files were removed.");
      }
    }

    @Override
    public boolean visit(Path file, ArchiveNames.Kind kind, State state) throws IOException {
      progressed();
      if (kind == ArchiveNames.Kind.RAW) {
        found(file, true, state);
      } else if (kind == ArchiveNames.Kind.STOCK_TMP) {
        adopt(file, state);
      } else if (kind == ArchiveNames.Kind.PART) {
        removePart(file);
      } else if (kind == ArchiveNames.Kind.DONE) {
        remove(file);
      } // an archive stays as it is
      return !writer.isStopped();
    }

    private void found(Path file, boolean placed, State state) {
      if (writer.policy.isWritten(file)) {
        return; // without <file>, the active file has the next raw name
      }
      rolledFiles++;
      rolledBytes += state.bytes();
      writer.backlog.found(file, placed, state);
    }

    /** Gives a rolled file that Logback moved away to compress it its raw name. */
    private void adopt(Path tmp, State state) throws IOException {
      Path raw = writer.names.rawOfStockTmp(writer.files, tmp, state);
      if (writer.files.state(raw) != null) {
        raw = writer.policy.aside(raw);
      }
      writer.rename(tmp, raw);
      found(raw, true, state);
    }

    private void removePart(Path part) throws IOException {
      if (!writer.isWriting(part)) {
        remove(part);
      }
    }

    private void remove(Path file) throws IOException {
      writer.files.delete(file);
      deletions++;
    }
  }
}
