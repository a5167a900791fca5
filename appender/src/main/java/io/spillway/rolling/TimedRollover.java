package io.spillway.rolling;

import ch.qos.logback.core.rolling.RolloverFailure;
import ch.qos.logback.core.rolling.TimeBasedFileNamingAndTriggeringPolicy;
import ch.qos.logback.core.rolling.TimeBasedRollingPolicy;
import ch.qos.logback.core.util.FileSize;
import io.spillway.archive.ArchiveListener;
import io.spillway.internal.compress.ArchiveFeed;
import io.spillway.internal.compress.Archives;
import io.spillway.internal.compress.Periods;
import io.spillway.rolling.ArchivingPolicy.Archiving;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;

/**
 * What the policies with periods share. Logback's own objects say when a rollover is due and which
 * name and number the file gets; this class changes the number only where it is taken, renames, and
 * remembers what is due until that has worked. What a rollover does to the active file:
 *
 * <pre>
 *   &lt;file&gt;  %i   found to be due by Logback              called by hand
 *   yes     yes  gets its period and the next number     the same
 *   yes     no   gets its period, or that with .1        the same
 *   no      yes  keeps its name; the next file has       the same
 *                its period and the next number
 *   no      no   keeps its name; the next file has       gets its own name with .1
 *                its period, or the former one gets .1
 * </pre>
 *
 * <p>The next number is free on the disk, and higher than those before in its period; {@code .1}
 * stands for the first such ending that is free.
 *
 * <p>Concurrency: used by the thread that writes, but for the methods of {@link Archives.Names},
 * and {@link #activeFileName}, which any thread may call. Rollovers change {@code active} under the
 * lock of {@link Archives}; before the first one the thread that configures the policy sets it.
 */
final class TimedRollover implements Archives.Names {
  final Archiving archiving;
  ArchiveListener listener;
  private final TimeBasedRollingPolicy<?> policy;
  private TimeBasedFileNamingAndTriggeringPolicy<?> naming;
  private Periods periods;
  private volatile ArchiveFeed feed; // null without a listener
  private Periods.Retention retention; // null: all is kept

  private Instant period; // a time in the current period
  private String due; // Logback's name for the file that is to be rolled over; null if none is
  private Instant duePeriod;
  private String lastPeriod; // the name with index 0 in the period of the last number
  private int lastIndex;
  private volatile String active; // null with <file>

  TimedRollover(TimeBasedRollingPolicy<?> policy) {
    this.policy = policy;
    this.archiving = new Archiving(policy);
  }

  /** Starts the policy: checks its settings, has Logback start it, takes over what is there. */
  void start(Runnable logbacks, FileSize totalSizeCap) {
    if (policy.isStarted() || !archiving.isSuitable()) {
      return;
    }
    boolean cleanOnStart = policy.isCleanHistoryOnStart();
    policy.setCleanHistoryOnStart(false); // Logback would delete on a thread of its own
    try {
      logbacks.run();
    } finally {
      policy.setCleanHistoryOnStart(cleanOnStart);
    }
    if (policy.isStarted() && !begin(totalSizeCap.getSize())) {
      policy.stop();
    }
  }

  /** Called when Logback has started the policy; returns false after an ERROR. */
  private boolean begin(long totalSizeCap) {
    naming = policy.getTimeBasedFileNamingAndTriggeringPolicy();
    periods = new Periods(archiving.rawPattern(), suffix(), policy.getContext());
    if (periods.isRepeating()) {
      return archiving.refuse(
          "fileNamePattern",
          policy.getFileNamePattern(),
          "names that never repeat, and here different periods have the same name",
          "give the date the year and each unit down to the period, as in yyyy-MM-dd_HH");
    }
    if (!archiving.isOwner()) {
      return false;
    }
    due = null;
    period = currentPeriod();
    lastPeriod = periods.name(period, 0);
    lastIndex = periods.isIndexed() ? periods.highestIndex(period) : 0;
    active = archiving.file() == null ? firstActive() : null;
    Path log = archiving.file();
    Path list =
        log == null ? periods.listOfTaken() : log.resolveSibling(log.getFileName() + ".taken");
    feed = listener == null ? null : new ArchiveFeed(listener, list, archiving.reports);
    archiving.start(this);
    retention = null;
    if (policy.getMaxHistory() > 0) {
      retention = periods.new Retention(archiving.archives, policy.getMaxHistory(), totalSizeCap);
      beginRetention();
    }
    return true;
  }

  private void beginRetention() {
    if (periods.isFinerThanItself(now())) {
      policy.addWarn(
          "Setting [maxHistory] deletes nothing, as in Logback: in ["
              + policy.getFileNamePattern()
              + "] an auxiliary date is finer than the one that makes the periods. To do: make it"
              + " coarser, or have another program delete old archives.");
    }
    if (policy.isCleanHistoryOnStart()) {
      retention.ask(now());
    }
  }

  void stop() {
    if (archiving.stop() && feed != null) {
      feed.stop();
    }
  }

