package io.spillway.internal.spill;

import io.spillway.internal.disk.Disk;
import io.spillway.internal.disk.DiskFile;
import io.spillway.internal.spill.SegmentFormat.SegmentHeader;
import io.spillway.internal.spill.SlotListing.Leftover;
import io.spillway.internal.spill.SlotListing.Rest;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedList;
import java.util.List;
import java.util.Queue;

/**
 * Opens the segments of earlier runs one after the other, slot by slot, and counts the events
 * missing between them. Reader thread only, or the writer in an eviction, with the reader's
 * monitor.
 */
final class Leftovers {

  private final Disk files;
  private final SpillListener listener;
  private final SpillCounters counters;
  private final SpillKind kind;
  private final Retirement retirement;
  private final SetAside setAside;
  private final Queue<SpillSlot> slots = new LinkedList<>();
  private SpillSlot slot;
  private SegmentReader through; // the last one that was finished
  private int index;
  private long expected = -1;
  private boolean expectedByCursor; // known from the cursor only: no segment read so far ends there
  private Cursor.Position resume; // in the next segment, as the last prepended one states
  private long previous;
  private Path unknownLoss;
  private long unknownNumber;
  private int unreadable; // unreadable segments since the last one that was read
  private long openEnded; // number of the file set aside last, if its end is unknown; else 0

  Leftovers(SpillContext context, Retirement retirement, SetAside setAside) {
    files = context.files();
    listener = context.listener();
    counters = context.counters();
    kind = context.config().kind();
    this.retirement = retirement;
    this.setAside = setAside;
  }

  /** Begins with all slots. Called before any read, and again if more slots are found by then. */
  void begin(List<SpillSlot> all) {
    slot = null;
    slots.clear();
    for (SpillSlot each : all) {
      if (!each.listing.isEmpty()) {
        slots.add(each);
      }
    }
    nextSlot();
  }

  boolean isExhausted() {
    return slot == null;
  }

  private void nextSlot() {
    do {
      if (slot != null) {
        passAsides(Long.MAX_VALUE);
      }
      reportUnknownLoss();
      slot = slots.poll();
      index = 0;
      resume = null;
      openEnded = 0;
      Cursor.Position position = slot == null ? null : slot.cursor.position();
      expected = position == null ? -1 : position.sequence();
      expectedByCursor = position != null && !slot.segmentAtCursorFound;
      previous = position == null ? -1 : position.segment() - 1;
    } while (slot != null && slot.leftovers().isEmpty());
  }

  private void reportUnknownLoss() {
    if (unknownLoss != null) {
      Path path = unknownLoss;
      unknownLoss = null; // first: it is counted once
      unreadable = 0;
      listener.recordsLost(1, path, "unreadable; how many events is unknown", true);
    }
    unreadable = 0;
  }

  /** Returns the next segment with something to read in it, or null after the last one. */
  SegmentReader next() throws IOException {
    while (slot != null) {
      while (index < slot.leftovers().size()) {
        SegmentReader reader = open(slot.leftovers().get(index));
        index++;
        if (reader != null) {
          return reader;
        }
      }
      nextSlot();
    }
    return null;
  }

  private SegmentReader open(Leftover listed) throws IOException {
    passAsides(listed.number());
    DiskFile file;
    try {
      file = files.openForReading(listed.path());
    } catch (NoSuchFileException e) {
      listener.notice("missing", listed.path() + " is missing");
      return skip(listed, true);
    }
    SegmentReader reader = null;
    try {
      Leftover leftover = measured(listed, file);
      SegmentHeader header = SegmentFormat.header(file, leftover);
      if (header == null) {
        return skip(
            leftover,
            leftover.size() > SegmentFormat.SEGMENT_HEADER
                || SegmentFormat.hasWholeHeader(file, leftover)
                || hadRecords(leftover));
      }
      if (header.kind() != kind) {
        listener.notice("kind", leftover.path() + " is of kind " + header.kind() + ": left alone");
        retirement.settled(slot, leftover.size()); // the file stays
        return null;
      }
      if (isWithinNext(leftover, header)) {
        retirement.skipped(slot, leftover, false);
        return null;
      }
      reader = reader(leftover, file, header);
      return reader;
    } finally {
      if (reader == null) {
        listener.close(file, listed.path());
      }
    }
  }

