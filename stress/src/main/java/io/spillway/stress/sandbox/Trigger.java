package io.spillway.stress.sandbox;

/** What makes a file roll over. */
public enum Trigger {
  /** It never does. */
  NONE,
  /** Its size. */
  SIZE,
  /** The clock alone. */
  CLOCK
}
