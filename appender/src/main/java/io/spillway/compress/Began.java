package io.spillway.compress;

import io.spillway.metrics.FlightLog;
import java.nio.file.Path;

/**
 * When work on an archive began, for the figures and for a flight recording. Made and ended by the
 * worker.
 *
 * @param nanos on the clock of {@link System#nanoTime}
 * @param span as the flight recorder knows it
 */
record Began(long nanos, FlightLog.Span span) {
  // The thread works for all appenders of the JVM; the path of the file tells whose it is.
  private static final FlightLog FLIGHT_LOG = FlightLog.of(null, null);

  static Began now() {
    return at(System.nanoTime());
  }

  /** The time for the figures; the recorder begins now. */
  static Began at(long nanos) {
    return new Began(nanos, FLIGHT_LOG.beginCompression());
  }

  /** Nothing is compressed. */
  static Began unrecorded(long nanos) {
    return new Began(nanos, FlightLog.Span.NONE);
  }

  void end(Path raw, Path archive, long rawBytes, long archiveBytes) {
    FLIGHT_LOG.endCompression(span, raw, archive, rawBytes, archiveBytes);
  }
}
