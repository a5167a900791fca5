package io.spillway.rolling;

import ch.qos.logback.core.Appender;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.RollingPolicy;
import ch.qos.logback.core.rolling.RolloverFailure;
import ch.qos.logback.core.rolling.helper.CompressionMode;
import ch.qos.logback.core.spi.AppenderAttachable;
import ch.qos.logback.core.spi.ContextAwareBase;
import ch.qos.logback.core.status.Status;
import io.spillway.internal.compress.ArchiveNames;
import io.spillway.internal.compress.Archiver;
import io.spillway.internal.compress.RolledFiles;
import io.spillway.internal.compress.RolledName;
import io.spillway.internal.disk.Disk;
import io.spillway.internal.disk.FilePaths;
import io.spillway.internal.disk.Owners;
import io.spillway.internal.metrics.Environment;
import io.spillway.internal.metrics.Reports;
import io.spillway.metrics.ArchiveMetrics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Base class of this package's rolling policies. A rollover only renames the active file; a
 * background thread, the compressor, makes archives of rolled files, see {@code
 * io.spillway.internal.compress}. No file is ever overwritten: if a name is taken, a free name is
 * used, and a status message reports it.
 *
 * <p>The format of archives is chosen by the suffix of {@code fileNamePattern}: {@code .gz}, {@code
 * .zip}, {@code .zst} (needs com.github.luben:zstd-jni on the class path), {@code .xz} (needs
 * org.tukaani:xz), or none. A wrong value is reported as an error that names the setting, and
 * neither the policy nor its appender starts.
 *
 * <p>This class does not extend {@code RollingPolicyBase}, whose parsed pattern only Logback's own
 * classes can set: Logback before 1.5.8 fails on a policy of that class without a parsed pattern.
 */
public abstract class ArchivingPolicy extends ContextAwareBase implements RollingPolicy {
  private static final int TAKEN_LOOKS = 100;
  private static final long TAKEN_NANOS = 100_000;
  static final long MOST_PLACING_NANOS = 1_000_000_000L;
  static final long MOST_WAIT_NANOS = 30_000_000_000L; // as Logback waits
  private static final long RETRY_NANOS = 1_000_000_000L;

  final Reports reports = new Reports(this);
  Disk files = new Disk();
  private boolean rollingOver = true; // used by the thread that writes
  private volatile long retryAtNanos = System.nanoTime(); // no rollover before this time
  LongSupplier clock = System::currentTimeMillis;
  LongSupplier nanoClock = Reports.NANO_TIME; // of the archive feed's pauses

  private final Site.Texts settings = new Site.Texts();
  private FileAppender<?> appender;
  private String fileNamePattern;
  private CompressionMode compressionMode = CompressionMode.NONE;
  private volatile boolean started;
  private boolean refused;
  // Null until the settings are checked.
  private ArchivePattern pattern;
  private ArchiveNames names;
  private Archiver.Settings archiving;
  private NameClaim claim;
  Numbers numbers; // used by the compressor's thread
  private volatile Archiver archiver;
  private boolean sequenceKnown; // covers earlier runs; used by the thread that writes
  private long sequence; // of the last rollover; used by the thread that writes
  private Path rolledInto; // the directory of the last rolled file; used by the thread that writes
  private Path followed; // file that the archiver follows, or null; used by the thread that writes
  // Without <file>, a rolled file may become the active file again: the thread that writes sets
  // entering, the compressor's thread sets taken, and no file is both at the same time.
  private volatile Path entering;
  private volatile Path taken;

  ArchivingPolicy() {}

  @Override
  public void addStatus(Status status) {
    try {
      super.addStatus(status);
    } catch (Throwable ofListener) {
      Reports.leftOut(this);
    }
  }

  /**
   * Sets the compression level.
   *
   * @param level 1 to 9 for gz, zip and xz (default 6), 1 to 19 for zst (default 3)
   */
  public void setCompressionLevel(String level) {
    settings.compressionLevel = level;
  }

