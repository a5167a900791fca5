package io.spillway.internal.route;

/** When batches go through the spill. */
public enum SpillMode {
  /** Only when the memory hand-off is full, and then until the spill is empty. The default. */
  OVERFLOW,
  /**
   * Every batch, so that a killed process loses at most the events that the drainer has not spilled
   * yet. Memory is used only while the spill fails.
   */
  ALWAYS
}
