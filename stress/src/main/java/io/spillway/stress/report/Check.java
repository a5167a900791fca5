package io.spillway.stress.report;

/**
 * One thing that was looked at to reach a verdict, and what was seen: the evidence.
 *
 * @param what was looked at
 * @param allowed at most, or what it has to be, for readers
 * @param seen for readers
 * @param verdict {@code violated} if it breaks a promise, {@code inconclusive} if for its sake the
 *     trial tells too little
 * @param reason a sentence for the verdict, or null if it passed, or if another check says why it
 *     tells nothing
 */
public record Check(String what, String allowed, String seen, Verdict verdict, String reason) {

  static Check promise(String what, String allowed, String seen, boolean held, String reason) {
    Verdict verdict = held ? Verdict.PASSED : Verdict.VIOLATED;
    return new Check(what, allowed, seen, verdict, held ? null : reason);
  }

  /** Without it the trial shows too little. */
  static Check condition(String what, String allowed, String seen, boolean met, String reason) {
    Verdict verdict = met ? Verdict.PASSED : Verdict.INCONCLUSIVE;
    return new Check(what, allowed, seen, verdict, met ? null : reason);
  }
}
