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
 * Has the rolled files of one policy archived in the background, by the one thread per JVM that
 * does so for all. What waits is what lies in the directory: calls are hints, they return at once,
 * and a process that dies forgets nothing. Decides what is done next: deletions, sweeps, names,
 * retention, then compression. Used once: started, then stopped.
 *
 * <p>Concurrency: hints come from whoever writes the log and set flags; the compressor's thread
 * reads them and does all the rest. A flag is taken down before its work begins, so that a request
 * meanwhile counts.
 */
public final class Archiver {
  static { // initializes what the compressor needs, before memory may be short
    ArchiveComparison.Outcome.values();
    ArchiveNames.Kind.values();
    RolledName.BY_SEQUENCE.reversed();
    FileTime.fromMillis(0).to(TimeUnit.MICROSECONDS); // as the JDK does to set a file's time
  }

  /** Without any progress there is nothing to wait for: a disk that hangs, a full one. */
  private static final long STUCK_NANOS = 1_000_000_000L;

  private static final long POLL_NANOS = 1_000_000L;

  /** What counts at most from one look to the next: the machine may have stood still between. */
  private static final long LOOK_NANOS = 250_000_000L;

  private static final long PLACE_AGAIN_NANOS = 1_000_000_000L;
  private static final long ROLLED_AGAIN_NANOS = 100_000_000L;
  private static final int RETENTION_SHARE = 10;

  /** However long it took: then it was the disk that stood still, or the machine. */
  private static final long MOST_REST_NANOS = 60_000_000_000L;

  /** Names are given after so many that failed, even if what a crash left could not be mended. */
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
  private final AtomicLong idleAsked = new AtomicLong(); // by those who wait for it
  private volatile long idleSeen; // the last of them that was asked before a look found it so
  private final Errand sweep;
  private final Errand placing;
  private final Errand settling;
  private volatile int sweepFailures; // in a row; written by the compressor's thread
  private int settleFailures; // the same
  private volatile long announced; // the highest sequence that may be placed
  private volatile boolean swept;
  private volatile boolean hurrying;
  private volatile boolean started;

  /**
   * How one policy's files are archived; checked by the policy.
   *
   * @param format by suffix
   * @param level as the format takes it
   * @param cpuShare of one core that archiving may take, above 0, at most 1
   * @param maxRandomDelay each file's compression is put off by a random part of this
   */
  public record Settings(
      ArchiveFormat format, int level, double cpuShare, Duration maxRandomDelay) {}

  /** Something to be done once it is asked for and not too early. */
  private final class Errand {
    private volatile boolean asked;
    private long setNanos = clock.getAsLong();
    private long pauseNanos;
    private boolean spared; // when in a hurry

    void ask() {
      asked = true;
    }

    /** Not before, whoever waits: it has failed. */
    void pause(long nanos) {
      set(nanos, false);
    }

    /** It takes long, and is put off for the sake of others; not of a stop, which has no time. */
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

    /** Whether it is to be done now; then it is not asked for any more. */
    boolean begin() {
      boolean due = restNanos() == 0;
      if (due) {
        asked = false;
      }
      return due;
    }
  }

  /**
   * An archiver, not started.
   *
   * @param rolled the policy's side
   * @param settings checked by the policy
   * @param reports told of failures
   * @param files the disk
   */
  public Archiver(RolledFiles rolled, Settings settings, Reports reports, Disk files) {
    this(
        rolled, settings, reports, new Context(files, CompressionWorker.SHARED, Reports.NANO_TIME));
  }

  Archiver(RolledFiles rolled, Settings settings, Reports reports, Context context) {
    this.worker = context.worker;
    this.clock = context.nanoClock;
    this.sweep = new Errand();
    this.placing = new Errand();
    this.settling = new Errand();
    this.writer = new NameWriter(context.files, rolled, settings, reports);
    this.following = new Following(writer, this::look);
    this.jobs = new RolledJobs(writer, following::owns, clock);
  }

  /**
   * Stops whoever archives files of these names, as a policy whose appender could not be started,
   * which Logback never stops. Only for whom the names belong to.
   */
  public void takeOver() {
    for (CompressionWorker.Duty other : worker.duties()) {
      if (other instanceof Duty of && of.archiver().writer.names.isOf(writer.names)) {
        of.archiver().stop();
      }
    }
  }

