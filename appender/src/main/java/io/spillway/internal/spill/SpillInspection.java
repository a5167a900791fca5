package io.spillway.internal.spill;

import io.spillway.internal.disk.Disk;
import io.spillway.internal.disk.DiskFile;
import io.spillway.internal.spill.SegmentFormat.SegmentHeader;
import io.spillway.internal.spill.SlotListing.Aside;
import io.spillway.internal.spill.SlotListing.Leftover;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a spill directory holds, for people and tools. Only reads: takes no lock and changes
 * nothing, so it may be used beside the application that owns the directory; what it tells is then
 * of a moment ago. Damage is what the reader that delivers leftovers takes for damage.
 */
public final class SpillInspection {

  /** Where a segment's events are. */
  public enum State {
    /** All of them are delivered, or in the next file too; the file is about to be removed. */
    DELIVERED,
    /** At least one waits to be delivered. */
    WAITING,
    /** Could not be read or delivered by an earlier start; it is tried again by the next one. */
    ASIDE,
    /** A damaged file that was delivered as far as possible, kept for people. */
    KEPT,
    /** The header is damaged, or the file cannot be read. */
    UNREADABLE
  }

  /**
   * One owner's directory.
   *
   * @param directory the spill directory, or a numbered subdirectory of it
   * @param owner what the file {@code owner} says, or null without one
   * @param segments the files, oldest first
   */
  public record Slot(Path directory, String owner, List<Segment> segments) {}

  /**
   * One segment file.
   *
   * @param path the file
   * @param state where its events are
   * @param kind what the payloads are, or null if unreadable
   * @param created when it was begun, or null if unreadable
   * @param modified when it was last written
   * @param bytes its size
   * @param records intact records
   * @param events events in them
   * @param waiting how many of these are not known to be delivered
   * @param lost events that are known to be missing for damage
   * @param damage what was found, one sentence each
   */
  public record Segment(
      Path path,
      State state,
      SpillKind kind,
      Instant created,
      Instant modified,
      long bytes,
      long records,
      long events,
      long waiting,
      long lost,
      List<String> damage) {}

  /** Is shown every intact record. */
  @FunctionalInterface
  public interface Visitor {

    /**
     * One record.
     *
     * @param segment the file it is in
     * @param kind what the payload is
     * @param record with the bytes that were appended, and what was said of them
     * @param delivered how many of its events, from the first on, are delivered
     * @throws IOException which ends the inspection
     */
    void record(Path segment, SpillKind kind, SpillRecord record, int delivered) throws IOException;
  }

  /** The application that owns a directory may replace a file while it is opened here. */
  static class Retrying extends Disk {
    @Override
    public DiskFile openForReading(Path path) throws IOException {
      try {
        return super.openForReading(path);
      } catch (ObstructedException replaced) {
        return super.openForReading(path);
      }
    }
  }

  private final Disk files;
  private final Visitor visitor;

  /** By segment number: where one that was put before it says that it goes on. */
  private final Map<Long, Cursor.Position> resumed = new HashMap<>();

  private SpillInspection(Disk files, Visitor visitor) {
    this.files = files;
    this.visitor = visitor;
  }

  /**
   * Reads a spill directory from end to end.
   *
   * @param directory the value of {@code spillDirectory}, or the default beside the log file
   * @param visitor is shown every intact record
   * @return its slots: the directory itself and its numbered subdirectories, as far as they hold
   *     anything
   * @throws IOException if the directory cannot be listed, or the visitor threw
   */
  public static List<Slot> inspect(Path directory, Visitor visitor) throws IOException {
    return inspect(new Retrying(), directory, visitor);
  }

  static List<Slot> inspect(Disk files, Path directory, Visitor visitor) throws IOException {
    if (!Files.isDirectory(directory)) {
      throw Files.exists(directory)
          ? new NotDirectoryException(directory.toString())
          : new NoSuchFileException(directory.toString());
    }
    SpillInspection inspection = new SpillInspection(files, visitor);
    List<Slot> slots = new ArrayList<>();
    for (int number = 0; number <= SpillSlots.MAX_SUBDIRECTORY; number++) {
      Path path = SpillSlots.slotPath(directory, number);
      if (number == 0 || Files.isDirectory(path)) {
        Slot slot = inspection.slot(path);
        if (slot.owner != null || !slot.segments.isEmpty()) {
          slots.add(slot);
        }
      }
    }
    return slots;
  }

