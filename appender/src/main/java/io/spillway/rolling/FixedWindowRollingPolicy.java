package io.spillway.rolling;

import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.rolling.RolloverFailure;
import ch.qos.logback.core.rolling.helper.FileNamePattern;
import io.spillway.internal.compress.ArchiveFiles;
import io.spillway.internal.compress.Archives;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Keeps a window of numbered archives, of which {@code minIndex} is the newest. Drop-in replacement
 * for {@code ch.qos.logback.core.rolling.FixedWindowRollingPolicy}, whose settings it has; but the
 * rollover does not compress, which may take a minute, it only renames.
 *
 * <p>Files move up to the first index that is free; only if none is, the oldest is deleted.
 */
public class FixedWindowRollingPolicy extends ch.qos.logback.core.rolling.FixedWindowRollingPolicy
    implements ArchivingPolicy {
  private final Archiving archiving = new Archiving(this);
  private List<Path> raws; // from minIndex to the one behind maxIndex
  private boolean refused;

  /** A policy without settings; Logback sets them, then calls {@link #start()}. */
  public FixedWindowRollingPolicy() {}

  @Override
  public Archiving archiving() {
    return archiving;
  }

  @Override
  public void setParent(FileAppender<?> appender) {
    super.setParent(appender);
    archiving.parent = appender;
  }

  /** Checks the settings as Logback does, and takes over what earlier runs left. */
  @Override
  public void start() {
    refused = !archiving.isSuitable();
    if (isStarted() || refused) {
      return;
    }
    super.start();
    FileNamePattern names = new FileNamePattern(archiving.rawPattern(), getContext());
    refused = isStarted() && !(hasNoDate(names) && archiving.isOwner());
    if (refused) {
      super.stop();
    } else if (isStarted()) {
      IntStream indexes = IntStream.rangeClosed(getMinIndex(), getMaxIndex() + 1);
      raws = indexes.mapToObj(names::convertInt).map(Path::of).toList();
      archiving.start(new Window());
    }
  }

  /** Logback would lose each event after the first rollover is due. */
  private boolean hasNoDate(FileNamePattern names) {
    String pattern = getFileNamePattern();
    String remedy = "remove %d, or take " + SizeAndTimeBasedRollingPolicy.class.getName();
    return names.getPrimaryDateTokenConverter() == null
        || archiving.refuse("fileNamePattern", pattern, "names without %d", remedy);
  }

  @Override
  public void stop() {
    archiving.stop();
    super.stop();
  }

  /** Returns the file; an empty name, which no appender can open, after a refusal. */
  @Override
  public String getActiveFileName() {
    return refused ? "" : super.getActiveFileName();
  }

  @Override
  public void rollover() throws RolloverFailure {
    if (getMaxIndex() >= 0) { // below, Logback renames nothing either
      archiving.rollover(this::shift);
    }
  }

  /** Makes room at the lowest index. Lock held. */
  private void shift() throws IOException {
    Archives archives = archiving.archives;
    if (!archiving.settings.files.exists(archiving.file())) {
      return;
    }
    int gap = getMinIndex();
    while (gap <= getMaxIndex() && archives.isTaken(raw(gap))) {
      gap++;
    }
    if (gap > getMaxIndex()) {
      gap = getMaxIndex();
      archives.delete(raw(gap));
    }
    for (int index = gap - 1; index >= getMinIndex(); index--) {
      archives.move(raw(index), raw(index + 1));
    }
    archives.take(archiving.file(), raw(getMinIndex()));
  }

  private Path raw(int index) {
    return raws.get(index - getMinIndex());
  }

  private final class Window implements Archives.Names {
    private static final DateTimeFormatter OF_ENTRY =
        DateTimeFormatter.ofPattern(ZIP_ENTRY_DATE_PATTERN).withZone(ZoneId.systemDefault());

    /** Logback's name, which has the time in place of the index. */
    @Override
    public String entry(Path raw) {
      Instant time = Instant.ofEpochMilli(raw.toFile().lastModified());
      return archiving
          .rawPattern()
          .replaceAll(".*/", "")
          .replaceAll("%[-.0-9]*i", OF_ENTRY.format(time));
    }

    @Override
    public void recover() throws IOException {
      ArchiveFiles files = archiving.settings.files;
      Archives archives = archiving.archives;
      List<Path> left = new ArrayList<>();
      synchronized (archives) { // no shift meanwhile
        for (Path raw : raws) {
          files.delete(archives.part(raw));
        }
        for (int index = getMaxIndex(); index >= getMinIndex(); index--) {
          Path raw = raw(index);
          if (!Files.isRegularFile(raw) || archives.archive(raw).equals(raw)) {
            continue;
          }
          Path next = raw(index + 1);
          if (!files.exists(archives.archive(raw)) && isOf(archives.archive(next), raw)) {
            archives.move(raw, next); // a crash came in a shift, between archive and raw file
            raw = next;
          }
          left.add(raw);
        }
        archives.recovered(left);
      }
    }

    /** Returns whether an archive has the time of a rolled file, which no other archive has. */
    private boolean isOf(Path archive, Path raw) throws IOException {
      return Files.isRegularFile(archive)
          && Files.getLastModifiedTime(archive).equals(Files.getLastModifiedTime(raw));
    }
  }
}
