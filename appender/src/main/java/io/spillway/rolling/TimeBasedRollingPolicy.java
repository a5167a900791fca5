package io.spillway.rolling;

import ch.qos.logback.core.rolling.DefaultTimeBasedFileNamingAndTriggeringPolicy;
import ch.qos.logback.core.rolling.LengthCounter;
import ch.qos.logback.core.rolling.SizeAndTimeBasedFileNamingAndTriggeringPolicy;
import ch.qos.logback.core.rolling.TimeBasedFileNamingAndTriggeringPolicy;
import ch.qos.logback.core.rolling.TriggeringPolicy;
import ch.qos.logback.core.rolling.helper.DateTokenConverter;
import ch.qos.logback.core.spi.LifeCycle;
import ch.qos.logback.core.util.FileSize;
import io.spillway.archive.ArchiveListener;
import io.spillway.internal.compress.Archiver;
import io.spillway.internal.compress.RolledName;
import io.spillway.internal.metrics.Environment;
import io.spillway.metrics.ArchiveMetrics;
import io.spillway.rolling.Periods.Period;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.util.function.Function;

/**
 * Rolls over when the period of the date pattern ends. Drop-in replacement for {@code
 * ch.qos.logback.core.rolling.TimeBasedRollingPolicy}: the same names, periods and retention.
 *
 * <pre>{@code
 * <rollingPolicy class="io.spillway.rolling.TimeBasedRollingPolicy">
 *   <fileNamePattern>logs/app.%d{yyyy-MM-dd}.log.gz</fileNamePattern>
 *   <maxHistory>30</maxHistory>
 *   <totalSizeCap>20GB</totalSizeCap>
 * </rollingPolicy>
 * }</pre>
 *
 * <p>A clock that steps back by less than a period makes the period longer; a clock that steps back
 * further begins another period. If that period has an archive already, its next archive is named
 * {@code app.2026-11-21.log.1.gz}. {@code <file>} is optional, as in Logback.
 *
 * @param <E> the type of event
 */
public class TimeBasedRollingPolicy<E> extends ArchivingPolicy implements TriggeringPolicy<E> {
  private final SizeBasedTriggeringPolicy.SizeWatch size =
      new SizeBasedTriggeringPolicy.SizeWatch();
  private String maxHistory = "0";
  private String totalSizeCap = "0";
  private String cleanHistoryOnStart = "false";
  private TimeBasedFileNamingAndTriggeringPolicy<E> nestedPolicy;
  private int periodsKept;
  private long bytesKept;
  private boolean cleaningOnStart;
  private long maxBytes; // at which a file is rolled over, 0 for no limit
  private Periods.Watch watch;
  private ArchiveListener archiveListener;
  private volatile ArchiveFeed feed; // null without a listener
  private Retention retention;
  private Path placed; // last rolled file placed; used by the compressor's thread
  private String placedStem;
  private Numbers written; // used by the thread that writes, without <file>
  private volatile int index; // of the active file without <file>, else 0
  private boolean indexUnknown; // its directory could not be listed
  private boolean periodUnknown; // the file of an earlier run could not be looked at
  private long newestEndMillis;

  /** A policy without settings; Logback sets them, then calls {@link #start()}. */
  public TimeBasedRollingPolicy() {}

  /**
   * Sets how many periods before the current one are kept; older files are deleted, as far back as
   * Logback looks: the first clean looks 32 days further (336 periods at most), later cleans also
   * reach what has expired since then.
   *
   * @param periods a whole number; 0, the default, keeps all
   */
  public void setMaxHistory(String periods) {
    maxHistory = periods;
  }

  /**
   * Sets {@code maxHistory} from Java.
   *
   * @param periods the number of periods; 0 keeps all
   * @return this policy; Logback's configurator ignores setters that return a value
   */
  public TimeBasedRollingPolicy<E> setMaxHistory(int periods) {
    setMaxHistory(String.valueOf(periods));
    return this;
  }

  /**
   * Returns how many periods before the current one are kept.
   *
   * @return the number as set, or the default if the value set is no number
   */
  public int getMaxHistory() {
    return Refusals.readNumber(maxHistory, 0);
  }

  /**
   * Sets the total size of the archives that are kept; the oldest files above it are deleted.
   * Rolled files that wait to be compressed do not count, and stay unless newer archives exceed the
   * size. Requires {@code maxHistory}; without it, the setting is ignored with a warning, as in
   * Logback.
   *
   * @param size a size such as {@code 20GB}; 0, the default, keeps all
   */
  public void setTotalSizeCap(String size) {
    totalSizeCap = size;
  }