  /**
   * Sets the largest share of one core that compression may use; the compressor pauses to keep it.
   *
   * @param percent a percentage from 1 to 100, default 50
   */
  public void setCompressionCpuShare(String percent) {
    settings.compressionCpuShare = percent;
  }

  /**
   * Sets the longest random delay of a compression, so that many hosts do not all compress at
   * midnight. Delayed files wait uncompressed.
   *
   * @param duration a duration in Logback's form, such as {@code 10 minutes}; default 0
   */
  public void setMaxRandomDelay(String duration) {
    settings.maxRandomDelay = duration;
  }

  /**
   * Sets the pattern that names the archives.
   *
   * @param pattern a pattern with {@code %i}, {@code %d} or both, as the policy needs; its suffix
   *     chooses the format of the archives
   */
  public void setFileNamePattern(String pattern) {
    String trouble = pattern == null ? null : FilePaths.trouble(pattern);
    if (trouble == null || FilePaths.isImpossible(pattern)) {
      fileNamePattern = pattern; // an impossible name is refused at the start
      return;
    }
    addWarn("Setting [fileNamePattern] has the value [" + pattern + "]: " + trouble);
    fileNamePattern = FilePaths.path(pattern).toString();
  }

  /**
   * Returns the pattern that names the archives.
   *
   * @return the pattern in use, or null if none has been set
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

  /**
   * Returns whether processes may share the appender's file, which no policy here allows.
   *
   * @return the appender's setting {@code prudent}
   */
  public boolean isParentPrudent() {
    return appender.isPrudent();
  }

  /**
   * Returns the {@code <file>} of the appender.
   *
   * @return the path as set, or null if none is set
   */
  public String getParentsRawFileProperty() {
    return appender.rawFileProperty();
  }

  @Override
  public boolean isStarted() {
    return started;
  }

  /** Checks the settings, takes over from earlier runs, and starts archiving their rolled files. */
  @Override
  public void start() {
    if (isStarted()) {
      return;
    }
    refused = !Environment.hasLogbackCore(this);
    if (refused) {
      return;
    }
    claim = null; // null during the check: then a holder of the names refuses this start
    Site site = appender == null ? null : Site.check(this, new Refusals(this), settings);
    if (appender == null) {
      addError("A rolling policy needs its appender. To do: call setParent first. Not started.");
    }
    refused = site == null;
    if (refused) {
      return;
    }
    pattern = site.pattern();
    names = site.names();
    archiving = site.settings();
    claim = site.claim();
    followed = null;
    entering = null;
    taken = null;
    compressionMode = modeOf(names.suffix());
    boolean held = claim.take();
    if (!held && filePath() == null) { // it would write files that the other archives
      claim.release();
      refused = true;
      return;
    }
    numbers = new Numbers(pattern, names, files, reports);
    archiver = newArchiver();
    if (held) {
      archiver.takeOver();
    }
    begin();
    sequence = 0;
    findSequence();
    addInfo("Rolled files become [" + getFileNamePattern() + "] in the background.");
    if (held) {
      archiver.start(sequence);
    }
    started = true;
  }

  private Archiver newArchiver() {
    return new Archiver(rolled(), archiving, reports, files);
  }

  /**
   * Starts an archiver for names that another appender held until now. Called by the thread that
   * writes.
   */
  private void beginArchiving() {
    Archiver next = newArchiver();
    next.takeOver();
    archiver = next;
    followed = null;
    findSequence();
    next.start(sequence);
    if (!isStarted()) { // stopped meanwhile, perhaps with the archiver before
      next.stop();
      claim.release();
    }
  }

  /** Raises the sequence to that of earlier runs' files; the compressor names files up to it. */
  private void findSequence() {
    if (filePath() == null) {
      return;
    }
    try {
      for (RolledName left : RolledName.list(files, activePath())) {
        sequence = left.isCounted() ? Math.max(sequence, left.sequence()) : sequence;
      }
      sequenceKnown = true;
    } catch (IOException unknown) {
      sequenceKnown = false; // the compressor reports it; the next rollover retries
    }
  }

