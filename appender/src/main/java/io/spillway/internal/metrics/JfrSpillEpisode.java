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
@Description("One spill episode: from the first batch written to disk until the sink has taken all")
@Category("Spillway")
@StackTrace(false)
final class JfrSpillEpisode extends JfrAppenderEvent {
  @Label("Events")
  @Description("Events that went through the spill")
  long events;

  @Label("Bytes")
  @Description("Bytes of the batches on disk, without headers")
  @DataAmount
  long bytes;

  @Label("Emptied")
  @Description("Whether the sink took all of them; false if the appender stopped before")
  boolean emptied;
}
