package io.spillway.rolling;

import ch.qos.logback.core.rolling.LengthCounter;
import io.spillway.rolling.Periods.Period;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Rolls over when the period of the date pattern ends, and when the file has its size. Drop-in for
 * {@code ch.qos.logback.core.rolling.SizeAndTimeBasedRollingPolicy}: the same names, periods and
 * retention.
 *
 * <pre>{@code
 * <rollingPolicy class="io.spillway.rolling.SizeAndTimeBasedRollingPolicy">
 *   <fileNamePattern>logs/app.%d{yyyy-MM-dd}.%i.log.gz</fileNamePattern>
 *   <maxFileSize>1GB</maxFileSize>
 *   <maxHistory>30</maxHistory>
 * </rollingPolicy>
 * }</pre>
 *
 * <p>Sizes are exact: no file grows by more than the event that reaches {@code maxFileSize}, or the
 * batch (64 KB at most) in a {@code SpillwayRollingFileAppender}.
 *
 * @param <E> the type of event
 */
public class SizeAndTimeBasedRollingPolicy<E> extends TimeBasedRollingPolicy<E> {
  private final ByteCount bytes = new ByteCount();
  private String maxFileSize;
  private long maxBytes;
  private volatile int index; // written under the lock
  private long newestEndMillis;

  /** A policy without settings; Logback sets them, then calls {@link #start()}. */
  public SizeAndTimeBasedRollingPolicy() {}

  /**
   * The size that ends a file.
   *
   * @param size such as {@code 1GB}; has no default
   */
  public void setMaxFileSize(String size) {
    maxFileSize = size;
  }

  @Override
  String example() {
    return "logs/app.%d{yyyy-MM-dd}.%i.log.gz";
  }

  @Override
  void checkSettings(Refusals refusals) {
    super.checkSettings(refusals);
    if (maxFileSize == null) {
      refusals.refuse("maxFileSize", null, "a size such as 1GB", "set it");
    } else {
      maxBytes = refusals.size("maxFileSize", maxFileSize, 1);
    }
  }

  @Override
  void checkIndex(Refusals refusals, ArchivePattern pattern) {
    if (!pattern.hasIndex()) {
      refusals.refuse(
          "fileNamePattern", pattern.text(), "names with %i", "add %i, as in " + example());
    } else if (pattern.hasIndexInDirectory()) {
      refusals.refuse(
          "fileNamePattern",
          pattern.text(),
          "names with %i behind the last slash",
          "move %i, as in " + example());
    }
  }

  @Override
  void begin() throws IOException {
    super.begin();
    bytes.reset();
    Period current = watch().current();
    newestEndMillis = current.endMillis();
    String first = pattern().stem(current.date(), 0);
    int highest = numbers().highest(keyOf(first), () -> search().highestIndex(first));
    index = highest + 1;
    if (filePath() == null && highest >= 0 && isUnfinished(current, highest)) {
      index = highest; // the active file of an earlier run is written on, as Logback does
    }
  }

  private boolean isUnfinished(Period period, int index) {
    String stem = pattern().stem(period.date(), index);
    Path archive = places().archive(stem);
    return moves.exists(places().raw(stem))
        && (archive.equals(places().raw(stem)) || !moves.exists(archive));
  }

  private static String keyOf(String firstStem) {
    return "index of " + firstStem;
  }

  @Override
  boolean isDue() {
    return super.isDue() || bytes.getLength() >= maxBytes;
  }

  @Override
  public LengthCounter getLengthCounter() {
    return bytes;
  }

  @Override
  int index() {
    return index;
  }

  /** The next index if somebody else has taken the name. */
  @Override
  String target() throws IOException {
    Period current = watch().current();
    if (places().isTaken(pattern().stem(current.date(), index))) {
      index = searchedIndex(current);
    }
    use(current, index);
    return upcomingStem();
  }

  @Override
  Next next(long now) throws IOException {
    Period current = watch().current();
    boolean over = watch().isOver(now);
    Period period = over ? watch().at(now) : watch().current();
    int next = over ? firstIndex(period) : index + 1;
    if (filePath() == null && places().isTaken(pattern().stem(period.date(), next))) {
      next = searchedIndex(period);
    }
    use(current, index);
    return new Next(period, next);
  }

  /** Zero, unless the period has been entered before. */
  private int firstIndex(Period period) throws IOException {
    String first = pattern().stem(period.date(), 0);
    if (numbers().knows(keyOf(first))) {
      return numbers().known(keyOf(first), -1) + 1;
    }
    boolean isNew = period.endMillis() > newestEndMillis && !places().isTaken(first);
    return isNew ? 0 : searchedIndex(period);
  }

  private int searchedIndex(Period period) throws IOException {
    String first = pattern().stem(period.date(), 0);
    return Math.max(search().highestIndex(first), numbers().known(keyOf(first), -1)) + 1;
  }

  private void use(Period period, int used) {
    numbers().used(keyOf(pattern().stem(period.date(), 0)), used);
  }

  @Override
  void enter(Next next) {
    super.enter(next);
    index = next.index();
    newestEndMillis = Math.max(newestEndMillis, next.period().endMillis());
    bytes.reset(); // under the appender's lock, so that no write is counted for the wrong file
  }
}
