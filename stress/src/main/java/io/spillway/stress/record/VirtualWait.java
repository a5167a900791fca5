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

  @Label("Application Thread")
  String applicationThread;

  @Label("Kind")
  String kind; // what the recorder calls such a wait of a platform thread

  @Label("Logging Frame")
  String frame;
}
