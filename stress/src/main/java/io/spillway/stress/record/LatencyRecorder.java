package io.spillway.stress.record;

import java.io.Closeable;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;
import org.HdrHistogram.Recorder;

/**
 * Records the duration of every log call from all application threads, wait-free. One other thread
 * ends each second, which writes a line for each kind of duration to an interval log of
 * HdrHistogram; {@link LatencyLog} reads it.
 */
public final class LatencyRecorder implements Closeable {

  private static final double NO_UNIT = 1;

  private final long warmUpEndNanos;
  private final RotationWindow rotation;
  private final HistogramLogWriter log;
  private final PrintStream file;
  private final Channel callOutside = new Channel(LatencyLog.CALL_OUTSIDE);
  private final Channel callRotating = new Channel(LatencyLog.CALL_ROTATING);
  private final Channel responseOutside = new Channel(LatencyLog.RESPONSE_OUTSIDE);
  private final Channel responseRotating = new Channel(LatencyLog.RESPONSE_ROTATING);
  private int second;

  /**
   * Creates a recorder.
   *
   * @param path the interval log
   * @param warmUpEndNanos calls that end before this time are not recorded
   * @param rotation the window that decides which calls are in the rotation
   * @throws IOException if the log cannot be created
   */
  public LatencyRecorder(Path path, long warmUpEndNanos, RotationWindow rotation)
      throws IOException {
    this.warmUpEndNanos = warmUpEndNanos;
    this.rotation = rotation;
    file = new PrintStream(Files.newOutputStream(path), false, StandardCharsets.UTF_8);
    log = new HistogramLogWriter(file);
    log.outputLogFormatVersion();
    log.outputLegend();
  }

  /** Records one log call: when it was due, when it was made, when it returned. */
  public void record(long dueNanos, long startNanos, long endNanos) {
    if (endNanos >= warmUpEndNanos) {
      (rotation.overlaps(startNanos, endNanos) ? callRotating : callOutside)
          .record(endNanos - startNanos);
      response(dueNanos, endNanos);
    }
  }

  /**
   * Records the response time of what was due at one time and answered, or given up, at another.
   */
  public void response(long dueNanos, long endNanos) {
    if (endNanos >= warmUpEndNanos) {
      (rotation.overlaps(dueNanos, endNanos) ? responseRotating : responseOutside)
          .record(endNanos - dueNanos);
    }
  }

  /** Closes the current second. */
  public void endOfSecond() {
    for (Channel channel : List.of(callOutside, callRotating, responseOutside, responseRotating)) {
      Histogram interval = channel.recorder.getIntervalHistogram();
      interval.setTag(channel.tag);
      log.outputIntervalHistogram(second, second + 1.0, interval, NO_UNIT);
    }
    second++;
  }

  @Override
  public void close() throws IOException {
    file.close();
    if (file.checkError()) {
      throw new IOException("The latency log cannot be written");
    }
  }

  /** A set of durations, written by any thread and read by one. */
  private static final class Channel {

    private static final int DIGITS = 3;
    private static final long HIGHEST_NANOS = TimeUnit.HOURS.toNanos(1);

    private final String tag;
    private final Recorder recorder = new Recorder(HIGHEST_NANOS, DIGITS);

    Channel(String tag) {
      this.tag = tag;
    }

    private void record(long nanos) {
      recorder.recordValue(Math.min(Math.max(nanos, 0), HIGHEST_NANOS));
    }
  }
}
