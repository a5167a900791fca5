package io.spillway.rolling;

import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.rolling.RollingPolicy;
import ch.qos.logback.core.rolling.RolloverFailure;
import ch.qos.logback.core.rolling.helper.CompressionMode;
import ch.qos.logback.core.spi.ContextAwareBase;
import io.spillway.compress.Archiver;
import io.spillway.compress.FilePaths;
import io.spillway.metrics.ArchiveMetrics;
import io.spillway.metrics.Environment;
import io.spillway.metrics.Reports;
import java.io.IOException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * What the policies of this package share. A rollover renames the active file, nothing else; a
 * background thread makes archives of rolled files, see {@link io.spillway.compress}. Nothing is
 * ever overwritten: where a name is taken, a free one is found, and a status message tells.
 *
 * <p>The format of archives is chosen by the suffix of {@code fileNamePattern}: {@code .gz}, {@code
 * .zip}, {@code .zst} (needs com.github.luben:zstd-jni on the class path), or none. A setting that
 * cannot be is reported as an error that names it, and neither the policy nor its appender starts.
 *
 * <p>Not a {@code RollingPolicyBase}: that keeps the parsed pattern to itself, and Logback before
 * 1.5.8 fails on a policy of that class which has not set it.
 */
public abstract class ArchivingPolicy extends ContextAwareBase implements RollingPolicy {
  private static final long MOST_WAIT_NANOS = 30_000_000_000L; // as Logback

  final Reports reports = new Reports(this);
  final RetryPause pause = new RetryPause();
  Moves moves = new Moves();
  LongSupplier clock = System::currentTimeMillis;

  private final SettingsCheck settings = new SettingsCheck();
  private FileAppender<?> appender;
  private String fileNamePattern;
  private CompressionMode compressionMode = CompressionMode.NONE;
  private volatile boolean started;
  private boolean refused;
  private boolean awaited;
  private Site site;
  private Backlog backlog;
  private UsedNumbers numbers; // guarded by the lock
  private FreeNames freeNames;
  private volatile Archiver archiver;
  private Path rolledInto; // the directory of the last rolled file; used by the thread that writes
  private Path followed; // by the archiver, null if none is; used by the thread that writes

  ArchivingPolicy() {}

  /**
   * How hard to compress.
   *
   * @param level 1 to 9 for gz and zip, 1 to 22 for zst; default: that of the format
   */
  public void setCompressionLevel(String level) {
    settings.compressionLevel = level;
  }

  /**
   * The most that compression may take of one core; it pauses in between.
   *
   * @param percent 1 to 100, default 50
   */
  public void setCompressionCpuShare(String percent) {
    settings.compressionCpuShare = percent;
  }

  /**
   * Puts each compression off by a random part of this, so that many hosts do not compress in step
   * at midnight. Such files wait uncompressed, and retention counts them.
   *
   * @param duration as Logback's durations, such as {@code 10 minutes}; default 0
   */
  public void setMaxRandomDelay(String duration) {
    settings.maxRandomDelay = duration;
  }

  /**
   * Names the archives.
   *
   * @param pattern with {@code %i}, {@code %d} or both, as the policy needs; its suffix chooses the
   *     format of the archives
   */
  public void setFileNamePattern(String pattern) {
    String trouble = pattern == null ? null : FilePaths.trouble(pattern);
    if (trouble == null || FilePaths.isImpossible(pattern)) {
      fileNamePattern = pattern; // what is impossible is refused at the start
      return;
    }
    addWarn("Setting [fileNamePattern] has the value [" + pattern + "]: " + trouble);
    fileNamePattern = FilePaths.path(pattern).toString();
  }

  /**
   * As it was set.
   *
   * @return null before
   */
  public String getFileNamePattern() {
    return fileNamePattern;
  }

  @Override
  public CompressionMode getCompressionMode() {
    return compressionMode;
  }

  @Override
  public void setParent(FileAppender<?> appender) {
    this.appender = appender;
  }

  @Override
  public boolean isStarted() {
    return started;
  }

