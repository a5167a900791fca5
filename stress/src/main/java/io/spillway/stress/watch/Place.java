package io.spillway.stress.watch;

import java.util.List;

/**
 * The place where a thread waits; waits with the same reason and frame are counted together.
 *
 * @param reason whether the thread is held up, and whether by logging
 * @param frame class and method that names the place for readers
 * @param call the JDK's method that waits, such as {@code ReentrantLock.lock}, or {@code monitor}
 * @param stack the stack from which {@link WaitRule} derived the place, the innermost frame first
 */
record Place(Reason reason, String frame, String call, List<Frame> stack) {

  /** The key by which waits are counted together. */
  record Key(Reason reason, String frame) {}

  Key key() {
    return new Key(reason, frame);
  }

  /** The reason why a thread does not run. */
  enum Reason {
    /** Held up inside a log call. */
    LOGGING,
    /** Held up elsewhere. */
    OTHER,
    /** Waits for work, or sleeps by its own schedule; nothing holds it up. */
    IDLE
  }

  /**
   * One frame of a stack.
   *
   * @param type the class, with its package
   * @param method the method's name
   */
  record Frame(String type, String method) {

    /** Reads {@code package.Type.method}. */
    static Frame of(String qualified) {
      int dot = qualified.lastIndexOf('.');
      return dot < 0
          ? new Frame("", qualified)
          : new Frame(qualified.substring(0, dot), qualified.substring(dot + 1));
    }

    @Override
    public String toString() {
      return type.isEmpty() ? method : type + "." + method;
    }
  }
}