  /**
   * Sets {@code totalSizeCap} from Java.
   *
   * @param size the total size; 0 keeps all
   * @return this policy; Logback's configurator ignores setters that return a value
   */
  public TimeBasedRollingPolicy<E> setTotalSizeCap(FileSize size) {
    setTotalSizeCap(Refusals.text(size));
    return this;
  }

  /**
   * Sets whether old files are deleted at start as well, not only after rollovers.
   *
   * @param clean {@code true}, or {@code false}, which is the default
   */
  public void setCleanHistoryOnStart(String clean) {
    cleanHistoryOnStart = clean;
  }

  /**
   * Sets {@code cleanHistoryOnStart} from Java.
   *
   * @param clean whether old files are deleted at start as well
   * @return this policy; Logback's configurator ignores setters that return a value
   */
  public TimeBasedRollingPolicy<E> setCleanHistoryOnStart(boolean clean) {
    setCleanHistoryOnStart(String.valueOf(clean));
    return this;
  }

  /**
   * Returns whether old files are deleted at start as well.
   *
   * @return true if {@code cleanHistoryOnStart} is set to true
   */
  public boolean isCleanHistoryOnStart() {
    return Boolean.parseBoolean(String.valueOf(cleanHistoryOnStart).strip());
  }

  /**
   * Sets the listener that is given each archive once it is whole; see {@link ArchiveListener}. The
   * archives that it has taken, and those that it is owed, are listed in {@code <file>.taken}. A
   * listener that is a {@link LifeCycle} is started with this policy, unless it is started already,
   * and stopped with it.
   *
   * @param listener the listener; default none
   */
  public void setArchiveListener(ArchiveListener listener) {
    archiveListener = listener;
  }

  /**
   * Takes the size from Logback's {@code SizeAndTimeBasedFNATP} or a subclass of it, so that this
   * policy does what {@link SizeAndTimeBasedRollingPolicy} does. A nested policy without a size
   * changes nothing. With a Logback before 1.5.8, of which the size cannot be found, only the
   * default nested policy is allowed.
   *
   * @param policy one of Logback's nested policies
   */
  public void setTimeBasedFileNamingAndTriggeringPolicy(
      TimeBasedFileNamingAndTriggeringPolicy<E> policy) {
    nestedPolicy = policy;
  }

  /**
   * Returns the nested policy.
   *
   * @return the policy as set, or null
   */
  public TimeBasedFileNamingAndTriggeringPolicy<E> getTimeBasedFileNamingAndTriggeringPolicy() {
    return nestedPolicy;
  }

  @Override
  String example() {
    return "logs/app.%d{yyyy-MM-dd}.log.gz";
  }

  @Override
  void checkSettings(Refusals refusals) {
    maxBytes = bytesOfAFile(refusals);
    periodsKept = refusals.number("maxHistory", maxHistory, 0, Integer.MAX_VALUE);
    bytesKept = refusals.size("totalSizeCap", totalSizeCap, 0);
    cleaningOnStart = refusals.flag("cleanHistoryOnStart", cleanHistoryOnStart);
    if (periodsKept == 0 && bytesKept > 0) {
      addWarn(
          "Setting [totalSizeCap] has the value ["
              + totalSizeCap
              + "] and is ignored, since [maxHistory] is not set.");
    }
    if (bytesKept > 0 && bytesKept < maxBytes) {
      addWarn(
          Refusals.message(
                  "totalSizeCap",
                  totalSizeCap,
                  "[maxFileSize] or more, which is " + maxBytes + " bytes",
                  "raise the one or lower the other")
              + " A file may be deleted as soon as it is rolled over.");
    }
  }

  /** Returns the size in bytes at which a file is rolled over, 0 for no limit. */
  long bytesOfAFile(Refusals refusals) {
    if (nestedPolicy == null
        || getFileNamePattern() == null
        || nestedPolicy instanceof DefaultTimeBasedFileNamingAndTriggeringPolicy<E>) {
      return 0;
    }
    if (!Environment.countsLength()) { // the class tested for next is as new
      refusals.refuse(
          "timeBasedFileNamingAndTriggeringPolicy",
          nestedPolicy.getClass().getName(),
          "none but the default one with a Logback before 1.5.8",
          "use " + SizeAndTimeBasedRollingPolicy.class.getName());
      return 0;
    }
    if (nestedPolicy instanceof SizeAndTimeBasedFileNamingAndTriggeringPolicy<E> sized) {
      return sizeOf(sized, refusals);
    }
    addWarn(
        Refusals.message(
                "timeBasedFileNamingAndTriggeringPolicy",
                nestedPolicy.getClass().getName(),
                "those of Logback",
                "remove it, or keep Logback's rolling policy")
            + " It is ignored: files are rolled over when the period ends.");
    return 0;
  }