  /** Checks the settings, takes over from earlier runs, and starts archiving what they left. */
  @Override
  public void start() {
    if (isStarted()) {
      return;
    }
    refused = !Environment.hasLogbackCore(this);
    if (refused) {
      return;
    }
    site = appender == null ? null : new SiteCheck(this, new Refusals(this)).check(settings);
    if (appender == null) {
      addError("A rolling policy needs its appender. To do: call setParent first. Not started.");
    }
    refused = site == null;
    if (refused) {
      return;
    }
    awaited = false;
    takeOver();
    compressionMode = modeOf(site.settings().format().suffix());
    addInfo("Rolled files become [" + getFileNamePattern() + "] in the background.");
    newArchiver();
    started = true;
  }

  private void takeOver() {
    backlog = new Backlog(moves);
    numbers = new UsedNumbers();
    freeNames = new FreeNames(site, numbers, reports);
    lock().lock();
    try {
      site.shared().takeOver(null);
      begin();
    } finally {
      lock().unlock();
    }
  }

  /** Logback's appender only asks whether it is NONE. */
  private static CompressionMode modeOf(String suffix) {
    return switch (suffix) {
      case "" -> CompressionMode.NONE;
      case ".zip" -> CompressionMode.ZIP;
      default -> CompressionMode.GZ;
    };
  }

  private void newArchiver() {
    Archiver next = new Archiver(new Rolled(this), places().names(), site.settings(), reports);
    archiver = next;
    followed = null;
    site.shared().takeOver(next);
    next.start();
  }

  /**
   * Waits for compressions as Logback does, so that jobs that live for a second have their files
   * compressed, too: 30 seconds at most, at full speed, and no longer than there is progress. On a
   * daemon thread, as that of a reconfiguration, it returns at once: the JVM would not wait for it
   * either. Does nothing the second time.
   */
  public void awaitArchived() {
    if (isStarted() && !awaited && !Thread.currentThread().isDaemon()) {
      awaited = true;
      archiver.awaitArchived(MOST_WAIT_NANOS);
    }
  }

  /**
   * Stops archiving, after {@link #awaitArchived}. A compression that is not through by then is
   * aborted; its source stays, and is archived after the next start.
   */
  @Override
  public void stop() {
    if (!isStarted()) {
      return;
    }
    awaitArchived();
    long files = archiver.metrics().backlogFiles();
    if (files > 0) {
      addInfo(
          files
              + " rolled files are left uncompressed below ["
              + places().rawRoot()
              + "]. The next start compresses them. To do, only if [fileNamePattern] is changed"
              + " before: compress them by hand.");
    }
    started = false;
    archiver.stop();
    site.claim().release();
  }

  /**
   * Renames the active file. Called under the appender's own lock.
   *
   * @throws RolloverFailure if it cannot be renamed: the appender writes on to the same file, and
   *     the next attempt is due a second later
   */
  @Override
  public void rollover() throws RolloverFailure {
    if (!isStarted()) {
      throw new RolloverFailure("The rolling policy is not started.");
    }
    if (appender.isPrudent()) {
      throw new RolloverFailure("A prudent appender's file cannot be renamed.");
    }
    if (!site.claim().mayRollOver()) {
      pause.failed();
      throw new RolloverFailure(
          "Another appender uses the names of [" + getFileNamePattern() + "]");
    }
    lock().lock();
    try {
      roll();
      pause.succeeded();
    } catch (IOException | RuntimeException e) {
      pause.failed();
      reports.error(
          "rollover",
          "Cannot roll over ["
              + activePath()
              + "] to ["
              + getFileNamePattern()
              + "]; nothing is lost, writing goes on in the same file, and it is tried again in a"
              + " second. To do: check that the directories of both exist, are writable, and their"
              + " disks are healthy.",
          e);
      throw new RolloverFailure("Cannot roll over [" + activePath() + "]", e);
    } finally {
      lock().unlock();
    }
  }

  /** Another appender uses the names; once started, what is logged is still written. */
  final void refuseNames(Refusals refusals, String message) {
    if (isStarted()) {
      reports.error(
          "names",
          message
              + " Nothing is rolled over until then; what is logged goes to ["
              + activePath()
              + "].",
          null);
    } else {
      refusals.refuse(message);
    }
  }

