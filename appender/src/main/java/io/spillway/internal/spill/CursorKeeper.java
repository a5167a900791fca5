package io.spillway.internal.spill;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Decides when the cursor goes to the file, so that a crash repeats at most {@link #MAX_LAG_EVENTS}
 * events or {@link #MAX_LAG_NANOS} of them. With a sync interval it decides nothing: the syncer
 * saves a position once the destination of everything before it is forced to the disk.
 *
 * <p>Concurrency: the reader advances, and saves unless the syncer does. {@code position} is stored
 * after the sink took what is before it; were that weaker, the syncer could save a position whose
 * bytes the log had not got when it was forced. {@code saved} is stored after the file is written;
 * were that weaker, a segment could be unlinked before the cursor is beyond it. The file is used
 * under this object's monitor, for which the reader waits only when a directory was replaced or a
 * slot is closed.
 */
final class CursorKeeper {

  static final int MAX_LAG_EVENTS = 1024;
  static final long MAX_LAG_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private static final String SAVE = "save the cursor";

  private final Cursor cursor;
  private final Faults faults;
  private final LongSupplier nanoClock;
  private volatile Cursor.Position position;
  private volatile Cursor.Position saved; // null if the file does not say
  private boolean savedBySyncer; // set before any thread starts
  private boolean closed; // under the monitor
  private long unsavedEvents;
  private long savedAtNanos;

  CursorKeeper(Cursor cursor, Cursor.Position position, Faults faults, LongSupplier nanoClock) {
    this.cursor = cursor;
    this.position = position;
    this.saved = position;
    this.faults = faults;
    this.nanoClock = nanoClock;
    this.savedAtNanos = nanoClock.getAsLong();
  }

  /** Only what is forced is saved from now on. Before any other thread comes. */
  void leaveToSyncer() {
    savedBySyncer = true;
  }

  Cursor.Position position() {
    return position;
  }

  void advance(Cursor.Position newPosition, long events) {
    position = newPosition;
    unsavedEvents += events;
  }

  /** The record about to be delivered may itself exceed the lag; what is before it must not add. */
  void beforeDelivery(int events) {
    if (unsavedEvents > 0 && unsavedEvents + events > MAX_LAG_EVENTS) {
      save();
    }
  }

  void saveIfDue() {
    if (unsavedEvents >= MAX_LAG_EVENTS || nanoClock.getAsLong() - savedAtNanos >= MAX_LAG_NANOS) {
      save();
    }
  }

  /** The directory was replaced and the file with it. */
  synchronized void fileLost() {
    try {
      cursor.close();
    } catch (IOException e) {
      faults.failed(SAVE, cursor.path(), e);
    }
    saved = null;
  }

  /** True when the file says what {@link #position} says, or when the syncer sees to that. */
  boolean save() {
    if (savedBySyncer) {
      return true;
    }
    boolean done = !isBehind() || write(position);
    if (done) {
      unsavedEvents = 0;
    }
    return done;
  }

  /** Syncer: what is before the position is on the disk, so the position goes there. */
  synchronized void saveForced(Cursor.Position forced) {
    if (!position.isBefore(forced)) { // else it was set back to what must come first
      write(forced);
    }
  }

  /** Saves whatever waits to be forced, with no other thread at work but the syncer. */
  synchronized boolean saveAtOnce() {
    return write(position);
  }

  private synchronized boolean write(Cursor.Position wanted) {
    if (closed) {
      return false; // the directory may have a new owner
    }
    savedAtNanos = nanoClock.getAsLong();
    try {
      cursor.save(wanted);
      if (savedBySyncer) {
        cursor.sync();
      }
    } catch (IOException e) {
      faults.failed(SAVE, cursor.path(), e);
      return false;
    }
    saved = wanted;
    faults.succeeded(SAVE);
    return true;
  }

  /** Whether something is delivered of which the file does not know. */
  boolean isBehind() {
    Cursor.Position now = position;
    Cursor.Position known = saved;
    return now != known && (now == null || known == null || !now.isAt(known));
  }

  /** Whether the syncer has still to save a position as far as that. */
  boolean awaitsSyncer(Cursor.Position end) {
    Cursor.Position now = saved;
    return savedBySyncer && end != null && (now == null || now.isBefore(end));
  }

  synchronized void close() {
    closed = true;
    try {
      cursor.close();
    } catch (IOException e) {
      faults.failed(SAVE, cursor.path(), e);
    }
  }
}
