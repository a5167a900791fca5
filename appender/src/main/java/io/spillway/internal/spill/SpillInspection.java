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
 * Reports the contents of a spill directory, for people and tools. Only reads: takes no lock and
 * changes nothing, so it may be used beside the application that owns the directory; its result may
 * then be out of date. Damage is what the reader of leftovers also takes for damage.
 */
public final class SpillInspection {

  /** The state of a segment's events. */
  public enum State {
    /** All events are delivered, or in the next file as well; the file is about to be removed. */
    DELIVERED,
    /** At least one event waits to be delivered. */
    WAITING,
    /** An earlier start could not read or deliver the segment; the next one tries again. */
    ASIDE,
    /** A damaged file that was delivered as far as possible, and is kept for inspection. */
    KEPT,
    /** The header is damaged, or the file cannot be read. */
    UNREADABLE
  }

  /**
   * The directory of one owner.
   *
   * @param directory the spill directory, or a numbered subdirectory of it
   * @param owner the contents of the file {@code owner}, or null if there is none
   * @param segments the files, oldest first
   */
  public record Slot(Path directory, String owner, List<Segment> segments) {}

  /**
   * One segment file.
   *
   * @param path the file
   * @param state where its events are
   * @param kind what the payloads are, or null if unreadable
   * @param created when the segment was begun, or null if unreadable
   * @param modified when the file was last written
   * @param bytes size of the file
   * @param records number of intact records
   * @param events number of events in the intact records
   * @param waiting how many of these events are not known to be delivered
   * @param lost number of events that are known to be missing because of damage
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

  /** Receives every intact record. */
  @FunctionalInterface
  public interface Visitor {

    /**
     * Receives one record.
     *
     * @param segment the file that holds the record
     * @param kind what the payload is
     * @param record the record, with the bytes and the tag that were appended
     * @param delivered how many of its events, from the first on, are delivered
     * @throws IOException to end the inspection
     */
    void record(Path segment, SpillKind kind, SpillRecord record, int delivered) throws IOException;
  }

  /** Opens a file again if the application that owns the directory replaced it meanwhile. */
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

  /** By segment number: where reading resumes, as a prepended segment states it. */
  private final Map<Long, Cursor.Position> resumed = new HashMap<>();

  private SpillInspection(Disk files, Visitor visitor) {
    this.files = files;
    this.visitor = visitor;
  }

  /**
   * Reads a spill directory from end to end.
   *
   * @param directory the value of {@code spillDirectory}, or the default beside the log file
   * @param visitor receives every intact record
   * @return the slots: the directory itself and its numbered subdirectories, as far as they hold
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
      return; // delivered since it was listed
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
      Instant modified = found.modified().toInstant(); // the file may be gone later
      segments.add(
          new Reading(leftover.measured(file), state, file, header, next).read(from, modified));
    } catch (SegmentFormat.LaterFormatException e) {
      segments.add(unread(leftover.path(), State.UNREADABLE, found, List.of(e.getMessage())));
    }
  }

  /** Returns whether a crash in an eviction left this segment, part of the next one. */
  private boolean isWithin(Leftover leftover, Leftover next) {
    SegmentHeader header = next == null ? null : SegmentFormat.header(files, leftover);
    return header != null && header.isWithin(SegmentFormat.header(files, next));
  }

  /** Adds a file that is not read, unless it is gone since it was listed. */
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