  private Slot slot(Path directory) throws IOException {
    Cursor.Position cursor =
        Cursor.isLater(files, directory) ? null : Cursor.peek(files, directory);
    SlotListing listing = SlotListing.read(files, directory, new SpillListener());
    List<Segment> segments = new ArrayList<>();
    resumed.clear();
    for (Aside aside : listing.asides()) {
      Cursor.Position from =
          new Cursor.Position(aside.number(), aside.rest().offset(), aside.rest().sequence());
      add(segments, aside.file(), State.ASIDE, from, null);
    }
    for (int i = 0; i < listing.segments().size(); i++) {
      Leftover leftover = listing.segments().get(i);
      boolean before = cursor != null && leftover.number() < cursor.segment();
      boolean at = cursor != null && leftover.number() == cursor.segment();
      Leftover next = i + 1 < listing.segments().size() ? listing.segments().get(i + 1) : null;
      if (!before && !at && isWithin(leftover, next)) {
        addUnread(segments, leftover.path(), State.DELIVERED, List.of());
        continue;
      }
      add(
          segments,
          leftover,
          before ? State.DELIVERED : State.WAITING,
          at ? cursor : resumed.get(leftover.number()),
          next);
    }
    for (Path path : SlotListing.entries(files, directory)) {
      if (SlotListing.isKept(path.getFileName().toString())) {
        addUnread(segments, path, State.KEPT, List.of());
      }
    }
    return new Slot(directory, SpillSlot.readOwner(files, directory), segments);
  }

  private void add(
      List<Segment> segments, Leftover leftover, State state, Cursor.Position from, Leftover next)
      throws IOException {
    DiskFile file;
    SegmentHeader header;
    Disk.State found = files.state(leftover.path());
    if (found == null) {
      return; // delivered since it was listed
    }
    try {
      file = files.openForReading(leftover.path());
    } catch (NoSuchFileException e) {
      return; // as above
    } catch (IOException e) {
      segments.add(unread(leftover.path(), State.UNREADABLE, found, List.of(e.toString())));
      return;
    }
    try (file) {
      header = SegmentFormat.header(file, leftover);
      if (header == null) {
        String why =
            found.bytes() <= SegmentFormat.SEGMENT_HEADER
                ? "begun and never written"
                : "the header is damaged";
        segments.add(unread(leftover.path(), State.UNREADABLE, found, List.of(why)));
        return;
      }
      Instant modified = found.modified().toInstant(); // it may be gone when it has been read
      segments.add(
          new Reading(leftover.measured(file), state, file, header, next).read(from, modified));
    } catch (SegmentFormat.LaterFormatException e) {
      segments.add(unread(leftover.path(), State.UNREADABLE, found, List.of(e.getMessage())));
    }
  }

  /** Whether a crash has left it when room had been made. */
  private boolean isWithin(Leftover leftover, Leftover next) {
    SegmentHeader header = next == null ? null : SegmentFormat.header(files, leftover);
    return header != null && header.isWithin(SegmentFormat.header(files, next));
  }

  /** Unless it is gone since it was listed. */
  private void addUnread(List<Segment> segments, Path path, State state, List<String> why)
      throws IOException {
    Disk.State found = files.state(path);
    if (found != null) {
      segments.add(unread(path, state, found, why));
    }
  }

  private static Segment unread(Path path, State state, Disk.State found, List<String> why) {
    Instant modified = found.modified().toInstant();
    return new Segment(path, state, null, null, modified, found.bytes(), 0, 0, 0, 0, why);
  }

  /** Reads one file as the next start would, but from its beginning. */
  private final class Reading extends SpillListener {

    private final Leftover leftover;
    private final State state;
    private final SegmentHeader header;
    private final SegmentReader reader;
    private final List<String> damage = new ArrayList<>();
    private long lost;

    Reading(Leftover leftover, State state, DiskFile file, SegmentHeader header, Leftover next) {
      this.leftover = leftover;
      this.state = state;
      this.header = header;
      this.reader = new SegmentReader(null, leftover, file, header, this);
      reader.endsBefore(next == null ? null : SegmentFormat.header(files, next));
    }

    Segment read(Cursor.Position from, Instant modified) throws IOException {
      boolean isPartly = from != null && from.offset() >= SegmentFormat.SEGMENT_HEADER;
      long records = 0;
      long events = 0;
      long waiting = 0;
      for (SpillRecord record = next(); record != null; record = next()) {
        long delivered = 0;
        if (state == State.DELIVERED) {
          delivered = record.events();
        } else if (isPartly) {
          long upTo =
              record.endOffset <= from.offset()
                  ? record.events()
                  : from.sequence() - record.sequence();
          delivered = Math.max(0, Math.min(record.events(), upTo));
        }
        records++;
        events += record.events();
        waiting += record.events() - delivered;
        visitor.record(leftover.path(), header.kind(), record, (int) delivered);
      }
      if (reader.finish()) {
        damage.add("damaged at the end; how many events is unknown");
      }
      Cursor.Position behind = reader.behind();
      if (behind != null) {
        resumed.put(behind.segment(), behind);
      }
      return new Segment(
          leftover.path(),
          state == State.WAITING && waiting == 0 && events > 0 ? State.DELIVERED : state,
          header.kind(),
          Instant.ofEpochMilli(header.createdMillis()),
          modified,
          leftover.size(),
          records,
          events,
          waiting,
          lost,
          damage);
    }

    private SpillRecord next() throws IOException {
      while (true) {
        try {
          return reader.next();
        } catch (SegmentReader.GapException e) {
          reader.startAt(e.position(), reader.expected());
        }
      }
    }

    @Override
    public void recordsLost(long events, Path segment, String why, boolean ofEarlierRun) {
      lost += events;
      damage.add(why + ": " + events + " events");
    }
  }
}