  /** Returns the leftover with its size, which may have been unknown and counted as zero. */
  private Leftover measured(Leftover listed, DiskFile file) throws IOException {
    Leftover measured = listed.measured(file);
    if (measured != listed) {
      slot.leftovers().set(index, measured);
      counters.leftoversSettled(-measured.size());
      counters.segmentBytes.addAndGet(measured.size());
    }
    return measured;
  }

  /** Returns whether a crash in an eviction left this segment, part of the next one. */
  private boolean isWithinNext(Leftover leftover, SegmentHeader header) {
    Cursor.Position position = slot.cursor.position();
    return index + 1 < slot.leftovers().size()
        && (position == null || position.segment() < leftover.number())
        && header.isWithin(SegmentFormat.header(files, slot.leftovers().get(index + 1)));
  }

  /** Returns the slots with leftovers that are not open yet, in order. */
  List<SpillSlot> slots() {
    List<SpillSlot> all = new ArrayList<>();
    if (slot != null) {
      all.add(slot);
    }
    all.addAll(slots);
    return all;
  }

  /** Returns the index of the first leftover of a slot that is not open yet. */
  int firstUnread(SpillSlot of) {
    return of == slot ? index : 0;
  }

  /** Returns whether the first unread leftover of a slot is not read from its beginning. */
  boolean isResumed(SpillSlot of) {
    return of == slot && resume != null;
  }

  /**
   * Returns whether a file without a header was truncated, rather than just begun when a crash
   * came. The cursor or the next segment shows that.
   */
  private boolean hadRecords(Leftover leftover) {
    Cursor.Position position = slot.cursor.position();
    if (position != null && position.segment() == leftover.number()) {
      return true;
    }
    SegmentHeader next = headerBehind(leftover.number(), index + 1);
    return next != null
        && expected >= 0
        && next.number() - leftover.number() == SegmentFormat.NUMBER_STEP
        && next.firstSequence() > Math.max(expected, next.runSequence());
  }

  private SegmentReader skip(Leftover leftover, boolean lossy) {
    if (lossy) {
      unknown(leftover.path(), leftover.number());
    }
    retirement.skipped(slot, leftover, lossy);
    return null;
  }

  private void unknown(Path path, long number) {
    if (path != unknownLoss) {
      unreadable++;
    }
    unknownLoss = path;
    unknownNumber = number;
    openEnded = 0; // events missing behind it are reported as an unknown number
  }

  private SegmentReader reader(Leftover leftover, DiskFile file, SegmentHeader header) {
    SegmentHeader next =
        index + 1 < slot.leftovers().size()
            ? SegmentFormat.header(files, slot.leftovers().get(index + 1))
            : null;
    SegmentReader reader = new SegmentReader(slot, leftover, file, header, listener);
    reader.endsBefore(next);
    if (reader.limit() < leftover.size()) {
      reportMore(leftover.path(), leftover.size() - reader.limit());
    }
    start(reader, leftover, header);
    return reader;
  }

  private void reportMore(Path path, long bytes) {
    listener.warning(
        "more",
        "["
            + path
            + "] has "
            + bytes
            + " bytes behind its last record, which are not read; nothing is missing. A write that"
            + " failed may have left them. To do: if none did, find out who else writes there.");
  }

  private void start(SegmentReader reader, Leftover leftover, SegmentHeader header) {
    long limit = reader.limit();
    long due = expected;
    endAsideBefore(header, header.firstSequence());
    Cursor.Position begun = begun(leftover);
    if (begun != null) { // if the file is cut before that offset, its rest was delivered
      reader.startAt(Math.min(begun.offset(), limit), begun.sequence());
    } else if (due >= 0) {
      long lost = header.firstSequence() - Math.max(due, header.runSequence());
      if (lost > 0 && expectedByCursor && unknownLoss == null) {
        reportOldCursor(lost, leftover.path());
      } else if (lost > 0) {
        boolean missing = unknownLoss == null;
        Path path = missing ? missingBefore(leftover) : unknownLoss;
        boolean neighbour = leftover.number() - unknownNumber <= SegmentFormat.NUMBER_STEP;
        if (unreadable <= 1 && neighbour || due >= header.runSequence()) {
          unknownLoss = null; // else some of the events may be of the run before
        }
        expected = header.firstSequence(); // first: the listener may throw, this is repeated
        listener.recordsLost(lost, path, missing ? "missing" : "unreadable", true);
      }
    }
    reportUnknownLoss();
    previous = leftover.number();
  }

