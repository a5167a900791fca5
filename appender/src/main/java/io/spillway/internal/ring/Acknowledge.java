package io.spillway.internal.ring;

/** What a log call waits for before it returns. */
public enum Acknowledge {
  /** Waits for nothing. The default. */
  NONE,
  /** Waits until the write of the event to the spill has returned. */
  WRITTEN,
  /** Waits until the fsync of the event in the spill has returned. */
  SYNCED
}