  /** Returns the mode for Logback, whose appender only checks whether it is NONE. */
  private static CompressionMode modeOf(String suffix) {
    return switch (suffix) {
      case "" -> CompressionMode.NONE;
      case ".zip" -> CompressionMode.ZIP;
      default -> CompressionMode.GZ;
    };
  }

  /**
   * Waits for compressions as Logback does, so that files of short-lived jobs are compressed, too:
   * 30 seconds at most, at full speed, and only while there is progress. Returns at once on a
   * daemon thread, such as that of a reconfiguration, because the JVM does not wait for such
   * threads.
   */
  public void awaitArchived() {
    if (isStarted() && !Thread.currentThread().isDaemon()) {
      archiver.awaitArchived(MOST_WAIT_NANOS);
    }
  }

  /**
   * Stops archiving, after {@link #awaitArchived}. A compression that has not finished by then is
   * aborted; its rolled file stays, and is archived after the next start.
   */
  @Override
  public void stop() {
    if (!isStarted()) {
      return;
    }
    awaitArchived();
    archiver.awaitPlaced(MOST_PLACING_NANOS); // for files rolled over since
    long files = archiver.metrics().backlogFiles();
    if (files > 0) {
      reports.info(
          files
              + " rolled files are left as they are, for ["
              + getFileNamePattern()
              + "]. The next start archives them. To do, only if [file] or [fileNamePattern] is"
              + " changed before: compress them by hand.");
    }
    started = false;
    ending();
    archiver.stop();
    claim.release();
  }

  /**
   * Renames the active file. Called under the appender's own lock.
   *
   * @throws RolloverFailure if the file cannot be renamed: the appender continues to write to it,
   *     and the next attempt is due a second later
   */
  @Override
  public void rollover() throws RolloverFailure {
    if (!isStarted()) {
      throw new RolloverFailure("The rolling policy is not started.");
    }
    if (appender.isPrudent()) {
      throw new RolloverFailure("A prudent appender's file cannot be renamed.");
    }
    rollingOver = false;
    if (!claim.mayRollOver()) {
      retryAtNanos = System.nanoTime() + RETRY_NANOS;
      throw new RolloverFailure(
          "Another appender uses the names of [" + getFileNamePattern() + "]");
    }
    if (!archiver.isRunning()) {
      beginArchiving();
    }
    try {
      roll();
      retryAtNanos = System.nanoTime();
      rollingOver = true;
    } catch (IOException | RuntimeException e) {
      retryAtNanos = System.nanoTime() + RETRY_NANOS;
      reports.failure(
          "rollover",
          "Cannot roll over ["
              + activePath()
              + "] to ["
              + getFileNamePattern()
              + "]; nothing is lost, writing goes on in the same file, and it is tried again in a"
              + " second. To do: check that the first is a regular file, that the directories of"
              + " both exist and are writable, and that their disks are healthy.",
          e);
      throw new RolloverFailure("Cannot roll over [" + activePath() + "]", e);
    } catch (Error e) { // as OutOfMemoryError, perhaps after the file was renamed
      followed = null;
      archiver.markInconsistent(sequence);
      throw e;
    }
  }