  /** Returns where reading resumes in a partly delivered segment; null if it is not known to be. */
  private Cursor.Position begun(Leftover leftover) {
    Cursor.Position position = slot.cursor.position();
    boolean known =
        position != null
            && position.segment() == leftover.number()
            && position.offset() >= SegmentFormat.SEGMENT_HEADER;
    Cursor.Position begun = known ? position : resume;
    return begun != null && begun.segment() == leftover.number() ? begun : null;
  }

  /** Returns the first segment that should be there; the leftover itself if that is unknown. */
  private Path missingBefore(Leftover leftover) {
    long number = (previous / SegmentFormat.NUMBER_STEP + 1) * SegmentFormat.NUMBER_STEP;
    boolean known = previous >= 0 && number < leftover.number();
    return known ? SlotListing.segmentPath(slot.directory, number) : leftover.path();
  }

  /**
   * Warns that the cursor is older than the segments. Retirement saves the cursor before it unlinks
   * a segment, but a power cut may preserve only the unlinking.
   */
  private void reportOldCursor(long events, Path before) {
    listener.warning(
        "cursor " + slot.directory,
        "The cursor of ["
            + slot.directory
            + "] is older than its segments: "
            + events
            + " events before ["
            + before
            + "] were delivered before, unless their files were removed by hand. They are"
            + " not counted as lost. To do: compare the log with what was logged, if that"
            + " matters; spillSync keeps the cursor up to date.");
  }

  /** Passes files set aside before a segment number: their events are not missing. */
  private void passAsides(long number) {
    long last = previous;
    for (SlotListing.Aside aside : slot.listing.asides()) {
      if (aside.number() > previous && aside.number() < number) {
        pass(aside);
        last = aside.number();
      }
    }
    previous = last;
  }

  /**
   * Passes a file set aside. Events missing before it and behind it are counted when it has been
   * read; for that it is noted where its neighbours end and begin.
   */
  private void pass(SlotListing.Aside aside) {
    Rest rest = aside.rest();
    SegmentHeader header = SegmentFormat.header(files, aside.file());
    if (header != null && header.kind() != kind) {
      return;
    }
    boolean unread = rest.offset() == SegmentFormat.SEGMENT_HEADER;
    Cursor.Position behind =
        header == null ? null : header.behind(Math.max(header.endSequence(null), rest.end()));
    if (behind != null) { // null for a single record of that segment
      resume = behind;
    }
    if (header != null) {
      boolean due = unread && rest.sequence() > 0;
      endAsideBefore(
          header, due ? Math.min(rest.sequence(), header.firstSequence()) : header.firstSequence());
    }
    if (unread && expected >= 0 && unknownLoss == null) {
      if (!expectedByCursor) {
        setAside.beginsAt(slot, aside.number(), expected);
      } else if (header != null
          && header.firstSequence() > Math.max(expected, header.runSequence())) {
        reportOldCursor(
            header.firstSequence() - Math.max(expected, header.runSequence()), aside.path());
      }
    }
    reportUnknownLoss();
    boolean segment = header != null && header.firstSequence() > header.runSequence();
    // Otherwise the file may be a single record of any segment.
    boolean known = rest.end() > 0 && (expected >= 0 || segment);
    expected = known ? Math.max(expected, rest.end()) : -1;
    openEnded = rest.end() > 0 ? 0 : aside.number();
  }

  /** Ends the file set aside last where the next file begins, unless that begins a run. */
  private void endAsideBefore(SegmentHeader header, long sequence) {
    if (openEnded > 0 && header.firstSequence() > header.runSequence()) {
      setAside.endsAt(slot, openEnded, sequence);
    }
    openEnded = 0;
  }

