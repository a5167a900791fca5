package io.spillway.internal.spill;

import io.spillway.internal.disk.Disk;
import io.spillway.internal.disk.DiskFile;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The contents of a slot directory, from names and sizes only.
 *
 * @param segments the regular segment files, oldest first
 * @param asides files that earlier runs set aside
 * @param highestNumber the highest number in any name of the spill's files, usable or not
 * @param corruptBytes size of the kept copies
 * @param unfinished copies that never got their final names, or are being written
 * @param settled segments of which all is delivered, and that could not be unlinked yet
 */
record SlotListing(
    List<Leftover> segments,
    List<Aside> asides,
    long highestNumber,
    long corruptBytes,
    List<Path> unfinished,
    List<Leftover> settled) {

  static final String SUFFIX = ".seg";
  static final String KEPT_ENDING = ".corrupt"; // appended to the name of the damaged file
  static final String SYNC_ENDING = ".sync"; // of a segment that the syncer rewrites
  static final String PART_ENDING = ".part"; // of any other copy without its final name
  private static final String ASIDE_ENDING = ".aside";

  /** The most bytes of a file set aside that count for the limit: it may be sparse. */
  private static final long MAX_COUNTED = 64L << 20;

  private static final Pattern ASIDE =
      Pattern.compile(
          ".*\\.seg\\.([0-9a-f]{1,15})\\.([0-9a-f]{1,16})(?:\\.([0-9a-f]{1,15}))?\\.aside");
  private static final int DIGITS = 16;
  private static final Disk.State UNKNOWN =
      new Disk.State(true, false, null, Leftover.UNKNOWN, null, null);

  /**
   * A segment of an earlier run.
   *
   * @param path the file
   * @param number from its name
   * @param size in bytes, when listed; {@link #UNKNOWN} if it could not be determined
   */
  record Leftover(Path path, long number, long size) implements Comparable<Leftover> {
    static final long UNKNOWN = -1;

    /** Returns how many of its bytes count as waiting. */
    long counted() {
      return Math.max(0, size);
    }

    /** Returns this leftover with its current size, if the size was not known. */
    Leftover measured(DiskFile file) throws IOException {
      return size == UNKNOWN ? new Leftover(path, number, file.size()) : this;
    }

    @Override
    public int compareTo(Leftover other) {
      return Long.compare(number, other.number);
    }
  }

  /**
   * The rest of a file set aside: all before it is delivered or counted as lost.
   *
   * @param offset where reading resumes
   * @param sequence sequence of the event due there; 0 if the segment's header states it
   * @param end sequence of the first event behind the file, 0 if unknown. Events missing up to
   *     there are counted when the file has been read, and nowhere else
   */
  record Rest(long offset, long sequence, long end) {
    boolean isSame(Rest other) {
      return offset == other.offset && sequence == other.sequence && end == other.end;
    }
  }

  /**
   * A file set aside.
   *
   * @param path the file, whose name states the number and the rest
   * @param number of the segment that it is or comes from
   * @param rest where reading resumes in it
   * @param size in bytes, as that of any {@link Leftover}
   */
  record Aside(Path path, long number, Rest rest, long size) implements Comparable<Aside> {
    @Override
    public int compareTo(Aside other) {
      return Long.compare(number, other.number);
    }

    /** Returns how many of its bytes count against the size limit. */
    long counted() {
      return Math.min(file().counted(), MAX_COUNTED);
    }

    /** Returns the file as a leftover, to be read like any other. */
    Leftover file() {
      return new Leftover(path, number, size);
    }

    /** Returns the same file under the same name, with another rest. */
    Aside with(Rest left) {
      return new Aside(path, number, left, size);
    }

    static Aside of(Path directory, long number, Rest rest, long size) {
      String end = rest.end > 0 ? String.format(".%x", rest.end) : "";
      String name =
          String.format("%016x%s.%x.%x%s", number, SUFFIX, rest.offset, rest.sequence, end)
              + ASIDE_ENDING;
      return new Aside(directory.resolve(name), number, rest, size);
    }
  }

  boolean isEmpty() {
    return segments.isEmpty() && asides.isEmpty();
  }

  static Path segmentPath(Path directory, long number) {
    return directory.resolve(String.format("%016x", number) + SUFFIX);
  }

  static SlotListing read(Disk files, Path directory, SpillListener listener) throws IOException {
    List<Leftover> segments = new ArrayList<>();
    List<Aside> asides = new ArrayList<>();
    List<Path> unfinished = new ArrayList<>();
    long highest = 0;
    long corruptBytes = 0;
    for (Path path : entries(files, directory)) {
      String name = path.getFileName().toString();
      long number = number(name);
      if (number < 0) {
        continue;
      }
      highest = Math.max(highest, number);
      Matcher aside = ASIDE.matcher(name);
      Disk.State state = look(files, path, listener);
      if (state == null || !state.regular()) {
        listener.warning(
            "irregular",
            path
                + " is not a regular file: left alone. To do: if a segment was moved, put it back "
                + (name.endsWith(SUFFIX)
                    ? "as [" + returned(directory, number) + "]"
                    : "under this name")
                + " and restart, else remove this.");
      } else if (name.endsWith(SUFFIX)) {
        segments.add(new Leftover(path, number, state.bytes()));
      } else if (aside.matches()) {
        asides.add(
            new Aside(
                path,
                number,
                new Rest(
                    Math.max(SegmentFormat.SEGMENT_HEADER, Long.parseLong(aside.group(1), 16)),
                    Math.max(0, Long.parseUnsignedLong(aside.group(2), 16)),
                    aside.group(3) == null ? 0 : Long.parseLong(aside.group(3), 16)),
                state.bytes()));
      } else if (state == UNKNOWN) {
        continue; // not counted, and left in place
      } else if (isKept(name)) {
        boolean wasAside = name.endsWith(ASIDE_ENDING + KEPT_ENDING);
        corruptBytes += wasAside ? Math.min(state.bytes(), MAX_COUNTED) : state.bytes();
      } else if (name.endsWith(SUFFIX + SYNC_ENDING) || name.endsWith(PART_ENDING)) {
        unfinished.add(path);
      }
    }
    segments.sort(null);
    asides.sort(null);
    return new SlotListing(segments, asides, highest, corruptBytes, unfinished, List.of());
  }

  /** Returns the state; a file that cannot be examined must not delay the others. */
  private static Disk.State look(Disk files, Path path, SpillListener listener) {
    try {
      return files.state(path);
    } catch (IOException e) {
      listener.onFailure("look at", path, e);
      return UNKNOWN;
    }
  }

  /**
   * Returns the name under which a moved segment is to be put back. The cursor may have passed the
   * segment: under its own name it would be deleted as delivered.
   */
  private static Path returned(Path directory, long number) {
    return Aside.of(directory, number, new Rest(SegmentFormat.SEGMENT_HEADER, 0, 0), 0)
        .path()
        .getFileName();
  }

  /** Deletes unfinished copies. Called by the owner only: another process may be writing them. */
  void deleteUnfinished(Disk files, SpillListener listener) {
    for (Path path : unfinished) {
      listener.delete(files, path);
    }
  }

  /**
   * Returns whether a later version of Spillway has written here, as far as the oldest and the
   * newest segment and the files set aside show. A segment between them is found when it is read.
   */
  boolean isLater(Disk files) {
    boolean later = false;
    if (!segments.isEmpty()) {
      Leftover newest = segments.get(segments.size() - 1);
      later = SegmentFormat.isLater(files, newest) || SegmentFormat.isLater(files, segments.get(0));
    }
    for (Iterator<Aside> left = asides.iterator(); !later && left.hasNext(); ) {
      Aside aside = left.next();
      later = SegmentFormat.isLater(files, aside.file());
    }
    return later;
  }

  static List<Path> entries(Disk files, Path directory) throws IOException {
    List<Path> all = new ArrayList<>();
    try (DirectoryStream<Path> entries = files.list(directory)) {
      for (Path entry : entries) {
        all.add(entry);
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    return all;
  }

  /**
   * Unlinks segments that are delivered according to the cursor, which are left by a crash between
   * saving the cursor and unlinking; returns what remains.
   */
  SlotListing withoutSettled(
      Disk files, SpillListener listener, Cursor.Position position, SpillKind kind) {
    List<Leftover> kept = new ArrayList<>();
    List<Leftover> settled = new ArrayList<>();
    for (int i = 0; i < segments.size(); i++) {
      Leftover leftover = segments.get(i);
      Leftover next = i + 1 < segments.size() ? segments.get(i + 1) : null;
      if (isSettled(leftover, position)
          && !isCut(files, leftover, next, position)
          && !isForeign(files, leftover, kind)) {
        if (!listener.delete(files, leftover.path())) {
          settled.add(leftover);
        }
      } else {
        kept.add(leftover);
      }
    }
    boolean empty = true;
    for (Leftover leftover : kept) {
      empty &=
          leftover.size() != Leftover.UNKNOWN
              && leftover.size() <= SegmentFormat.SEGMENT_HEADER
              && !provesUndelivered(files, leftover, position);
    }
    for (Iterator<Leftover> left = kept.iterator(); empty && left.hasNext(); ) {
      if (listener.delete(files, left.next().path())) {
        left.remove();
      }
    }
    return new SlotListing(kept, asides, highestNumber, corruptBytes, List.of(), settled);
  }

  private static boolean isSettled(Leftover leftover, Cursor.Position position) {
    return position != null
        && (leftover.number() < position.segment()
            || leftover.number() == position.segment()
                && leftover.size() != Leftover.UNKNOWN
                && leftover.size() <= position.offset());
  }

  /**
   * Returns whether the segment at the cursor was truncated before undelivered records, or is the
   * only one to state where reading resumes in the segment behind it. Such a segment is read to its
   * end, and the cursor moves there.
   */
  private static boolean isCut(
      Disk files, Leftover leftover, Leftover next, Cursor.Position position) {
    if (leftover.number() != position.segment()) {
      return false;
    }
    if (position.offset() <= SegmentFormat.SEGMENT_HEADER) {
      return true; // the cursor is there because records were prepended
    }
    SegmentFormat.SegmentHeader own = SegmentFormat.header(files, leftover);
    if (own != null && own.resumeOffset() > 0) {
      return true;
    }
    if (own != null && own.events() > 0) {
      return own.endSequence(null) > position.sequence();
    }
    if (next == null) {
      return false;
    }
    long step = next.number() - leftover.number();
    return step < SegmentFormat.NUMBER_STEP // it was prepended, and should state its length
        ? own == null
        : step == SegmentFormat.NUMBER_STEP && provesUndelivered(files, next, position);
  }

  /** Returns whether its run had events between cursor and this segment, by its header. */
  private static boolean provesUndelivered(
      Disk files, Leftover leftover, Cursor.Position position) {
    SegmentFormat.SegmentHeader header = SegmentFormat.header(files, leftover);
    return header != null
        && position != null
        && header.firstSequence() > Math.max(position.sequence(), header.runSequence());
  }

  private static boolean isForeign(Disk files, Leftover leftover, SpillKind kind) {
    SegmentFormat.SegmentHeader header = SegmentFormat.header(files, leftover);
    return header != null && header.kind() != kind;
  }

  /** Returns whether the name is that of a damaged file that is kept for inspection. */
  static boolean isKept(String name) {
    return number(name) >= 0
        && (name.endsWith(SUFFIX + KEPT_ENDING) || name.endsWith(ASIDE_ENDING + KEPT_ENDING));
  }

  private static long number(String name) {
    if (name.length() < DIGITS + SUFFIX.length() || !name.startsWith(SUFFIX, DIGITS)) {
      return -1;
    }
    long number = 0;
    for (int i = 0; i < DIGITS; i++) {
      char c = name.charAt(i);
      int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
      if (digit < 0 || (i == 0 && digit >= 4)) {
        return -1;
      }
      number = number << 4 | digit;
    }
    return number;
  }
}