  /** Renames the active file to a stem that is free, and lets it be archived. */
  final void moveActive(String stem) throws IOException {
    Path active = activePath();
    try {
      moves.move(active, places().raw(stem));
    } catch (AtomicMoveNotSupportedException otherFileSystem) {
      if (!places().stage()) {
        throw otherFileSystem;
      }
      addInfo(
          "The archives are on another file system, rolled files wait in ["
              + places().rawRoot()
              + "].");
      newArchiver();
      moves.move(active, places().raw(stem));
    }
    waits(places().raw(stem));
  }

  /** One more file waits to be archived. */
  final void waits(Path raw) {
    backlog.add(raw);
    rolledInto = raw.getParent();
    archiver.rolled(raw);
    followed = null;
  }

  final ArchivePattern pattern() {
    return site.pattern();
  }

  final Places places() {
    return site.places();
  }

  final ReentrantLock lock() {
    return site.shared().lock();
  }

  final Backlog backlog() {
    return backlog;
  }

  final UsedNumbers numbers() {
    return numbers;
  }

  final FreeNames freeNames() {
    return freeNames;
  }

  /** Of this run; null before the first start. */
  final Archiver archiver() {
    return archiver;
  }

  final FileAppender<?> parent() {
    return appender;
  }

  /**
   * What waits to be archived, and what has been.
   *
   * @return null before the first start
   */
  public ArchiveMetrics getArchiveMetrics() {
    Archiver started = archiver;
    return started == null ? null : started.metrics();
  }

  /**
   * Archives the active file while it is written. Called by {@code SpillwayRollingFileAppender}
   * after each open, by the one thread that writes.
   */
  public void follow() {
    if (site.settings().format().suffix().isEmpty()) {
      if (followed == null) {
        addWarn("Setting [compression] has no effect, as nothing is compressed.");
      }
      followed = activePath();
    } else if (!activePath().equals(followed)) {
      followed = activePath();
      archiver.follow(followed);
    }
  }

  /**
   * More is written. Called by {@code SpillwayRollingFileAppender} after each write.
   *
   * @param fileLength of the active file
   */
  public void grown(long fileLength) {
    archiver.grown(fileLength);
  }

  /**
   * Where the last rolled file was moved, so that its name can be forced to the disk. Called by
   * {@code SpillwayRollingFileAppender} after a rollover.
   *
   * @return a directory, null before the first rollover
   */
  public Path rolledInto() {
    return rolledInto;
  }

  /**
   * The file that the appender is to write.
   *
   * @return empty if the policy was refused, since an appender cannot open that and does not start
   */
  @Override
  public String getActiveFileName() {
    if (refused) {
      return "";
    }
    String file = appender.rawFileProperty();
    return file == null ? activeName() : file;
  }

  /** The same, absolute; what it stands for if it is a link. */
  final Path activePath() {
    return Moves.followed(FilePaths.path(getActiveFileName()).toAbsolutePath().normalize());
  }

  /** The {@code <file>} of the appender, absolute, or null; what it stands for if it is a link. */
  final Path filePath() {
    String file = appender.rawFileProperty();
    return file == null ? null : Moves.followed(FilePaths.path(file).toAbsolutePath().normalize());
  }

  /** A pattern to show. */
  abstract String example();

  /** Checks the settings of the policy itself. */
  abstract void checkSettings(Refusals refusals);

  /** Matches the indices that the policy uses, or null for all. */
  abstract String indices();

  /** One of them. */
  abstract int sampleIndex();

  /** Checks that the pattern has what the policy needs. */
  abstract void checkPattern(Refusals refusals, ArchivePattern pattern);

  /** Takes over from earlier runs. Under the lock. */
  abstract void begin();

  /** Rolls over. Under the lock; after a failure it is called again. */
  abstract void roll() throws IOException;

  /** The active file without {@code <file>}, as Logback prints it; or null. */
  abstract String activeName();

  /** What the active file is likely to become. */
  abstract String upcomingStem();

  /** What a rolled file is called inside of its archive. */
  String entryName(Path raw, Instant modified) {
    return raw.getFileName().toString();
  }

  /** The oldest rolled file that may be taken, or null. On the compressor's thread. */
  Path next(Predicate<Path> usable) throws IOException {
    return backlog.next(places().names(), usable);
  }

  /** An archive whose content may be in another file as well, or null. */
  Path suspect() {
    return null;
  }

  /** That other file, or null. */
  Path suspectSource() {
    return null;
  }

  /** The time for retention. On the compressor's thread. */
  void settled() throws IOException {}
}
