package io.spillway.internal.spill;

import io.spillway.internal.disk.Disk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.LinkedList;
import java.util.Queue;
import java.util.function.LongSupplier;

/**
 * Unlinks delivered segments, always after the cursor has been saved beyond them (with a sync
 * interval that is after the log has been forced to the disk), and keeps a copy of damaged ones. A
 * file that cannot be unlinked now is tried again. Reader thread only, or the writer in an
 * eviction, with the reader's monitor.
 */
final class Retirement {

  private static final String DELETE = "delete";

  /**
   * A file to be unlinked.
   *
   * @param live the segment if it is of this run, or null
   * @param end the cursor position when all of it was delivered, null if there was none
   * @param force the force of the log that must have succeeded, 0 if the cursor shows it
   * @param copied whether a copy replaces it, whose name must survive a power cut as well
   */
  private record Item(
      SpillSlot slot,
      Path path,
      long bytes,
      boolean damaged,
      LiveSegment live,
      Cursor.Position end,
      long force,
      boolean copied) {}

  private final Disk files;
  private final SpillListener listener;
  private final SpillCounters counters;
  private final SpillSlot own;
  private final SpillSyncer syncer;
  private final long corruptQuota;
  private final LongSupplier nanoClock;
  private final Queue<Item> items = new LinkedList<>();
  private long triedAtNanos;
  private boolean failing;
  private int openLeftovers;

  /** Loads the class that the first delivered segment needs, before memory may be short. */
  static void rehearse() {
    new Item(null, null, 0, false, null, null, 0, false).bytes();
  }

  Retirement(SpillContext context, SpillSlot own, SpillSyncer syncer) {
    this.syncer = syncer;
    files = context.files();
    listener = context.listener();
    counters = context.counters();
    nanoClock = context.nanoClock();
    corruptQuota = context.config().maxCorruptBytes();
    this.own = own;
  }

  void add(int leftovers) {
    openLeftovers += leftovers;
  }

  boolean leftoversSettled() {
    return openLeftovers == 0;
  }

  /** Retires a leftover that is not read. */
  void skipped(SpillSlot slot, SlotListing.Leftover leftover, boolean damaged) {
    items.add(
        new Item(
            slot,
            leftover.path(),
            leftover.counted(),
            damaged,
            null,
            slot.cursor.position(),
            0,
            false));
    settled(slot, leftover.counted());
  }

  /** Unlinks a file of delivered or copied events now or, after a failure, with other files. */
  void unlink(SpillSlot slot, Path path, long bytes) {
    Item item = new Item(slot, path, bytes, false, null, null, 0, true);
    if (!remove(item)) {
      items.add(item);
    }
  }

  /** Retires a file set aside whose events are settled; the next {@link #flush} unlinks it. */
  void readAgain(SpillSlot slot, Path path, long bytes, boolean damaged) {
    long force = syncer == null ? 0 : syncer.nextForce();
    items.add(new Item(slot, path, bytes, damaged, null, null, force, false));
  }

  void retire(SegmentReader segment) {
    LiveSegment live = segment.live;
    if (live != null) {
      live.drained(); // before the file is closed: the writer may read from it otherwise
    }
    listener.close(segment.file, segment.path);
    items.add(
        new Item(
            segment.slot,
            segment.path,
            live == null ? segment.leftoverSize : live.diskBytes(),
            segment.isDamaged(),
            live,
            segment.slot.cursor.position(),
            0,
            false));
    if (live == null) {
      settled(segment.slot, segment.leftoverSize - segment.settledOffset);
    }
  }

  /** Counts a leftover as no longer among those that are read in order. */
  void settled(SpillSlot slot, long bytes) {
    counters.leftoversSettled(bytes);
    openLeftovers--;
    slot.leftoversOpen--;
  }

  /** Unlinks everything due; returns false when something is left for later. */
  boolean flush() {
    if (items.isEmpty()) {
      return true;
    }
    long now = nanoClock.getAsLong();
    if (failing && now - triedAtNanos < Cursor.MAX_LAG_NANOS) {
      return false;
    }
    return flushNow(now);
  }

  boolean flushNow(long now) {
    triedAtNanos = now;
    boolean removed = false;
    SpillSlot unsaved = null;
    failing = false;
    for (Iterator<Item> left = items.iterator(); left.hasNext(); ) {
      Item item = left.next();
      SpillSlot slot = item.slot();
      follow(slot);
      if (slot == unsaved
          || slot.cursor.awaitsSyncer(item.end())
          || (item.force() > 0 && !syncer.isForced(item.force()))) {
        continue;
      }
      if (!slot.cursor.save()) {
        unsaved = slot;
        failing = true;
        continue;
      }
      if (!remove(item)) { // the others do not wait for it
        failing = true;
        continue;
      }
      removed = true;
      left.remove();
      if (slot != own && slot.leftoversOpen == 0 && slot.asidesOpen == 0 && noneOf(slot)) {
        slot.close(true);
      }
    }
    if (removed && !failing) {
      listener.succeeded(DELETE);
    }
    return items.isEmpty();
  }

  private boolean noneOf(SpillSlot slot) {
    for (Item item : items) {
      if (item.slot() == slot) {
        return false;
      }
    }
    return true;
  }

  private boolean remove(Item item) {
    if (item.live() != null) {
      item.live().retire(); // before the file is removed, so that no rewrite brings it back
    }
    try {
      Disk.State state = item.damaged() ? files.state(item.path()) : null;
      if (isReplaced(item)) {
        listener.notice(
            "replaced", item.path() + " is not the file that was delivered: left alone");
      } else if (state != null && state.regular()) {
        keepOrDelete(item);
      } else {
        if (item.copied() && syncer != null && files.exists(item.path())) {
          item.slot().forceNames(); // otherwise a power cut may take both files
        }
        files.delete(item.path());
      }
    } catch (IOException e) {
      listener.failed(DELETE, item.path(), e);
      return false;
    }
    if (item.live() != null && syncer != null) {
      syncer.unlinked(item.live());
    }
    counters.segmentBytes.addAndGet(-item.bytes()); // last: it must not be repeated
    return true;
  }

  /** Returns whether the directory was removed and another process now has the names in it. */
  private boolean isReplaced(Item item) throws IOException {
    LiveSegment live = item.live();
    return live == null
        ? item.slot().isReplaced()
        : files.state(item.path()) != null && !live.isNamed(files);
  }

  private void keepOrDelete(Item item) throws IOException {
    if (counters.corruptBytes.get() + item.bytes() > corruptQuota) {
      files.delete(item.path());
      listener.notice("deleted", item.path() + " was damaged; deleted, enough copies are kept");
      return;
    }
    Path copy = item.path().resolveSibling(item.path().getFileName() + SlotListing.KEPT_ENDING);
    files.replace(item.path(), copy);
    counters.corruptBytes.addAndGet(item.bytes());
    item.slot().corruptBytes += item.bytes();
    listener.notice("kept", "kept the damaged segment as " + copy);
  }

  /**
   * If the directory of a slot was removed and created again, lets the cursor file be created
   * again, and counts the kept copies, which may be gone.
   */
  void follow(SpillSlot slot) {
    if (!slot.followReplacement()) {
      return;
    }
    try {
      long kept = SlotListing.read(files, slot.directory, listener).corruptBytes();
      counters.corruptBytes.addAndGet(kept - slot.corruptBytes);
      slot.corruptBytes = kept;
    } catch (IOException e) {
      listener.onFailure("list", slot.directory, e); // the count stays as it was
    }
  }
}
