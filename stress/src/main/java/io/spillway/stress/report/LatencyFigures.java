package io.spillway.stress.report;

/**
 * Latency of the log calls of one trial. Service time runs from the call to its return; response
 * time from the moment at which the call was due, so that a stalled thread cannot hide the calls it
 * did not make.
 *
 * @param warmUpService calls that ended during the warm-up; kept apart from all others
 * @param outsideService calls before and after the rotation
 * @param rotationService calls that overlap the rotation
 * @param outsideResponse calls before and after the rotation
 * @param rotationResponse calls that overlap the rotation
 */
public record LatencyFigures(
    Latency warmUpService,
    Latency outsideService,
    Latency rotationService,
    Latency outsideResponse,
    Latency rotationResponse) {

  /** The slowest log call after the warm-up. */
  public double worstCallMicros() {
    return Math.max(outsideService.maxMicros(), rotationService.maxMicros());
  }
}