  /**
   * Returns the size of Logback's nested policy, which has no getter for it: the policy is started,
   * and a search finds the length at which it triggers. A policy that does not start reports the
   * reason itself.
   */
  private long sizeOf(SizeAndTimeBasedFileNamingAndTriggeringPolicy<E> sized, Refusals refusals) {
    var stock = new ch.qos.logback.core.rolling.TimeBasedRollingPolicy<E>();
    stock.setContext(getContext());
    stock.setParent(parent());
    stock.setFileNamePattern(getFileNamePattern());
    stock.setTimeBasedFileNamingAndTriggeringPolicy(sized);
    sized.setContext(getContext());
    sized.setCurrentTime(clock.getAsLong()); // so that no period ends meanwhile
    try {
      stock.start();
    } catch (RuntimeException e) {
      return 0; // there is no %d, which is refused later
    }
    if (!sized.isStarted()) {
      refusals.refuse(
          "timeBasedFileNamingAndTriggeringPolicy",
          sized.getClass().getName(),
          "one that starts, and this one says above why it does not",
          "correct it, or use " + SizeAndTimeBasedRollingPolicy.class.getName());
      return 0;
    }
    File any = new File(getFileNamePattern());
    LengthCounter length = sized.getLengthCounter();
    sized.isTriggeringEvent(any, null); // a period may have ended before
    long low = 1;
    long high = Long.MAX_VALUE;
    while (low < high) {
      long middle = low + (high - low) / 2;
      length.reset();
      length.add(middle);
      if (sized.isTriggeringEvent(any, null)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  private boolean isSized() {
    return maxBytes > 0;
  }

  @Override
  void checkPattern(Refusals refusals, ArchivePattern pattern) {
    DateTokenConverter<Object> date = pattern.primaryDate();
    if (date == null) {
      refusals.refuse(
          "fileNamePattern",
          pattern.text(),
          "names with %d that is not auxiliary",
          "add %d, as in " + example());
    } else {
      checkDate(refusals, pattern, date);
    }
    checkIndex(refusals, pattern);
  }

  private void checkDate(
      Refusals refusals, ArchivePattern pattern, DateTokenConverter<Object> date) {
    try {
      checkRepetition(refusals, pattern, date);
    } catch (IllegalArgumentException | DateTimeException e) {
      refuseDate(refusals, pattern, e.getMessage(), ", for example yyyy-MM-dd");
    }
  }

  /** Compares the names of different periods, which may have another date that is auxiliary. */
  private void checkRepetition(
      Refusals refusals, ArchivePattern pattern, DateTokenConverter<Object> date) {
    Periods periods = Periods.of(date);
    Function<Instant, String> name = new Function<>() { // no lambda, since each start would link it
          @Override
          public String apply(Instant instant) {
            return pattern.stem(instant, 0);
          }
        };
    if (periods.repeat(name)) {
      refuseDate(
          refusals,
          pattern,
          "date pattern [" + date.getDatePattern() + "] gives different periods the same name",
          ": it needs the year and each unit down to the period, for example yyyy-MM-dd_HH");
      return;
    }
    LocalDate misnamed = periods.misnamed(name);
    if (misnamed != null) {
      addWarn(
          "Setting [fileNamePattern] has the value ["
              + pattern.text()
              + "]: the week of ["
              + misnamed
              + "] has the name of the first week of that year. To do: in the date pattern replace"
              + " [yyyy], the year of the day, by [YYYY], the year of the week.");
    }
  }

  private static void refuseDate(
      Refusals refusals, ArchivePattern pattern, String why, String correction) {
    refusals.refuse(
        "fileNamePattern",
        pattern.text(),
        "names that change every month or more often and never repeat, and here the " + why,
        "correct the date pattern" + correction);
  }

  private void checkIndex(Refusals refusals, ArchivePattern pattern) {
    if (isSized()) {
      if (!pattern.hasIndex()) {
        refusals.refuse(
            "fileNamePattern", pattern.text(), "names with %i", "add %i, as in " + example());
      }
    } else if (pattern.hasIndex()) {
      refusals.refuse(
          "fileNamePattern",
          pattern.text(),
          "names without %i",
          "remove %i, or use " + SizeAndTimeBasedRollingPolicy.class.getName());
    }
  }

  @Override
  void begin() {
    startListener();
    placed = null;
    written = new Numbers(pattern(), names(), files, reports);
    Periods periods = Periods.of(pattern().primaryDate());
    watch = new Periods.Watch(periods, date -> pattern().stem(date, 0));
    beginPeriod();
    retention = periodsKept == 0 ? null : new Retention(this, periodsKept, bytesKept);
    if (retention != null && cleaningOnStart) {
      retention.rolledOver(clock.getAsLong());
    }
    size.reset();
    index = 0;
    newestEndMillis = watch.current().endMillis();
    indexUnknown = isSized() && filePath() == null;
    if (indexUnknown) {
      beginIndex();
    }
  }

  private void beginIndex() {
    try {
      findIndex();
    } catch (IOException e) {
      reports.warn(
          "index",
          "Cannot look at the archives ["
              + getFileNamePattern()
              + "]: "
              + e
              + "; nothing is rolled over until then. To do: make their directory readable.");
    }
  }

  private void findIndex() throws IOException {
    Instant date = watch.current().date();
    int highest = written.highestIndex(date);
    // the active file of an earlier run is written on, as Logback does
    index = highest >= 0 && isUnfinished(date, highest) ? highest : highest + 1;
    indexUnknown = false;
  }

  private boolean isUnfinished(Instant date, int index) throws IOException {
    String stem = pattern().stem(date, index);
    Path raw = names().raw(stem);
    Path archive = names().archive(stem);
    return files.exists(raw) && (archive.equals(raw) || !files.exists(archive));
  }

  /** Begins the period of an earlier run's file; if it cannot be read, the next event retries. */
  private void beginPeriod() {
    long now = clock.getAsLong();
    try {
      Path file = filePath();
      boolean found = file != null && files.exists(file);
      watch.begin(found ? Files.getLastModifiedTime(file).toMillis() : now, now);
      periodUnknown = false;
    } catch (IOException e) {
      watch.begin(now, now);
      periodUnknown = !(e instanceof NoSuchFileException); // known for a link to nothing
    }
  }

  /** Returns whether the period is over or the size reached; false for a second after a failure. */
  @Override
  public boolean isTriggeringEvent(File activeFile, E event) {
    return isStarted() && isDue(activeFile) && !isPausing();
  }

  private boolean isDue(File activeFile) {
    if (periodUnknown) {
      beginPeriod();
    }
    return watch.isOver(clock.getAsLong()) || isSized() && size.hasReached(maxBytes, activeFile);
  }

  @Override
  void roll() throws IOException {
    long now = clock.getAsLong();
    if (retention != null) {
      retention.rolledOver(now); // before the compressor gets the file and cleans
    }
    if (filePath() == null) {
      leaveActive(now);
      return;
    }
    Period next = watch.isOver(now) ? watch.at(now) : watch.current();
    if (files.exists(activePath())) {
      moveActive(watch.current().date());
    }
    enter(next, 0);
  }

  /** Without {@code <file>}, begins the next file; the active one has its name already. */
  private void leaveActive(long now) throws IOException {
    Period current = watch.current();
    int highest = highestIndex(current);
    boolean over = !isSized() || watch.isOver(now);
    Period period = over ? watch.at(now) : current;
    int next = isSized() ? nextIndex(period, over, highest) : 0;
    Path nextPath = names().raw(pattern().stem(period.date(), next));
    Path active = activePath();
    if (nextPath.equals(active)) {
      reports.info("The period of [" + nextPath + "] is not over, it is written on.");
      return;
    }
    if (isSized()) {
      written.use(current.date(), index);
    }
    try {
      beginEntering(nextPath); // first, so that a failure changes nothing
      enter(period, next);
    } finally {
      endEntering();
    }
    left(active);
  }

  /** Returns the active file's index, or a higher one that could not be listed at the start. */
  private int highestIndex(Period current) throws IOException {
    return indexUnknown ? Math.max(index, written.highestIndexNow(current.date())) : index;
  }

  private int nextIndex(Period period, boolean over, int highest) throws IOException {
    int next = over ? firstIndex(period) : highest + 1;
    return names().isTaken(files, pattern().stem(period.date(), next))
        ? written.highestIndexNow(period.date()) + 1
        : next;
  }

  /** Returns the first index for a period: 0, unless the period has been entered before. */
  private int firstIndex(Period period) throws IOException {
    boolean isNew =
        period.endMillis() > newestEndMillis
            && !names().isTaken(files, pattern().stem(period.date(), 0));
    return isNew && !written.knows(period.date()) ? 0 : written.highestIndex(period.date()) + 1;
  }

  /** Begins the next active file. */
  private void enter(Period period, int next) {
    watch.begin(period);
    index = next;
    indexUnknown = false;
    newestEndMillis = Math.max(newestEndMillis, period.endMillis());
    size.reset();
  }

  @Override
  Rolled rolled() {
    stopFeed();
    feed = archiveListener == null ? null : new ArchiveFeed(this, archiveListener);
    return new InPeriods(feed);
  }

  private void stopFeed() {
    ArchiveFeed before = feed;
    if (before != null) {
      before.stop();
    }
  }

  private void startListener() {
    if (archiveListener instanceof LifeCycle cycle && !cycle.isStarted()) {
      try {
        cycle.start();
      } catch (Throwable t) {
        listenerFailed("start", t);
      }
    }
  }

  /** Stops the listener, even that of a policy which did not start: Logback has started it. */
  private void stopListener() {
    if (archiveListener instanceof LifeCycle cycle && cycle.isStarted()) {
      try {
        cycle.stop();
      } catch (Throwable t) {
        listenerFailed("stop", t);
      }
    }
  }

  private void listenerFailed(String what, Throwable t) {
    reports.warn(
        "archive.listener." + what,
        "The " + what + " of the archive listener failed: ",
        t,
        ". To do: correct the listener.");
  }

  @Override
  public ArchiveMetrics getArchiveMetrics() {
    ArchiveMetrics metrics = super.getArchiveMetrics();
    ArchiveFeed now = feed;
    return metrics == null || now == null ? metrics : metrics.with(now.figures());
  }

  /**
   * Discards an archive or a rolled file, which the feed records. Called on the compressor's
   * thread.
   *
   * @return its path until it is deleted, or null if it stays; see {@link Archiver#discard}
   */
  final Path discard(Path file) throws IOException {
    ArchiveFeed now = feed;
    return now == null ? archiver().discard(file) : now.discard(file);
  }

  private final class InPeriods extends Rolled {
    private final ArchiveFeed feed; // of one archiver

    InPeriods(ArchiveFeed feed) {
      this.feed = feed;
    }

    @Override
    public Path place(RolledName rolled) throws IOException {
      boolean again = rolled.path().equals(placed) && !names().isTaken(files, placedStem);
      if (!again) { // a failed rename uses up no number
        placedStem = choose(rolled);
        placed = rolled.path();
      }
      return names().raw(placedStem);
    }

    @Override
    public boolean isCapped() {
      return periodsKept > 0 && bytesKept > 0;
    }

    @Override
    public Path upcoming() throws IOException {
      Instant date = watch.current().date();
      boolean counted = isSized() && filePath() != null; // else the active file has its index
      int next = counted ? numbers.highestIndex(date) + 1 : index;
      return names().raw(pattern().stem(date, next));
    }

    @Override
    public void published(Path archive) {
      if (feed != null) {
        feed.published(archive);
      }
    }

    /** Makes the feed forget archives that are gone, before others get their names. */
    @Override
    public void swept() throws IOException {
      if (feed != null) {
        feed.look();
      }
    }

    @Override
    public void settled() throws IOException {
      if (feed != null) {
        feed.look();
      }
      try {
        if (retention != null) {
          retention.enforce();
        }
        super.settled();
      } finally {
        if (feed != null) {
          feed.settled();
        }
      }
    }
  }

  @Override
  void ending() {
    stopFeed();
  }

  @Override
  public void stop() {
    super.stop();
    stopListener();
  }

  private String choose(RolledName rolled) throws IOException {
    if (!isSized()) {
      return numbers.unused(pattern().stem(rolled.period(), 0));
    }
    int next = numbers.highestIndex(rolled.period()) + 1;
    if (names().isTaken(files, pattern().stem(rolled.period(), next))) {
      next = numbers.highestIndexNow(rolled.period()) + 1;
    }
    numbers.use(rolled.period(), next);
    return pattern().stem(rolled.period(), next);
  }

  @Override
  String activeName() {
    return watch == null ? null : pattern().name(watch.current().date(), index);
  }
}
