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
 * What the policies of this package share. A rollover renames the active file, nothing else; a
 * background thread makes archives of rolled files, see {@code io.spillway.internal.compress}.
 * Nothing is ever overwritten: where a name is taken, a free one is found, and a status message
 * tells.
 *
 * <p>The format of archives is chosen by the suffix of {@code fileNamePattern}: {@code .gz}, {@code
 * .zip}, {@code .zst} (needs com.github.luben:zstd-jni on the class path), {@code .xz} (needs
 * org.tukaani:xz), or none. A wrong value is reported as an error that names the setting, and
 * neither the policy nor its appender starts.
 *
 * <p>Not a {@code RollingPolicyBase}: that keeps the parsed pattern to itself, and Logback before
 * 1.5.8 fails on a policy of that class which has not set it.
 */
public abstract class ArchivingPolicy extends ContextAwareBase implements RollingPolicy {
  private static final int TAKEN_LOOKS = 100;
  private static final long TAKEN_NANOS = 100_000;
  static final long MOST_PLACING_NANOS = 1_000_000_000L;
  static final long MOST_WAIT_NANOS = 30_000_000_000L; // as Logback
  private static final long RETRY_NANOS = 1_000_000_000L;

  final Reports reports = new Reports(this);
  Disk files = new Disk();
  private boolean rollingOver = true; // by the thread that writes
  private volatile long retryAtNanos = System.nanoTime(); // no rollover before
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
  Numbers numbers; // of the compressor's thread
  private volatile Archiver archiver;
  private boolean sequenceKnown; // that of an earlier run; used by the thread that writes
  private long sequence; // of the last rollover; used by the thread that writes
  private Path rolledInto; // the directory of the last rolled file; used by the thread that writes
  private Path followed; // by the archiver, null if none is; used by the thread that writes
  // Without <file> a file may be written on after its rollover: at one time, either or.
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
   * How hard to compress.
   *
   * @param level 1 to 9 for gz, zip and xz (default 6), 1 to 19 for zst (default 3)
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
   * at midnight. Such files wait uncompressed.
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

  /**
   * Whether several processes were to share the appender's file, which no policy here allows.
   *
   * @return as the appender is set
   */
  public boolean isParentPrudent() {
    return appender.isPrudent();
  }

