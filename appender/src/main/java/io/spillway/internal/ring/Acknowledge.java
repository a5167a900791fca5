package io.spillway.internal.ring;

/** What a log call waits for before it returns. */
public enum Acknowledge {
  /** Nothing. The default. */
  NONE,
  /** The write of its event to the spill has returned. */
  WRITTEN,
  /** The fsync of that has returned. */
  SYNCED
}
