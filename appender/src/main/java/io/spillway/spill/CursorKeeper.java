package io.spillway.spill;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Decides when the cursor goes to the file, so that a crash repeats at most {@link #MAX_LAG_EVENTS}
 * events or {@link #MAX_LAG_NANOS} of them. Reader thread only.
 */
final class CursorKeeper {

  static final int MAX_LAG_EVENTS = 1024;
  static final long MAX_LAG_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private static final String SAVE = "save the cursor";

  private final Cursor cursor;
  private final Faults faults;
  private final LongSupplier nanoClock;
  private Cursor.Position position;
  private boolean dirty;
  private long unsavedEvents;
  private long savedAtNanos;

  CursorKeeper(Cursor cursor, Cursor.Position position, Faults faults, LongSupplier nanoClock) {
    this.cursor = cursor;
    this.position = position;
    this.faults = faults;
    this.nanoClock = nanoClock;
    this.savedAtNanos = nanoClock.getAsLong();
  }

  Cursor.Position position() {
    return position;
  }

  void advance(Cursor.Position newPosition, long events) {
    position = newPosition;
    dirty = true;
    unsavedEvents += events;
  }

  /** The record about to be delivered may itself exceed the lag; what is before it must not add. */
  void beforeDelivery(int events) {
    if (unsavedEvents > 0 && unsavedEvents + events > MAX_LAG_EVENTS) {
      save();
    }
  }

  void saveIfDue() {
    if (dirty
        && (unsavedEvents >= MAX_LAG_EVENTS
            || nanoClock.getAsLong() - savedAtNanos >= MAX_LAG_NANOS)) {
      save();
    }
  }

  /** The directory was replaced and the file with it. */
  void fileLost() {
    try {
      cursor.close();
    } catch (IOException e) {
      faults.failed(SAVE, cursor.path(), e);
    }
    dirty = position != null;
  }

  /** True when the file says what {@link #position} says. */
  boolean save() {
    if (!dirty) {
      return true;
    }
    savedAtNanos = nanoClock.getAsLong();
    try {
      cursor.save(position);
    } catch (IOException e) {
      faults.failed(SAVE, cursor.path(), e);
      return false;
    }
    dirty = false;
    unsavedEvents = 0;
    faults.succeeded(SAVE);
    return true;
  }

  void sync() {
    try {
      cursor.sync();
    } catch (IOException e) {
      faults.failed("sync the cursor", cursor.path(), e);
    }
  }

  void close() {
    try {
      cursor.close();
    } catch (IOException e) {
      faults.failed(SAVE, cursor.path(), e);
    }
  }
}
