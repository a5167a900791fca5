package io.spillway.stress.bench;

import ch.qos.logback.classic.LoggerContext;
import io.spillway.stress.record.FlightRecording;
import java.nio.file.Path;
import org.HdrHistogram.Histogram;

/**
 * {@link SteadyLoad} with or without the flight recording that every trial of a run makes; prints
 * percentiles of the log call's service time in nanoseconds. Runs in a JVM of its own.
 */
public final class RecordedChild {

  private static final int WARM_UP_SECONDS = 10;

  private RecordedChild() {}

  /**
   * Runs once.
   *
   * @param args configuration, directory, seconds, whether to record
   * @throws Exception if the configuration is broken or the recording cannot be made
   */
  public static void main(String[] args) throws Exception {
    Path directory = Path.of(args[1]);
    LoggerContext context = Configurations.load(args[0], directory);
    FlightRecording recording =
        Boolean.parseBoolean(args[3])
            ? new FlightRecording(directory.resolve("recording.jfr"), false)
            : null;
    SteadyLoad load = new SteadyLoad(context);
    load.run(WARM_UP_SECONDS);
    Histogram histogram = load.run(Integer.parseInt(args[2]));
    if (recording != null) {
      recording.close();
    }
    context.stop();
    System.out.printf(
        "p50=%d p99=%d p999=%d%n",
        histogram.getValueAtPercentile(50),
        histogram.getValueAtPercentile(99),
        histogram.getValueAtPercentile(99.9));
  }
}
