package io.spillway.internal.metrics;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** See the description. */
@Name("io.spillway.SpillEpisode")
@Label("Spill Episode")
@Description("Batches went to disk, from the first one until the sink had caught up")
@Category("Spillway")
@StackTrace(false)
final class JfrSpillEpisode extends JfrAppenderEvent {
  @Label("Events")
  @Description("Events that went through the spill")
  long events;

  @Label("Bytes")
  @Description("What they took on disk, without headers")
  @DataAmount
  long bytes;

  @Label("Emptied")
  @Description("Whether the sink took them all; false if the appender stopped before")
  boolean emptied;
}
