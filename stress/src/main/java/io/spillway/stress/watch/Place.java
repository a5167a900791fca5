package io.spillway.stress.watch;

/**
 * Where a thread waits; waits at the same reason and frame are counted together.
 *
 * @param reason whether it is held up, and whether by logging
 * @param frame class and method that a reader should look at
 * @param call the JDK's method that waits, such as {@code ReentrantLock.lock}, or {@code monitor}
 */
record Place(Reason reason, String frame, String call) {

  /** What is counted together. */
  record Key(Reason reason, String frame) {}

  Key key() {
    return new Key(reason, frame);
  }
}