  /**
   * Returns the header of the file that follows a segment and was not read yet, or null. The file
   * may be one that an earlier run set aside.
   *
   * @param at index of the next leftover
   */
  private SegmentHeader headerBehind(long number, int at) {
    Leftover next = at < slot.leftovers().size() ? slot.leftovers().get(at) : null;
    for (SlotListing.Aside aside : slot.listing.asides()) {
      if (aside.number() > number && (next == null || aside.number() < next.number())) {
        next = aside.file();
      }
    }
    SegmentHeader header = next == null ? null : SegmentFormat.header(files, next);
    return header != null && header.kind() == kind ? header : null;
  }

  /** Sets aside the segment that could not be opened. The report is last: it needs memory. */
  void setAside() {
    Leftover leftover = slot.leftovers().get(index);
    SegmentHeader next = headerBehind(leftover.number(), index + 1);
    boolean known = next != null && next.firstSequence() > next.runSequence();
    long end = known ? next.firstSequence() : 0;
    Path waitsAs = setAside.segment(slot, leftover, rest(leftover, end), false);
    index++;
    retirement.settled(slot, leftover.counted());
    noteSetAside(leftover.number(), known ? end : -1);
    setAside.reportUnreadable(leftover.path(), waitsAs);
  }

  private Rest rest(Leftover leftover, long end) {
    Cursor.Position begun = begun(leftover);
    if (begun != null) {
      return new Rest(begun.offset(), begun.sequence(), end);
    }
    // Missing events before it are counted when it can be read, unless reported otherwise.
    boolean counted = expectedByCursor || unknownLoss != null;
    long sequence = counted ? 0 : Math.max(0, expected);
    return new Rest(SegmentFormat.SEGMENT_HEADER, sequence, end);
  }

  /**
   * Sets aside the rest of the segment opened last.
   *
   * @return the path under which it waits; the caller, which has the segment open, reports it
   */
  Path setAside(SegmentReader reader, long offset) {
    SegmentHeader next = reader.slot == slot ? headerBehind(reader.number, index) : null;
    Cursor.Position behind = reader.behind();
    boolean told = behind != null || reader.knowsEnd(); // the end may be within the next segment
    boolean known = told || next != null && next.runSequence() <= reader.firstSequence;
    long end = told ? reader.end() : known ? next.firstSequence() : 0;
    if (known) {
      reader.endsAt(end);
    }
    if (reader.leave()) {
      unknownLoss = reader.path;
      reportUnknownLoss();
    }
    Leftover leftover = new Leftover(reader.path, reader.number, reader.leftoverSize);
    Path waitsAs =
        setAside.segment(
            reader.slot, leftover, new Rest(offset, reader.expected(), end), reader.isDamaged());
    retirement.settled(reader.slot, leftover.size() - reader.settledOffset);
    if (reader.slot == slot) {
      noteSetAside(reader.number, known ? end : next == null ? -1 : reader.expected());
      resume = behind;
    }
    return waitsAs;
  }

  /**
   * Continues behind a segment set aside. Events missing before its end are counted with it, events
   * missing behind its end are not.
   */
  private void noteSetAside(long number, long end) {
    expected = end;
    openEnded = end < 0 ? number : 0;
    expectedByCursor = false;
    resume = null; // next() goes on to the next slot, which needs memory
  }

  /** Skips the empty segment whose only purpose is to state where the one before it ends. */
  private void passEnd() {
    Leftover next = index < slot.leftovers().size() ? slot.leftovers().get(index) : null;
    if (next == null || next.size() != SegmentFormat.SEGMENT_HEADER) {
      return;
    }
    SegmentHeader header = SegmentFormat.header(files, next);
    if (header != null && header.kind() == kind && header.firstSequence() == expected) {
      retirement.skipped(slot, next, false);
      previous = next.number();
      index++;
    }
  }

  /** Notes that the reader has finished a segment. If this throws, it is called again. */
  void finished(SegmentReader reader) {
    if (reader != through) {
      end(reader);
      through = reader;
    }
    if (slot != null && index >= slot.leftovers().size()) {
      nextSlot();
    }
  }

  private void end(SegmentReader reader) {
    if (reader.finish()) {
      unknown(reader.path, reader.number);
    } else if (reader.hasMore()) {
      reportMore(reader.path, reader.leftoverSize - reader.goodEnd());
    }
    if (reader.slot == slot) {
      resume = reader.behind();
      expected = reader.expected();
      expectedByCursor = false;
      passEnd();
    }
  }
}
