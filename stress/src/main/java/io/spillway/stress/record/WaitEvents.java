package io.spillway.stress.record;

import java.util.Set;

/** The flight recorder's names for the ways in which a thread waits or is stopped. */
public final class WaitEvents {

  static final String PARK = "jdk.ThreadPark";

  /** A thread waits to enter a monitor. */
  public static final String MONITOR_ENTER = "jdk.JavaMonitorEnter";

  static final String MONITOR_WAIT = "jdk.JavaMonitorWait";

  /** A thread sleeps. */
  public static final String SLEEP = "jdk.ThreadSleep";

  static final String COLLECTION = "jdk.GarbageCollection";
  static final String HEAP = "jdk.GCHeapSummary";
  static final String SAFEPOINT = "jdk.SafepointBegin";

  /** The recorder dropped events. */
  public static final String DATA_LOSS = "jdk.DataLoss";

  /** Those that count as waiting, if a logging frame is below them. */
  public static final Set<String> WAITS = Set.of(PARK, MONITOR_ENTER, MONITOR_WAIT, SLEEP);

  private static final int LEAVES_CARRIER_TO_WAIT = 24;

  /** Those that are recorded of a virtual thread that could not leave its carrier. */
  static final Set<String> PINNED =
      Runtime.version().feature() >= LEAVES_CARRIER_TO_WAIT
          ? Set.of(PARK, MONITOR_ENTER)
          : Set.of(PARK, MONITOR_ENTER, MONITOR_WAIT);

  private WaitEvents() {}
}
