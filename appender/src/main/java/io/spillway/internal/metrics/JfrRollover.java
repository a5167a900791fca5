package io.spillway.internal.metrics;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** See the description. */
@Name("io.spillway.Rollover")
@Label("Rollover")
@Description("A rollover, successful or not, of the log file: close, rename, open")
@Category("Spillway")
@StackTrace(false)
final class JfrRollover extends JfrAppenderEvent {
  @Label("File")
  @Description("The active log file")
  String file;

  @Label("Bytes")
  @Description("Length of the log file before")
  @DataAmount
  long bytes;
}
