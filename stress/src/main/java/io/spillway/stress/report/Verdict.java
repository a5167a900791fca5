package io.spillway.stress.report;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** What a trial has shown. */
public enum Verdict {
  /** Rotated, and no promise was broken. */
  PASSED,
  /** At least one promise was broken. */
  VIOLATED,
  /** The trial did not show enough to tell. */
  INCONCLUSIVE;

  @JsonValue
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
