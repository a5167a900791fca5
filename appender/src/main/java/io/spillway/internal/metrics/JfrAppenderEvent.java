package io.spillway.internal.metrics;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.StackTrace;

/** An event of one appender. Its own thread commits it, so a stack would tell nothing. */
@Category("Spillway")
@StackTrace(false)
abstract class JfrAppenderEvent extends Event implements FlightLog.Span {
  @Label("Context")
  @Description("Name of the logger context")
  String context;

  @Label("Appender")
  @Description("Name of the appender")
  String appender;
}
