package io.spillway.stress.report;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** What a check, a trial or a run has shown; later constants outweigh earlier ones. */
public enum Verdict {
  /** Every limit was kept. */
  PASSED,
  /** It cannot be told: the rotation did not show, or the machine itself was late. */
  INCONCLUSIVE,
  /** A limit was broken. */
  VIOLATED;

  /** Returns the verdict that outweighs the others; passed if there are none. */
  static Verdict of(List<Verdict> verdicts) {
    return verdicts.stream().max(Comparator.naturalOrder()).orElse(PASSED);
  }

  @JsonValue
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
