package io.spillway.stress.watch;

import java.util.List;

/**
 * A stack and the place that the rule found in it.
 *
 * @param place where the thread waits
 * @param stack its frames, the innermost first
 */
record Located(Place place, List<Frame> stack) {

  static Located of(List<Frame> stack, boolean entersMonitor) {
    return new Located(WaitRule.place(stack, entersMonitor), stack);
  }
}