  /**
   * Begins, with a sweep of what earlier runs left. Returns at once.
   *
   * @param lastSequence the highest that waits for a name, or less
   */
  public void start(long lastSequence) {
    announced = lastSequence;
    sweep.ask();
    started = true;
    worker.add(duty);
  }

  /**
   * Waits until nothing waits to be archived any more, but for what is put off by {@link
   * Settings#maxRandomDelay}, and what is too old is gone, as long as there is progress. From now
   * on compression takes a whole core.
   *
   * @param mostNanos how long at most
   * @return whether nothing else waits
   */
  public boolean awaitArchived(long mostNanos) {
    long mine = idleAsked.incrementAndGet();
    return await(mostNanos, () -> idleSeen >= mine);
  }

  /**
   * Waits until each rolled file has a raw name, which takes moments, as long as there is progress.
   *
   * @param mostNanos how long at most
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
   * A piece of work is done, however small: whoever waits goes on waiting, unless each file that is
   * tried fails. Compressor's thread.
   */
  public void progressed() {
    if (hurrying && !jobs.isFailing()) {
      worker.progressed();
    }
  }

  /** Whether nothing is known to wait, and the first look is through. Compressor's thread. */
  private boolean isIdle() {
    return swept
        && !writer.isUnsure()
        && writer.backlog.dueFiles() == 0
        && !placing.asked
        && (!settling.asked || settleFailures > 0); // nobody waits for what fails
  }

  /**
   * Ends: when it returns, no name changes any more. An archive under way is given up, its rolled
   * file waits for the next start.
   */
  public void stop() {
    writer.stop();
    worker.wake();
  }

  /**
   * Whether it archives.
   *
   * @return false before its start, and after a stop or a {@link #takeOver}
   */
  public boolean isRunning() {
    return started && !writer.isStopped();
  }

  /**
   * One more file waits for the name of its archive. If it was {@linkplain #follow followed}, its
   * archive is finished.
   *
   * @param rolled what the active file is called now
   */
  public void rolled(RolledName rolled) {
    if (isRunning()) {
      long delay = writer.names.isPlain() ? 0 : randomDelayNanos();
      writer.backlog.add(rolled.path(), false, delay);
      following.rolled(rolled.path(), false);
      announced = Math.max(announced, rolled.sequence()); // last: now it may be renamed
      placing.ask();
      worker.wake();
    }
  }

