package io.spillway.internal.spill;

/** What the payloads of a spill are. Stored in every segment header. */
public enum SpillKind {
  /** Encoded logging events. */
  EVENTS,
  /** Bytes as they go into the log file. */
  BYTES
}
