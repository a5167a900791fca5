package io.spillway.rolling;

import io.spillway.internal.compress.RolledFiles;
import io.spillway.internal.compress.RolledName;
import io.spillway.internal.disk.Disk.State;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import java.util.regex.Pattern;

/**
 * Keeps a fixed number of archives, numbered by age: the lowest index is the newest. Drop-in
 * replacement for {@code ch.qos.logback.core.rolling.FixedWindowRollingPolicy}, which compresses
 * the whole file while all threads that log wait; this policy compresses in the background.
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
  private static final int LARGEST_NUMBER = 999_999_999;
  private static final Pattern INDEX = Pattern.compile("%i");

  /** Logback's date format in the names of zip entries. */
  private static final DateTimeFormatter ENTRY_DATE =
      DateTimeFormatter.ofPattern("yyyy-MM-dd_HHmm").withZone(ZoneId.systemDefault());

  private String minIndex = "1";
  private String maxIndex = "7";
  private int min;
  private int max;
  private RolledFiles.LogbackLeftover suspect;
  private boolean rejoined;

  // Used by the compressor's thread. At every instant, a file of a higher index is older, because a
  // shift moves one file at a time into a gap: the highest index first, and no further than the
  // first gap. A crash leaves such a gap.
  private int last; // the highest index that can be used
  private Path obstacle; // a directory that the last look found at the window's end, or null

  /** A policy without settings; Logback sets them, then calls {@link #start()}. */
  public FixedWindowRollingPolicy() {}

  /**
   * Sets the index of the newest archive.
   *
   * @param index a whole number, default 1; a negative one is used with a warning, as in Logback
   */
  public void setMinIndex(String index) {
    minIndex = index;
  }

  /**
   * Sets the index of the oldest archive.
   *
   * @param index a whole number, default 7; below {@code minIndex} it is raised to {@code
   *     minIndex}, and beyond {@code minIndex + 20} it is reduced to that, both with a warning, as
   *     in Logback
   */
  public void setMaxIndex(String index) {
    maxIndex = index;
  }

  /**
   * Sets {@code minIndex} from Java.
   *
   * @param index the index of the newest archive
   * @return this policy; Logback's configurator ignores setters that return a value
   */
  public FixedWindowRollingPolicy setMinIndex(int index) {
    setMinIndex(String.valueOf(index));
    return this;
  }

  /**
   * Sets {@code maxIndex} from Java.
   *
   * @param index the index of the oldest archive
   * @return this policy; Logback's configurator ignores setters that return a value
   */
  public FixedWindowRollingPolicy setMaxIndex(int index) {
    setMaxIndex(String.valueOf(index));
    return this;
  }

  /**
   * Returns the index of the newest archive.
   *
   * @return the index in use once started, before that the index as set
   */
  public int getMinIndex() {
    return isStarted() ? min : Refusals.readNumber(minIndex, 1);
  }

  /**
   * Returns the index of the oldest archive.
   *
   * @return the index in use once started, before that the index as set
   */
  public int getMaxIndex() {
    return isStarted() ? max : Refusals.readNumber(maxIndex, 7);
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
    min = refusals.number("minIndex", minIndex, -LARGEST_NUMBER, LARGEST_NUMBER);
    max = refusals.number("maxIndex", maxIndex, -LARGEST_NUMBER, LARGEST_NUMBER);
    if (refusals.any()) {
      return;
    }
    if (min < 0) {
      odd("minIndex", minIndex, "a whole number, 0 or more", "Names have a negative number.");
    }
    if (max < min) {
      max = min;
      odd("maxIndex", maxIndex, "[minIndex] or more", "It is taken for [" + min + "].");
    } else if (max - min > LARGEST_WINDOW) {
      max = min + LARGEST_WINDOW;
      odd(
          "maxIndex",
          maxIndex,
          "[minIndex] + " + LARGEST_WINDOW + " or less",
          "It is taken for [" + max + "].");
    }
  }

  /** Warns of a value that is used, or changed, as Logback does it. */
  private void odd(String setting, String value, String allowed, String effect) {
    addWarn(Refusals.message(setting, value, allowed, "correct the value") + " " + effect);
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

  /** Returns an expression of the indices that any maxIndex allows; other files are foreign. */
  @Override
  String indices() {
    StringJoiner indices = new StringJoiner("|", "(?:", ")");
    for (int index = min; index <= min + LARGEST_WINDOW; index++) {
      indices.add(index < 0 ? String.valueOf(index) : "0*" + index);
    }
    return indices.toString();
  }

  @Override
  int sampleIndex() {
    return min;
  }

  @Override
  void begin() {
    rejoined = false;
    try {
      suspect = suspectAtStart();
    } catch (IOException e) {
      suspect = null;
      reports.warn(
          "window",
          "Cannot look at the archives ["
              + getFileNamePattern()
              + "]: "
              + e
              + ". To do: make their directory readable.");
    }
  }

  /**
   * Returns an archive that stock Logback may have left together with its source, or null. Stock
   * Logback compresses the active file itself and then deletes it. Killed in between, it leaves an
   * archive that is newer than an active file with the same beginning. Spillway's archives are
   * never newer than the active file.
   */
  private RolledFiles.LogbackLeftover suspectAtStart() throws IOException {
    Path archive = names().archive(stem(min));
    State made = files.state(archive);
    State active = files.state(activePath());
    return made != null
            && active != null
            && active.bytes() > 0
            && made.modified().compareTo(active.modified()) > 0
        ? new RolledFiles.LogbackLeftover(archive, active)
        : null;
  }

  @Override
  void roll() throws IOException {
    if (files.exists(activePath())) {
      moveActive(Instant.ofEpochMilli(clock.getAsLong()));
    } else {
      reports.info("There is no [" + activePath() + "] to roll over.");
    }
  }

  @Override
  Rolled rolled() {
    return new InWindow();
  }

  private final class InWindow extends Rolled {
    @Override
    public Path place(RolledName rolled) throws IOException {
      Path waiting = rolled.path().getParent();
      if (!files.isWritable(waiting)) {
        // the oldest archive must not be dropped for a rename that then fails
        throw new AccessDeniedException(waiting.toString());
      }
      try {
        makeRoom();
      } finally {
        reportObstacle();
      }
      return names().raw(stem(min));
    }

    @Override
    public Path upcoming() {
      return names().raw(stem(min));
    }

    @Override
    public LogbackLeftover suspect() {
      return suspect;
    }

    @Override
    public void swept() throws IOException {
      if (!rejoined) {
        rejoin();
        rejoined = true;
      }
    }

    /** Returns a name with a date, as in Logback, since the index changes with each shift. */
    @Override
    public String entryName(Path raw, Instant modified) {
      String names = getFileNamePattern().strip().replace('\\', '/');
      String last = names.substring(names.lastIndexOf('/') + 1);
      return INDEX
          .matcher(last.substring(0, last.length() - names().suffix().length()))
          .replaceAll(ENTRY_DATE.format(modified));
    }
  }

  private void reportObstacle() {
    if (obstacle != null) {
      reports.warn(
          "obstacle",
          "The name ["
              + obstacle
              + "] is that of a directory, which is left alone: fewer archives are kept than"
              + " [maxIndex] says. To do: move it away.");
    }
  }

  /** Returns every path of an index: its archive first, then rolled files. */
  private List<Path> paths(int index) {
    return names().all(stem(index));
  }

  private String stem(int index) {
    return pattern().stem(Instant.EPOCH, index);
  }

  /** Returns the existing files of each index, from the lowest index up to the first gap. */
  private List<List<Path>> look() throws IOException {
    List<List<Path>> found = new ArrayList<>();
    obstacle = null;
    last = max;
    while (last >= min && isObstructed(last)) {
      last--;
    }
    for (int index = min; index <= last; index++) {
      List<Path> there = new ArrayList<>();
      for (Path path : paths(index)) {
        if (files.exists(path)) {
          there.add(path);
        }
      }
      if (there.isEmpty()) {
        break;
      }
      found.add(there);
    }
    return found;
  }

  /**
   * Returns whether a directory has a name of the index. A directory is not deleted like an
   * archive, and no file can be renamed to it.
   */
  private boolean isObstructed(int index) {
    for (Path path : paths(index)) {
      if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
        obstacle = path;
        return true;
      }
    }
    return false;
  }

  /** Frees the lowest index; after a failure, the next call looks at the files anew. */
  private void makeRoom() throws IOException {
    List<List<Path>> found = look();
    if (last < min) {
      throw new FileAlreadyExistsException(String.valueOf(obstacle));
    }
    if (found.size() > last - min) { // there is no gap
      for (Path oldest : found.get(last - min)) {
        archiver().discard(oldest);
      }
    }
    for (int index = Math.min(min + found.size(), last) - 1; index >= min; index--) {
      List<Path> sources = paths(index);
      List<Path> targets = paths(index + 1);
      for (int i = 0; i < sources.size(); i++) {
        if (found.get(index - min).contains(sources.get(i))) {
          archiver().move(sources.get(i), targets.get(i));
        }
      }
    }
  }

  /**
   * Repairs what a crash left in the middle of a shift, except for the gap, which the next shift
   * fills. A rolled file and its published archive are moved by two renames. If only the archive
   * was moved, the two files are recognized by their equal times, because an archive takes over the
   * time of its source.
   */
  private void rejoin() throws IOException {
    for (int index = min; index < max; index++) {
      List<Path> raws = paths(index);
      List<Path> targets = paths(index + 1);
      Path archive = targets.get(0);
      if (files.exists(raws.get(0)) || !files.exists(archive)) {
        continue;
      }
      for (int i = 1; i < raws.size(); i++) {
        if (files.exists(raws.get(i))
            && !files.exists(targets.get(i))
            && Files.getLastModifiedTime(raws.get(i)).equals(Files.getLastModifiedTime(archive))) {
          archiver().move(raws.get(i), targets.get(i));
        }
      }
    }
  }
}
