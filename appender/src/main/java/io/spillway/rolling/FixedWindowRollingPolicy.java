package io.spillway.rolling;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Keeps a fixed number of archives, numbered by age: the lowest index is the newest. Drop-in for
 * {@code ch.qos.logback.core.rolling.FixedWindowRollingPolicy}, without its compression of the
 * whole file while everybody waits.
 *
 * <pre>{@code
 * <rollingPolicy class="io.spillway.rolling.FixedWindowRollingPolicy">
 *   <fileNamePattern>logs/app.%i.log.gz</fileNamePattern>
 *   <minIndex>1</minIndex>
 *   <maxIndex>7</maxIndex>
 * </rollingPolicy>
 * <triggeringPolicy class="io.spillway.rolling.SizeBasedTriggeringPolicy">
 *   <maxFileSize>1GB</maxFileSize>
 * </triggeringPolicy>
 * }</pre>
 *
 * <p>The archive of index 3 is the third newest at all times: files that still wait to be
 * compressed are numbered as well. Needs {@code <file>}.
 */
public class FixedWindowRollingPolicy extends ArchivingPolicy {
  private static final int LARGEST_WINDOW = 20; // as Logback's

  private String minIndex = "1";
  private String maxIndex = "7";
  private int min;
  private int max;
  private Window window;
  private volatile Path suspect; // written under the lock, as its source
  private volatile Path suspectSource;

  /** A policy without settings; Logback sets them, then calls {@link #start()}. */
  public FixedWindowRollingPolicy() {}

  /**
   * The index of the newest archive.
   *
   * @param index 0 or more, default 1
   */
  public void setMinIndex(String index) {
    minIndex = index;
  }

  /**
   * The index of the oldest archive.
   *
   * @param index {@code minIndex} or more, default 7; beyond {@code minIndex + 20} it is reduced to
   *     that, with a warning, as Logback does
   */
  public void setMaxIndex(String index) {
    maxIndex = index;
  }

  @Override
  String example() {
    return "logs/app.%i.log.gz";
  }

  @Override
  void checkSettings(Refusals refusals) {
    if (filePath() == null) {
      refusals.refuse("file", null, "the path of the active file", "set <file> of the appender");
    }
    min = refusals.number("minIndex", minIndex, 0, Integer.MAX_VALUE - LARGEST_WINDOW);
    if (refusals.any()) {
      return;
    }
    max = refusals.number("maxIndex", maxIndex, min, Integer.MAX_VALUE);
    if (max - min > LARGEST_WINDOW) {
      max = min + LARGEST_WINDOW;
      addWarn("Setting [maxIndex] has the value [" + maxIndex + "], reduced to [" + max + "].");
    }
  }

  @Override
  void checkPattern(Refusals refusals, ArchivePattern pattern) {
    if (!pattern.hasIndex()) {
      refusals.refuse(
          "fileNamePattern", pattern.text(), "names with %i", "add %i, as in " + example());
    }
    if (pattern.hasDate()) {
      refusals.refuse(
          "fileNamePattern",
          pattern.text(),
          "names without %d, since indices are shifted",
          "remove %d, or use " + SizeAndTimeBasedRollingPolicy.class.getName());
    }
  }

  /** Those that any maxIndex could have left; others are not ours. */
  @Override
  String indices() {
    return IntStream.rangeClosed(min, min + LARGEST_WINDOW)
        .mapToObj(String::valueOf)
        .collect(Collectors.joining("|", "0*(?:", ")"));
  }

  @Override
  int sampleIndex() {
    return min;
  }

  @Override
  void begin() throws IOException {
    window = new Window(pattern(), places(), moves, new Shift(), min, max, min + LARGEST_WINDOW);
    suspect = suspectAtStart();
    suspectSource = suspect == null ? null : activePath();
    try {
      window.closeGaps();
    } catch (IOException e) {
      reports.error(
          "gaps",
          "Cannot close a gap between the archives [" + getFileNamePattern() + "], it stays.",
          e);
    }
  }

  /**
   * Stock Logback compresses the active file itself and then deletes it. Killed in between, it
   * leaves an archive that is newer than an active file with the same beginning. Ours never are.
   */
  private Path suspectAtStart() throws IOException {
    Path archive = places().archive(window.stem(min));
    Path active = activePath();
    return moves.exists(archive)
            && moves.exists(active)
            && Files.size(active) > 0
            && Files.getLastModifiedTime(archive).compareTo(Files.getLastModifiedTime(active)) > 0
        ? archive
        : null;
  }

  @Override
  void roll() throws IOException {
    Path active = activePath();
    if (!moves.exists(active)) {
      addInfo("There is no [" + active + "] to roll over.");
      return;
    }
    List<BitSet> found = window.look();
    if (window.isFull(found) && !moves.isWritable(active.getParent())) {
      // the oldest archive must not be dropped for a rename that then fails
      throw new AccessDeniedException(active.getParent().toString());
    }
    window.makeRoom(found);
    moveActive(window.stem(min));
    if (active.equals(suspectSource)) {
      suspectSource = places().raw(window.stem(min));
    }
  }

  @Override
  String activeName() {
    return null;
  }

  @Override
  String upcomingStem() {
    return window.stem(min);
  }

  @Override
  Path next(Predicate<Path> usable) throws IOException {
    Path oldest = window.oldest(usable);
    return oldest == null ? super.next(usable) : oldest;
  }

  /** Followed through all renames, since the first event may roll over the very file at once. */
  @Override
  Path suspect() {
    return suspect;
  }

  @Override
  Path suspectSource() {
    return suspectSource;
  }

  /** Tells the compressor, which may be working on any of these files. */
  private final class Shift implements Window.Listener {
    @Override
    public void moved(Path from, Path to) {
      if (archiver() != null) {
        archiver().moved(from, to);
      }
      suspect = from.equals(suspect) ? to : suspect;
      suspectSource = from.equals(suspectSource) ? to : suspectSource;
    }

    @Override
    public void drop(Path file) throws IOException {
      archiver().discard(file);
      suspect = file.equals(suspect) ? null : suspect;
      suspectSource = file.equals(suspectSource) ? null : suspectSource;
    }
  }
}