  /**
   * One more file waits that had its raw name while it was written.
   *
   * @param raw its path
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
   * A rollover was cut short by an Error: looks for what it left. If the file was followed, it is
   * to be followed no more.
   *
   * @param lastSequence that of the rollover, whose file may have its rolled name
   */
  public void unsure(long lastSequence) {
    announced = Math.max(announced, lastSequence);
    writer.unsure();
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
   * Renames a raw file or an archive, as in a shift. Compressor's thread.
   *
   * @param from its path
   * @param to a free name
   * @throws IOException if it cannot be renamed
   */
  public void move(Path from, Path to) throws IOException {
    writer.rename(from, to);
    progressed();
  }

  /**
   * Takes a raw file or an archive away: renames it, and leaves the deleting, which may take long,
   * to a later step. Compressor's thread.
   *
   * @param file its path
   * @return its path until it is deleted; null if it is the active file now and stays
   * @throws IOException if it cannot be renamed
   */
  public Path discard(Path file) throws IOException {
    Path done = writer.discard(file);
    progressed();
    return done;
  }

  /**
   * Whether an archive of a raw file is being written. Compressor's thread.
   *
   * @param raw its path
   * @return also while the active file, which is likely to get that name, is followed
   */
  public boolean isArchiving(Path raw) {
    return writer.isMaking(writer.names.archiveOf(raw));
  }

  /**
   * The active file has just been opened: archives it while it is written, from its beginning. By
   * the one thread that writes it, as {@link #grown}. A file followed before is given up.
   *
   * @param active its path
   */
  public void follow(Path active) {
    if (isRunning() && !writer.names.isPlain()) {
      following.follow(active);
      worker.wake();
    }
  }

  /**
   * More of the followed file is written. Costs a store to memory.
   *
   * @param from where in the file it begins; below what was said before if somebody cut the file
   * @param to where it ends: up to there it will not be taken back
   */
  public void grown(long from, long to) {
    following.grown(from, to);
  }

  /**
   * What has been done, and what waits.
   *
   * @return figures of this moment
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

  /** Whether there is a thread; where there is none, it is tried once more to have one. */
  private boolean isServed() {
    return !isRunning() || worker.revive();
  }

  /** What the compressor's thread does for this archiver. */
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
        while (writer.hasRubbish()) {
          delete(writer.nextRubbish()); // what cannot be deleted is found by the next start
        }
      }
    }

    @Override
    public boolean attend(byte[] chunk) {
      if (writer.isStopped()) {
        return true; // to be removed in the next round
      }
      if (writer.hasRubbish()) {
        delete(writer.nextRubbish());
        return true;
      }
      if (writer.isUnsure()) {
        following.giveUpLost();
        writer.look();
        sweep.ask();
      }
      long asked = idleAsked.get();
      boolean worked = sweep.begin();
      if (worked) {
        sweepNow();
      }
      if (swept && !jobs.isSuspecting() && placing.begin()) {
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
              || !hurrying && following.follow(chunk)); // a stop has no time for what goes on
    }

    @Override
    public boolean compress(byte[] chunk) {
      return !writer.isStopped() && archived(jobs.work(chunk));
    }

    /** Retention is due after each archive. */
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
      if (writer.hasRubbish()) {
        return 0;
      }
      long errands = Math.min(sweep.restNanos(), settling.restNanos());
      if (swept && !jobs.isSuspecting()) {
        errands = Math.min(errands, placing.restNanos());
      }
      return Math.min(errands, Math.min(following.restNanos(), jobs.restNanos()));
    }

    @Override
    public void survived(Throwable t) {
      writer.unsure();
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
      if (!swept && writer.policy.isRolledElsewhere()) { // its archive looks as if it was cut short
        sweep.pause(ROLLED_AGAIN_NANOS);
        sweep.ask();
        return;
      }
      try {
        try {
          new Sweep().run();
        } finally { // whatever could not be cleared up
          mend();
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

    /** Before the first name changes, but for one that does not become possible. */
    private void mend() throws IOException {
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

    /** Gives the files that were rolled over the names of their archives, in their order. */
    private void place() {
      long start = clock.getAsLong();
      RolledName next = null;
      try {
        long last = announced; // what comes later has its follower handed over only then
        for (RolledName rolled : RolledName.list(writer.files, writer.policy.active())) {
          next = rolled;
          if (rolled.sequence() <= last || !rolled.isCounted()) { // the latter nobody announces
            writer.place(rolled);
            progressed();
          }
        }
        following.giveUpLost();
        placing.rest(clock.getAsLong() - start); // a crowded directory takes long to list
      } catch (Throwable e) {
        if (e instanceof Error) {
          writer.unsure(); // perhaps one has its name, and that is not noted
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
        writer.unsure(); // perhaps a file has been renamed, and that is not noted
      }
      writer.backlog.failed();
      writer.reports.warn(
          "archive.retention",
          "Cannot remove old archives, or give new ones to the archive listener: "
              + e
              + "; tried again in "
              + TimeUnit.NANOSECONDS.toSeconds(pause)
              + " s. To do: check that their directory can be read, and that memory and threads are"
              + " to be had.");
    }
  }

  /**
   * Goes through the policy's files once and clears up what a crash or stock Logback left; rolled
   * files found here wait for their turn, which is when their archives are looked at, too. Touches
   * exact names only.
   */
  private final class Sweep implements ArchiveNames.Visitor {
    private long rolledFiles;
    private long rolledBytes;
    private long rubbish;

    /** Throws what kept it from doing all; what could be done is done. */
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
      if (rubbish > 0) {
        writer.reports.info(
            "archive.sweep.rubbish", rubbish + " unfinished or used files were removed.");
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
      } // archives are what is wanted
      return !writer.isStopped();
    }

    private void found(Path file, boolean placed, State state) {
      if (writer.policy.isWritten(file)) {
        return; // without a name of its own, the active file has the next raw name
      }
      rolledFiles++;
      rolledBytes += state.bytes();
      writer.backlog.found(file, placed, state);
    }

    /** Logback moved the rolled file there to compress it: it becomes what it was to be. */
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
      rubbish++;
    }
  }
}
