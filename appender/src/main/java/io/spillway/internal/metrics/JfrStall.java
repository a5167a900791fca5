package io.spillway.internal.metrics;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;

/** See the description. */
@Name("io.spillway.Stall")
@Label("Stall")
@Description(
    "The sink was busy with one batch for longer than the threshold; recorded when it returns")
@Category("Spillway")
@StackTrace(false)
@Threshold("100 ms")
final class JfrStall extends JfrAppenderEvent {
  @Label("Events")
  @Description("Events of the batch")
  long events;
}
