package io.spillway.stress.record;

import java.util.Set;
import java.util.concurrent.locks.LockSupport;

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

  /** What the JVM does while all threads are stopped, and the thread that requested it. */
  static final String OPERATION = "jdk.ExecuteVMOperation";

  static final String SAFEPOINT_END = "jdk.SafepointEnd";

  static final String COLLECTION = "jdk.GarbageCollection";
  static final String HEAP = "jdk.GCHeapSummary";
  static final String SAFEPOINT = "jdk.SafepointBegin";

  /** The recorder dropped events. */
  public static final String DATA_LOSS = "jdk.DataLoss";

  /** The events that count as waiting if a logging frame is on the stack. */
  public static final Set<String> WAITS = Set.of(PARK, MONITOR_ENTER, MONITOR_WAIT, SLEEP);

  /** A thread waits for a socket or a file. */
  public static final Set<String> SYSTEM_CALLS =
      Set.of("jdk.SocketRead", "jdk.SocketWrite", "jdk.FileRead", "jdk.FileWrite", "jdk.FileForce");

  private static final int LEAVES_CARRIER_TO_WAIT = 24;

  /**
   * The waits that are recorded for a virtual thread that could not leave its carrier. A sleep is
   * not among them: such a thread sleeps by a park. Besides, Java code writes the sleep event,
   * which for a virtual thread overwrites what its carrier has written (JDK 25.0.3).
   */
  static final Set<String> PINNED =
      Runtime.version().feature() >= LEAVES_CARRIER_TO_WAIT
          ? Set.of(PARK, MONITOR_ENTER)
          : Set.of(PARK, MONITOR_ENTER, MONITOR_WAIT);

  private WaitEvents() {}

  /**
   * Returns how a virtual thread that has left its carrier waits. The JDK's frames on top of the
   * stack show it; a wait to enter a monitor has none.
   *
   * @return the recorder's event, or null for a yield
   */
  static String kind(StackTraceElement[] stack) {
    for (StackTraceElement frame : stack) {
      String type = frame.getClassName();
      String method = frame.getMethodName();
      if (type.equals(LockSupport.class.getName())) {
        return PARK;
      } else if (type.equals(Object.class.getName()) && method.startsWith("wait")) {
        return MONITOR_WAIT;
      } else if (type.equals(Thread.class.getName()) && method.startsWith("sleep")) {
        return SLEEP;
      } else if (type.equals(Thread.class.getName()) && method.equals("yield")) {
        return null;
      } else if (!type.startsWith("java.lang.") && !type.startsWith("jdk.internal.")) {
        return MONITOR_ENTER;
      }
    }
    return MONITOR_ENTER;
  }
}