  /**
   * Reports that another appender uses the names. A started appender, or after the check of the
   * settings one with a {@code <file>}, writes on without rollovers; otherwise the start is
   * refused.
   */
  final void refuseNames(Refusals refusals, String message) {
    if (isStarted() || claim != null && filePath() != null) {
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

  /** Renames the active file; the compressor does everything else. */
  final void moveActive(Instant period) throws IOException {
    Path active = activePath();
    if (!Files.isRegularFile(active) && files.exists(active)) {
      throw new IllegalStateException( // not a disk failure, which may pass by itself
          "[" + active + "] is not a regular file: it stays where it is");
    }
    if (!sequenceKnown) {
      findSequence();
    }
    RolledName rolled;
    // Another context or class loader may write the same file, and choose the same name.
    synchronized (("io.spillway writes " + FilePaths.canonical(active)).intern()) {
      do {
        sequence++;
        rolled = RolledName.of(active, period, sequence);
      } while (files.exists(rolled.path()));
      files.rename(active, rolled.path());
    }
    rolledInto = rolled.path().getParent();
    archiver.rolled(rolled);
    followed = null;
  }

  /** Without {@code <file>}, creates the next file, claimed until {@link #endEntering}. */
  final void beginEntering(Path next) throws IOException {
    entering = next;
    for (int i = 0; i < TAKEN_LOOKS && next.equals(taken); i++) { // taken for one rename at most
      LockSupport.parkNanos(TAKEN_NANOS);
    }
    if (next.equals(taken)) {
      throw new IOException("[" + next + "] is being archived just now");
    }
    files.createEmpty(next);
  }

  /** Ends {@link #beginEntering}: the file is the active one now, or could not be created. */
  final void endEntering() {
    entering = null;
  }

  /** Without {@code <file>}, hands over the former active file, which has its raw name already. */
  final void left(Path active) {
    rolledInto = active.getParent();
    archiver.rolled(active);
    followed = null;
  }

  /**
   * Returns whether a rollover failed less than a second ago; without this pause, each event would
   * try again.
   */
  final boolean isPausing() {
    return System.nanoTime() - retryAtNanos < 0;
  }

  /** Returns the names of this policy's files, and their directories. */
  final ArchiveNames names() {
    return names;
  }

  final ArchivePattern pattern() {
    return pattern;
  }

  /** Returns the archiver of the current run; null before the first start. */
  final Archiver archiver() {
    return archiver;
  }

  final FileAppender<?> parent() {
    return appender;
  }

  /**
   * Returns figures of the files that wait to be archived and of those that have been archived.
   *
   * @return the current figures, or null before the first start
   */
  public ArchiveMetrics getArchiveMetrics() {
    Archiver started = archiver;
    return started == null ? null : started.metrics();
  }

  /**
   * Returns the archive figures of an appender's rolling policy.
   *
   * @param appender any appender
   * @return its figures; {@link ArchiveMetrics#NONE} if its policy is none of this package, or
   *     never started
   */
  public static ArchiveMetrics metricsOf(Appender<?> appender) {
    if (appender instanceof RollingFileAppender<?> rolling
        && rolling.getRollingPolicy() instanceof ArchivingPolicy policy) {
      ArchiveMetrics metrics = policy.getArchiveMetrics();
      return metrics == null ? ArchiveMetrics.NONE : metrics;
    }
    return ArchiveMetrics.NONE;
  }

  /**
   * Returns the archive figures of the first nested appender that has such figures.
   *
   * @param <E> the type of event
   * @param appenders an appender that nests others
   * @return the current figures, or {@link ArchiveMetrics#NONE} if no nested appender has any
   */
  public static <E> ArchiveMetrics metricsOf(AppenderAttachable<E> appenders) {
    Iterator<Appender<E>> all = appenders.iteratorForAppenders();
    ArchiveMetrics metrics = ArchiveMetrics.NONE;
    while (all.hasNext() && metrics == ArchiveMetrics.NONE) {
      metrics = metricsOf(all.next());
    }
    return metrics;
  }

  /**
   * Warns of settings without effect on a file that is archived while it is written. Called by
   * {@code SpillwayRollingFileAppender} at its start.
   */
  public void warnOfFollowing() {
    if (names.suffix().isEmpty()) {
      addWarn("Setting [compression] has no effect, as nothing is compressed.");
    } else if (!archiving.maxRandomDelay().isZero()) {
      addWarn(
          "Setting [maxRandomDelay] has no effect with [compression] CONTINUOUS: when a file is"
              + " rolled over, most of it is compressed already.");
    }
  }

  /**
   * Starts to archive the active file while it is written. Called by {@code
   * SpillwayRollingFileAppender} after each open, on the one thread that writes.
   */
  public void follow() {
    if (!names.suffix().isEmpty() && !activePath().equals(followed)) {
      followed = activePath();
      archiver.follow(followed);
    }
  }

  /**
   * Returns whether the last rollover succeeded. Called by the thread that writes.
   *
   * @return false if the last rollover failed; true before the first rollover
   */
  public boolean isRollingOver() {
    return rollingOver;
  }

  /**
   * Reports that the active file has grown. Called by {@code SpillwayRollingFileAppender} after
   * each write.
   *
   * @param from the offset in the active file at which the new bytes begin
   * @param to the offset at which they end, which is the length of the file
   */
  public void grown(long from, long to) {
    archiver.grown(from, to);
  }

  /**
   * Returns the directory of the last rolled file, to force its name to the disk. Called by {@code
   * SpillwayRollingFileAppender} after a rollover.
   *
   * @return the directory, or null before the first rollover
   */
  public Path rolledInto() {
    return rolledInto;
  }

  /**
   * Returns the path of the file that the appender is to write.
   *
   * @return its path; empty if the policy was refused, so that the appender does not start
   */
  @Override
  public String getActiveFileName() {
    if (refused) {
      return "";
    }
    String file = appender.rawFileProperty();
    return file == null ? activeName() : file;
  }

  /** Returns the absolute path of the active file, with a symbolic link resolved. */
  final Path activePath() {
    return FilePaths.target(getActiveFileName());
  }

  /**
   * Returns the active file, and the next one while it is being entered. Called after a directory
   * was listed: a file of the policy that was listed and is not returned here is a rolled file or
   * an archive.
   */
  final Set<Path> written() {
    Set<Path> written = new HashSet<>();
    written.add(entering); // read first: a file becomes active before entering is cleared
    written.add(activePath());
    return written;
  }

  /** Returns the absolute path of {@code <file>} with a symbolic link resolved, or null. */
  final Path filePath() {
    String file = appender.rawFileProperty();
    return file == null ? null : FilePaths.target(file);
  }

  /** Returns an example of a pattern for messages. */
  abstract String example();

  /** Checks the settings that only this kind of policy has. */
  abstract void checkSettings(Refusals refusals);

  /** Returns a regular expression of the indices that the policy uses, or null for all. */
  String indices() {
    return null;
  }

  /** Returns one of the indices that the policy uses. */
  int sampleIndex() {
    return 0;
  }

  /** Checks that the pattern has what the policy needs. */
  abstract void checkPattern(Refusals refusals, ArchivePattern pattern);

  /** Takes over the state that files of earlier runs show; called at each start. */
  abstract void begin();

  /** Called by a stop while this policy still holds the names. */
  void ending() {}

  /** Rolls the active file over; called again after a failure. */
  abstract void roll() throws IOException;

  /** Returns the name of the active file without {@code <file>}, as Logback prints it; or null. */
  String activeName() {
    return null;
  }

  /** Creates the compressor's view of the files; called for each new archiver. */
  abstract Rolled rolled();

  /** The part of the compressor's view of the files that all policies share. */
  abstract class Rolled implements RolledFiles {
    @Override
    public ArchiveNames names() {
      return names;
    }

    @Override
    public Path active() {
      return activePath();
    }

    @Override
    public boolean isWritten(Path file) {
      return file.equals(entering) || file.equals(activePath());
    }

    @Override
    public boolean take(Path file) {
      // set before the check, as beginEntering sets entering before it checks taken
      taken = file;
      boolean free = !isWritten(file);
      if (!free) {
        taken = null;
      }
      return free;
    }

    @Override
    public void release() {
      taken = null;
    }

    @Override
    public Path aside(Path raw) throws IOException {
      return names.rootOf(raw).resolve(numbers.free(names.stemOf(raw)));
    }

    @Override
    public boolean isRolledElsewhere() {
      String file = appender.rawFileProperty();
      return file != null && Owners.mayDelete(FilePaths.path(file).toAbsolutePath().normalize());
    }

    @Override
    public LogbackLeftover suspect() {
      return null;
    }

    @Override
    public void swept() throws IOException {}

    @Override
    public void settled() throws IOException {
      names.cleanStaging(files);
    }
  }
}