  /**
   * The {@code <file>} of the appender.
   *
   * @return as it is set, or null
   */
  public String getParentsRawFileProperty() {
    return appender.rawFileProperty();
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
    claim = null; // until they are checked, whoever has the names already is a reason to refuse
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
    if (!held && filePath() == null) { // it would write the very file that the other one archives
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

  /** The names, which another appender had, are this one's now. By the thread that writes. */
  private void beginArchiving() {
    Archiver next = newArchiver();
    next.takeOver();
    archiver = next;
    followed = null;
    findSequence();
    next.start(sequence);
    if (!isStarted()) { // stopped meanwhile, perhaps by a look at the archiver before
      next.stop();
      claim.release();
    }
  }

  /** At least that of the files that an earlier run left: up to there they may be named. */
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
      sequenceKnown = false; // the compressor says so; looked for again at the next rollover
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

  /**
   * Waits for compressions as Logback does, so that jobs that live for a second have their files
   * compressed, too: 30 seconds at most, at full speed, and no longer than there is progress. On a
   * daemon thread, as that of a reconfiguration, it returns at once: the JVM would not wait for it
   * either.
   */
  public void awaitArchived() {
    if (isStarted() && !Thread.currentThread().isDaemon()) {
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
    archiver.awaitPlaced(MOST_PLACING_NANOS); // what was rolled over since
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
    } catch (Error e) { // for want of memory, perhaps when the file had been renamed already
      followed = null;
      archiver.unsure(sequence);
      throw e;
    }
  }

  /** Another appender uses the names; to a file of its own, what is logged is still written. */
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

  /** Renames the active file, once; all else is the compressor's. */
  final void moveActive(Instant period) throws IOException {
    Path active = activePath();
    if (!Files.isRegularFile(active) && files.exists(active)) {
      throw new IllegalStateException( // no failure of the disk, which may pass by itself
          "[" + active + "] is not a regular file: it stays where it is");
    }
    if (!sequenceKnown) {
      findSequence();
    }
    RolledName rolled;
    // Another context or class loader may write the same file, and take the same name just now.
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

  /** Makes another file without {@code <file>}, which is claimed until {@link #endEntering}. */
  final void beginEntering(Path next) throws IOException {
    entering = next;
    for (int i = 0; i < TAKEN_LOOKS && next.equals(taken); i++) { // for the time of a rename
      LockSupport.parkNanos(TAKEN_NANOS);
    }
    if (next.equals(taken)) {
      throw new IOException("[" + next + "] is being archived just now");
    }
    files.createEmpty(next);
  }

  /** It is the active file now, or it could not be made. */
  final void endEntering() {
    entering = null;
  }

  /** Hands over what was the active file without {@code <file>}, and has its raw name. */
  final void left(Path active) {
    rolledInto = active.getParent();
    archiver.rolled(active);
    followed = null;
  }

  /** Whether a rollover has failed less than a second ago: else each event would try again. */
  final boolean isPausing() {
    return System.nanoTime() - retryAtNanos < 0;
  }

  /** The names of its files, and where they lie. */
  final ArchiveNames names() {
    return names;
  }

  final ArchivePattern pattern() {
    return pattern;
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
   * What waits and what has been archived, of an appender's rolling policy.
   *
   * @param appender any
   * @return {@link ArchiveMetrics#NONE} if its policy is none of this package, or never started
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
   * The same of the first appender that has such figures.
   *
   * @param <E> the type of event
   * @param appenders nested in another
   * @return {@link ArchiveMetrics#NONE} if none has
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
   * Says what has no effect on a file that is archived while it is written. Called by {@code
   * SpillwayRollingFileAppender} at its start.
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
   * Archives the active file while it is written. Called by {@code SpillwayRollingFileAppender}
   * after each open, by the one thread that writes.
   */
  public void follow() {
    if (!names.suffix().isEmpty() && !activePath().equals(followed)) {
      followed = activePath();
      archiver.follow(followed);
    }
  }

  /**
   * Whether the last rollover succeeded. By the thread that writes.
   *
   * @return false if its file was not renamed
   */
  public boolean isRollingOver() {
    return rollingOver;
  }

  /**
   * More is written. Called by {@code SpillwayRollingFileAppender} after each write.
   *
   * @param from where in the active file it begins
   * @param to where it ends, the length of the file
   */
  public void grown(long from, long to) {
    archiver.grown(from, to);
  }

  /**
   * Where the last rolled file is, so that its name can be forced to the disk. Called by {@code
   * SpillwayRollingFileAppender} after a rollover.
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
    return FilePaths.target(getActiveFileName());
  }

  /**
   * The active file, and the next one if it is being entered. For who has listed a directory: what
   * was seen there and is not among these now is a rolled file or an archive.
   */
  final Set<Path> written() {
    Set<Path> written = new HashSet<>();
    written.add(entering); // first: a file is the active one before it is not entered any more
    written.add(activePath());
    return written;
  }

  /** The {@code <file>} of the appender, absolute, or null; what it stands for if it is a link. */
  final Path filePath() {
    String file = appender.rawFileProperty();
    return file == null ? null : FilePaths.target(file);
  }

  /** A pattern to show. */
  abstract String example();

  /** Checks the settings of the policy itself. */
  abstract void checkSettings(Refusals refusals);

  /** Matches the indices that the policy uses, or null for all. */
  String indices() {
    return null;
  }

  /** One of them. */
  int sampleIndex() {
    return 0;
  }

  /** Checks that the pattern has what the policy needs. */
  abstract void checkPattern(Refusals refusals, ArchivePattern pattern);

  /** Takes over from earlier runs. */
  abstract void begin();

  /** A stop: for the last moment the names are this policy's. */
  void ending() {}

  /** Rolls over; after a failure it is called again. */
  abstract void roll() throws IOException;

  /** The active file without {@code <file>}, as Logback prints it; or null. */
  String activeName() {
    return null;
  }

  /** The compressor's side; asked for at each start. */
  abstract Rolled rolled();

  /** What the policies share of what the compressor sees of their files. */
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
      taken = file; // before the look, as the writer of the log says what it enters before its look
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
    public Suspect suspect() {
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