  private String suffix() {
    return archiving.settings.format.suffix();
  }

  private Instant now() {
    return Instant.ofEpochMilli(naming.getCurrentTime());
  }

  private String logbacksName() {
    return archiving.withoutSuffix(naming.getCurrentPeriodsFileNameWithoutCompressionSuffix());
  }

  /** Returns a time in the period that Logback is in, which at a start is that of its file. */
  private Instant currentPeriod() {
    Path file = archiving.file();
    Instant[] candidates = {
      file == null ? now() : Instant.ofEpochMilli(file.toFile().lastModified()),
      now(),
      now().minusSeconds(1) // the period may have ended since Logback has read the clock
    };
    for (Instant candidate : candidates) {
      if (periods.index(logbacksName(), candidate) >= 0) {
        return candidate;
      }
    }
    return now();
  }

  /** Returns the active file: that of an earlier run, if it has not been archived. */
  private String firstActive() {
    String name = logbacksName();
    if (!periods.isIndexed()) {
      return name;
    }
    Path highest = Path.of(periods.name(period, Math.max(0, lastIndex)));
    Path archive = highest.resolveSibling(highest.getFileName() + suffix());
    boolean unfinished = lastIndex >= 0 && (suffix().isEmpty() || !Files.exists(archive));
    lastIndex = unfinished ? lastIndex : Math.max(periods.index(name, period), lastIndex + 1);
    return periods.name(period, lastIndex);
  }

  /** Returns the active file; Logback's answer with {@code <file>} or before the start. */
  String activeFileName(String logbacks) {
    if (active != null && archiving.file() != null) { // set late: Logback adds an ERROR, takes it
      active = null;
      lastIndex = periods.highestIndex(period);
    }
    String own = active;
    return own == null ? logbacks : own;
  }

  /** Returns whether Logback need not be asked, as a rollover that is due has not worked yet. */
  boolean isDue() {
    return due != null;
  }

  /** Remembers what Logback has found to be due, as it forgets that. */
  boolean triggered() {
    due = archiving.withoutSuffix(naming.getElapsedPeriodsFileName());
    duePeriod = period;
    if (periods.index(logbacksName(), period) < 0) {
      period = currentPeriod();
    }
    return true;
  }

  void rollover() throws RolloverFailure {
    boolean byHand = due == null;
    if (byHand) {
      due = logbacksName();
      duePeriod = period;
    }
    boolean keepsName = active != null && (!byHand || periods.isIndexed());
    archiving.rollover(keepsName ? this::leave : this::move);
    due = null;
    if (retention != null) {
      retention.ask(now());
    }
  }

  /** Gives the active file its final name. Lock held. */
  private void move() throws IOException {
    Path file = Path.of(policy.getActiveFileName());
    if (archiving.settings.files.exists(file)) {
      int index = free(due, duePeriod);
      Path name =
          index < 0
              ? archiving.archives.free(Path.of(due))
              : Path.of(periods.name(duePeriod, index));
      archiving.archives.take(file, name);
      used(index, duePeriod);
    }
  }

  /** Makes the next name the active one. Lock held. */
  private void leave() throws IOException {
    Archives archives = archiving.archives;
    Path former = Path.of(active);
    String next = logbacksName();
    int index = free(next, period);
    next = index < 0 ? next : periods.name(period, index);
    boolean exists = archiving.settings.files.exists(former);
    if (!next.equals(active)) {
      archives.leave(Path.of(next)); // a clock that was set back makes it active again
      active = next;
      if (exists) {
        archives.add(former);
      }
    } else if (exists) {
      archives.take(former, archives.free(former));
    }
    used(index, period);
  }

  /** Returns a number that is free and higher than all before; -1 if names have none. Lock held. */
  private int free(String name, Instant date) {
    int index = periods.isIndexed() ? periods.index(name, date) : -1;
    if (index >= 0 && periods.name(date, 0).equals(lastPeriod)) {
      index = Math.max(index, lastIndex + 1);
    }
    while (index >= 0 && archiving.archives.isTaken(Path.of(periods.name(date, index)))) {
      index++;
    }
    return index;
  }

  private void used(int index, Instant date) {
    if (index >= 0) {
      lastPeriod = periods.name(date, 0);
      lastIndex = index;
    }
  }

  @Override
  public boolean isActive(Path raw) {
    String name = active;
    return name != null && Path.of(name).toAbsolutePath().equals(raw.toAbsolutePath());
  }

  @Override
  public void archived(Path archive) {
    if (feed != null) {
      feed.add(archive);
    }
  }

  @Override
  public int owed() {
    return feed == null ? 0 : feed.owed();
  }

  @Override
  public void recover() throws IOException {
    Periods.Left left = periods.recover(archiving.settings.files);
    archiving.archives.recovered(left.raws());
    if (feed != null) {
      feed.start(left.archives().stream().filter(archive -> !isActive(archive)).toList());
    }
  }
}
