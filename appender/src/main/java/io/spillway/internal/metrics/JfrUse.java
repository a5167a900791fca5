package io.spillway.internal.metrics;

import jdk.jfr.FlightRecorder;

/** Apart, so that to ask loads nothing of {@code jdk.jfr} but one class, and no event. */
final class JfrUse {
  private JfrUse() {}

  /** Whether anybody in this process has made a recording; stays so. */
  static boolean isBegun() {
    return FlightRecorder.isInitialized();
  }
}
