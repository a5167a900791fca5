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

  /** A file's content is forced to its device. */
  static final String FORCE = "jdk.FileForce";

  /** Input and output, for which a thread waits as for a lock. */
  static final Set<String> IO =
      Set.of(FORCE, "jdk.FileWrite", "jdk.FileRead", "jdk.SocketWrite", "jdk.SocketRead");

  /** A thread requests a collection of the whole heap. */
  static final String COLLECTION_ASKED_FOR = "jdk.SystemGC";

  /** A periodic sample of what a thread executes. */
  static final String EXECUTION = "jdk.ExecutionSample";

  static final String COLLECTION = "jdk.GarbageCollection";

  /** The recorder dropped events. */
  public static final String DATA_LOSS = "jdk.DataLoss";

  /** The events that count as waiting if a logging frame is on the stack. */
  public static final Set<String> WAITS = Set.of(PARK, MONITOR_ENTER, MONITOR_WAIT, SLEEP);

  /** A thread waits for a socket or a file. */
  public static final Set<String> SYSTEM_CALLS =
      Set.of("jdk.SocketRead", "jdk.SocketWrite", "jdk.FileRead", "jdk.FileWrite", "jdk.FileForce");

  private WaitEvents() {}
}
