package io.spillway.stress.report;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** Why a trial is part of a run. */
public enum Role {
  /** Shown for comparison: what it breaks is a fact, not a failure of the run. */
  PEER,
  /** Held to the promises: what it breaks fails the run. */
  SUBJECT;

  @JsonValue
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
