package io.spillway.stress.watch;

/** Why a thread does not run. */
enum Reason {
  /** Held up inside a log call. */
  LOGGING,
  /** Held up elsewhere. */
  OTHER,
  /** Waits for work, or for its own clock: no trouble. */
  IDLE
}
