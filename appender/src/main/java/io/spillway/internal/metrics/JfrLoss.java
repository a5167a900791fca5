package io.spillway.internal.metrics;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** See the description. */
@Name("io.spillway.Loss")
@Label("Loss")
@Description("Events were dropped or lost; summed up by cause, ten times a second at most")
@Category("Spillway")
@StackTrace(false)
final class JfrLoss extends JfrAppenderEvent {
  @Label("Cause")
  @Description("Name of the LossCause")
  String cause;

  @Label("Accepted")
  @Description("Whether the events had been accepted; false if they were refused")
  boolean accepted;

  @Label("Events")
  @Description("Events since the last record of this cause")
  long events;
}
