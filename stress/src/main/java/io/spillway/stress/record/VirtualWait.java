package io.spillway.stress.record;

import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A wait of a virtual application thread inside a log call. */
@Name(VirtualWait.NAME)
@Label("Wait of a virtual thread")
@StackTrace(false)
final class VirtualWait extends Event {
  static final String NAME = "io.spillway.stress.VirtualWait";

  /** Which of the thread's runs it follows; not recorded. */
  transient int number;

  @Label("Application Thread")
  String applicationThread;

  /** What the recorder calls such a wait of a platform thread. */
  @Label("Kind")
  String kind;

  @Label("Logging Frame")
  String frame;
}
