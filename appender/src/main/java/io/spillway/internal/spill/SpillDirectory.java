package io.spillway.internal.spill;

import io.spillway.internal.disk.DirectoryLock;
import io.spillway.internal.disk.SpillFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The directory: who owns it, what earlier runs left in it, which names are free, and how a segment
 * leaves it.
 *
 * <p>Concurrency: guarded by {@code order}, but for {@link #remove}, which the syncer calls as
 * well.
 */
final class SpillDirectory {
  private static final Pattern NAME =
      Pattern.compile(
          "(NUMBER)-(NUMBER)(\\.events|\\.bytes)(\\.corrupt)?"
              .replace("NUMBER", "\\d{6}|[1-9]\\d{6,17}"));
  private static final String CORRUPT = ".corrupt";
  private static final int KEPT = 4;

  /** A name of a segment. */
  record Name(Path path, long run, long number, String suffix, boolean corrupt)
      implements Comparable<Name> {
    static Name of(Path path) {
      Matcher found = NAME.matcher(path.getFileName().toString());
      return found.matches()
          ? new Name(
              path,
              Long.parseLong(found.group(1)),
              Long.parseLong(found.group(2)),
              found.group(3),
              found.group(4) != null)
          : null;
    }

    @Override
    public int compareTo(Name other) {
      return run == other.run ? Long.compare(number, other.number) : Long.compare(run, other.run);
    }
  }

  final SpillConfig config;
  final SpillFiles files;
  final SpillListener listener;
  final Path path;

  /** Bytes of all segments that are read or written in this run. */
  final AtomicLong occupied = new AtomicLong();

  private DirectoryLock lock; // null while another owner has the directory
  private long run = 1;
  long number; // of the next segment; none is left out, as a segment tells where the last one ends

  SpillDirectory(SpillConfig config, SpillFiles files, SpillListener listener) {
    this.config = config;
    this.files = files;
    this.listener = listener;
    path = config.directory();
  }

  /** Takes the directory; returns false if it has another owner. */
  boolean take() throws IOException {
    boolean created = files.createDirectory(path);
    lock = files.lock(path);
    if (lock == null) {
      String text =
          "Spill directory [%s] is in use by another process, or by the same appender before a"
              + " reconfiguration. This appender works with the ring alone, and tries again each"
              + " second; what was left there is delivered then. To do: if another process runs,"
              + " give each its own <file> and spillDirectory.";
      listener.warning("inUse", String.format(text, path));
      return false;
    }
    String exposed = created ? null : files.exposure(path);
    if (exposed != null) {
      listener.warning("mode", "Spill directory [" + path + "] " + exposed + ".");
    }
    return true;
  }

  /** Returns the names of segments of any kind in a directory, in order; others go to the list. */
  static List<Name> names(SpillFiles files, Path directory, List<String> others)
      throws IOException {
    List<Name> names = new ArrayList<>();
    for (String text : files.list(directory)) {
      Name name = Name.of(directory.resolve(text));
      if (name != null) {
        names.add(name);
      } else if (!text.equals(DirectoryLock.NAME) && others.size() < KEPT) {
        others.add(text); // the first few are enough for a message
      }
    }
    names.sort(Comparator.naturalOrder());
    return names;
  }

  /** Returns what earlier runs left undelivered, in order. Reads headers and seals. */
  List<Segment> leftovers() throws IOException {
    List<String> others = new ArrayList<>();
    List<Name> names = names(files, path, others);
    List<Segment> left = new ArrayList<>();
    Collections.reverse(names); // the next segment tells where one without a seal ends
    Name behind = null;
    Segment next = null;
    for (Name name : names) {
      run = Math.max(run, name.run + 1);
      if (name.corrupt) {
        continue;
      }
      if (!name.suffix.equals(config.kind().suffix())) {
        others.add(0, name.path.getFileName().toString());
        continue;
      }
      boolean follows = next != null && behind.run == name.run && behind.number == name.number + 1;
      next = load(name, follows ? next.begin() : -1);
      behind = name;
      if (next != null && next.isDelivered()) {
        countMissing(next);
        remove(next);
      } else if (next != null) {
        left.add(0, next);
      }
    }
    if (!others.isEmpty()) {
      List<String> some = others.subList(0, Math.min(KEPT, others.size()));
      String text =
          "Spill directory [%s] holds files that are left alone, such as %s. To do: if they are a"
              + " spill, start the version or appender that wrote it once more; else remove them.";
      listener.warning("foreign", String.format(text, path, some));
    }
    return left;
  }

  /** Returns null if nothing can be made of the file. */
  private Segment load(Name name, long limit) {
    Segment segment = null;
    try {
      long size = files.size(name.path);
      if (size == 0) {
        files.delete(name.path); // a process died between creating and writing it
        return null;
      }
      segment = Segment.load(files, name.path, size, limit);
    } catch (IOException e) {
      listener.failed("look at", name.path, e); // the next start tries again
      return null;
    }
    if (segment == null) {
      String text = "Spill segment [%s] is of a later version: left alone. To do: start that once.";
      listener.warning("version", String.format(text, name.path));
      return null;
    }
    occupied.addAndGet(segment.bytes());
    return segment;
  }

  /** A segment was read to its end: counts what is missing behind it. */
  void countMissing(Segment segment) {
    if (segment.damage != null) {
      segment.damaged = true;
      if (segment.missing > 0) {
        listener.recordsLost(segment.missing, segment.path, segment.damage, segment.leftover);
      }
    }
  }

  void close(Segment segment) {
    try {
      segment.close();
    } catch (IOException e) {
      listener.failed("close", segment.path, e); // it is closed all the same
    }
  }

  /** Leaves a segment to the next start; returns false if its file was removed, and is lost. */
  boolean leave(Segment segment) {
    close(segment);
    boolean there = files.exists(segment.path);
    if (!there) {
      listener.recordsLost(
          segment.undeliveredEvents(), segment.path, "the file was removed", segment.leftover);
    }
    return there;
  }

  /** Leaves a segment that cannot be read to the next start. */
  void passBy(Segment segment) {
    close(segment);
    String text =
        "Spill segment [%s] cannot be read: %d events wait for the next start. To do: check the disk.";
    listener.warning("unreadable", String.format(text, segment.path, segment.undeliveredEvents()));
  }

  /** Deletes a segment, or keeps it as damaged; returns false if it stays. */
  boolean delete(Segment segment) {
    try {
      if (segment.damaged && files.exists(segment.path)) {
        keep(segment.path);
      } else {
        files.delete(segment.path);
      }
      close(segment);
      occupied.addAndGet(-segment.bytes());
      listener.succeeded("delete");
      return true;
    } catch (IOException e) {
      listener.failed("delete", segment.path, e);
      return false;
    }
  }

  /** Removes a delivered segment. One that stays is marked, for the next start to delete it. */
  void remove(Segment segment) {
    close(segment);
    if (!delete(segment)) {
      ByteBuffer mark = ByteBuffer.allocateDirect(SegmentFormat.MARK_BYTES);
      SegmentFormat.putMark(mark, segment.end, 0, segment.events);
      try (SpillFiles.OpenFile file = files.open(segment.path)) {
        file.write(mark.flip(), SegmentFormat.MARK_AT);
      } catch (IOException e) {
        listener.failed("mark", segment.path, e);
      }
    }
  }

  /** Keeps a copy of a damaged segment for inspection, the newest four of the directory. */
  private void keep(Path damaged) throws IOException {
    files.rename(damaged, damaged.resolveSibling(damaged.getFileName() + CORRUPT));
    List<Name> kept = names(files, path, new ArrayList<>());
    kept.removeIf(name -> !name.corrupt);
    for (Name oldest : kept.subList(0, Math.max(0, kept.size() - KEPT))) {
      files.delete(oldest.path);
    }
  }

  /** Returns a name for the next segment. Creates the directory again if it was removed. */
  Path nextName() throws IOException {
    if (lock == null || !files.exists(path.resolve(DirectoryLock.NAME))) {
      boolean removedByOthers = lock != null;
      release();
      if (!take()) {
        throw new FileSystemException(path.toString(), null, "has another owner now");
      }
      if (removedByOthers) {
        String text =
            "Spill directory [%s] was removed and is used again; what was in it is counted when it"
                + " is missed. To do: see what removes it.";
        listener.warning("removed", String.format(text, path));
      }
    }
    if (files.exists(name())) {
      number++; // more than one: the next attempt goes on
    }
    return name();
  }

  private Path name() {
    return path.resolve(String.format("%06d-%06d", run, number) + config.kind().suffix());
  }

  long run() {
    return run;
  }

  /** Removes lock file and directory if nothing else is in it; both come back with a segment. */
  void removeIfEmpty() {
    if (lock == null || !files.exists(path)) {
      return;
    }
    try {
      List<String> others = new ArrayList<>();
      if (names(files, path, others).isEmpty() && others.isEmpty()) {
        lock.delete();
        files.removeIfEmpty(path);
        release(); // another process may take the directory from now on
      }
    } catch (IOException e) {
      listener.failed("remove", path, e);
    }
  }

  /** Gives the directory back. */
  void release() {
    try {
      if (lock != null) {
        lock.close();
      }
    } catch (IOException e) {
      listener.failed("unlock", path, e);
    }
    lock = null;
  }
}
