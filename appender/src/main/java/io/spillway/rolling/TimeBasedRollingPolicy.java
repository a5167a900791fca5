package io.spillway.rolling;

import ch.qos.logback.core.rolling.TimeBasedFileNamingAndTriggeringPolicy;
import ch.qos.logback.core.rolling.TriggeringPolicy;
import ch.qos.logback.core.rolling.helper.DateTokenConverter;
import io.spillway.rolling.Periods.Period;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;

/**
 * Rolls over when the period of the date pattern ends. Drop-in for {@code
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
 * <p>A clock that steps back by less than a period makes the period longer; one that steps back
 * further begins another. Where that period has an archive already, the next one is named {@code
 * app.2026-11-21.log.1.gz}. {@code <file>} is optional, as with Logback.
 *
 * @param <E> the type of event
 */
public class TimeBasedRollingPolicy<E> extends ArchivingPolicy implements TriggeringPolicy<E> {
  private String maxHistory = "0";
  private String totalSizeCap = "0";
  private String cleanHistoryOnStart = "false";
  private Object nestedPolicy;
  private int periodsKept;
  private long bytesKept;
  private boolean cleaningOnStart;
  private PeriodWatch watch;
  private Retention retention;
  private NameSearch search;

  /** A policy without settings; Logback sets them, then calls {@link #start()}. */
  public TimeBasedRollingPolicy() {}

  /**
   * How many periods before the current one are kept; older files are deleted.
   *
   * @param periods 0 for all, which is the default
   */
  public void setMaxHistory(String periods) {
    maxHistory = periods;
  }

  /**
   * How much is kept; the oldest files are deleted. Rolled files that wait to be compressed count
   * in full, except the one whose turn it is. Needs {@code maxHistory}, and is ignored with a
   * warning without it, as Logback does.
   *
   * @param size such as {@code 20GB}; 0 for all, which is the default
   */
  public void setTotalSizeCap(String size) {
    totalSizeCap = size;
  }

  /**
   * Whether old files are deleted at start, too, not only after rollovers.
   *
   * @param clean true or false, which is the default
   */
  public void setCleanHistoryOnStart(String clean) {
    cleanHistoryOnStart = clean;
  }

  /**
   * Refused at start: sizes are a matter of {@link SizeAndTimeBasedRollingPolicy}.
   *
   * @param policy of Logback's
   */
  public void setTimeBasedFileNamingAndTriggeringPolicy(
      TimeBasedFileNamingAndTriggeringPolicy<E> policy) {
    nestedPolicy = policy;
  }

  @Override
  String example() {
    return "logs/app.%d{yyyy-MM-dd}.log.gz";
  }

  @Override
  void checkSettings(Refusals refusals) {
    if (nestedPolicy != null) {
      refusals.refuse(
          "timeBasedFileNamingAndTriggeringPolicy",
          nestedPolicy.getClass().getName(),
          "none",
          "remove it, and if sizes matter, use the rolling policy "
              + SizeAndTimeBasedRollingPolicy.class.getName()
              + " with <maxFileSize>");
    }
    periodsKept = refusals.number("maxHistory", maxHistory, 0, Integer.MAX_VALUE);
    bytesKept = refusals.size("totalSizeCap", totalSizeCap, 0);
    cleaningOnStart = refusals.flag("cleanHistoryOnStart", cleanHistoryOnStart);
    if (periodsKept == 0 && bytesKept > 0) {
      addWarn(
          "Setting [totalSizeCap] has the value ["
              + totalSizeCap
              + "] and is ignored, since [maxHistory] is not set.");
    }
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

  private static void checkDate(
      Refusals refusals, ArchivePattern pattern, DateTokenConverter<Object> date) {
    try {
      Periods.of(date);
    } catch (IllegalArgumentException | DateTimeException e) {
      refusals.refuse(
          "fileNamePattern",
          pattern.text(),
          "names that change every month or more often and never repeat, and here the "
              + e.getMessage(),
          "correct the date pattern, for example yyyy-MM-dd");
    }
  }

  void checkIndex(Refusals refusals, ArchivePattern pattern) {
    if (pattern.hasIndex()) {
      refusals.refuse(
          "fileNamePattern",
          pattern.text(),
          "names without %i",
          "remove %i, or use " + SizeAndTimeBasedRollingPolicy.class.getName());
    }
  }

  @Override
  String indices() {
    return null;
  }

  @Override
  int sampleIndex() {
    return 0;
  }

  @Override
  void begin() throws IOException {
    search = new NameSearch(pattern(), places(), moves);
    Periods periods = Periods.of(pattern().primaryDate());
    watch = new PeriodWatch(periods, date -> pattern().stem(date, 0));
    watch.begin(writtenMillis(), clock.getAsLong());
    retention = periodsKept == 0 ? null : new Retention(this, periodsKept, bytesKept);
    if (retention != null && cleaningOnStart) {
      retention.rolledOver(clock.getAsLong());
    }
  }

  /** When an active file of an earlier run was written last, else now. */
  private long writtenMillis() throws IOException {
    Path file = filePath();
    return file == null || !Files.isReadable(file)
        ? clock.getAsLong()
        : Files.getLastModifiedTime(file).toMillis();
  }

  /** Whether the period is over. */
  @Override
  public boolean isTriggeringEvent(File activeFile, E event) {
    return isStarted() && isDue() && !pause.isOn();
  }

  boolean isDue() {
    return watch.isOver(clock.getAsLong());
  }

  @Override
  void roll() throws IOException {
    long now = clock.getAsLong();
    if (retention != null) {
      retention.rolledOver(now); // before the compressor hears of the file, or it comes too late
    }
    if (filePath() == null) {
      leaveActive(now);
    } else {
      if (moves.exists(activePath())) {
        moveActive(target());
      }
      enter(next(now));
    }
  }

  /** Without {@code <file>} the active file has its name already; the next one is begun. */
  private void leaveActive(long now) throws IOException {
    Path active = activePath();
    Next next = next(now);
    Path nextPath = places().raw(pattern().stem(next.period().date(), next.index()));
    if (nextPath.equals(active)) {
      addInfo("The period of [" + active + "] is not over, it is written on.");
      return;
    }
    moves.createFile(nextPath); // fails before anything is changed, if it has to
    enter(next);
    if (moves.exists(active)) {
      waits(active);
    }
  }

  /** What comes after the active file. */
  record Next(Period period, int index) {}

  /** Does not change anything yet. */
  Next next(long now) throws IOException {
    return new Next(watch.at(now), 0);
  }

  /** The next active file begins. */
  void enter(Next next) {
    watch.begin(next.period());
  }

  /** The stem that the active file gets now. */
  String target() throws IOException {
    String stem = upcomingStem();
    if (!places().isTaken(stem) && numbers().known(stem, 0) == 0) {
      return stem;
    }
    numbers().highest(stem, () -> search.highestFreeNumber(stem));
    return freeNames().next(stem);
  }

  /** The index of the active file, if there are any. */
  int index() {
    return 0;
  }

  @Override
  String activeName() {
    return watch == null ? null : pattern().name(watch.current().date(), index());
  }

  @Override
  String upcomingStem() {
    return pattern().stem(watch.current().date(), index());
  }

  final PeriodWatch watch() {
    return watch;
  }

  final NameSearch search() {
    return search;
  }

  @Override
  void settled() throws IOException {
    if (retention != null) {
      retention.enforce();
    }
  }
}
