package io.spillway.stress.watch;

import java.util.List;
import java.util.Set;

/**
 * One thread in a thread dump.
 *
 * @param id the Java thread id
 * @param name its name
 * @param state a {@link Thread.State}
 * @param stack its frames, the innermost first
 * @param waitsFor the monitor it waits to enter, or null
 * @param owns monitors it has entered
 */
record ThreadSample(
    long id,
    String name,
    Thread.State state,
    List<Frame> stack,
    String waitsFor,
    Set<String> owns) {

  boolean blocked() {
    return state == Thread.State.BLOCKED;
  }

  boolean waiting() {
    return blocked() || state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING;
  }
}
