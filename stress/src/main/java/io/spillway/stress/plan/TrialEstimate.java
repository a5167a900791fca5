package io.spillway.stress.plan;

/**
 * How long one trial will take, step by step, and what room it needs beside the prefilled files.
 *
 * @param copySeconds until the log file is as long as it must be
 * @param waitSeconds for a full minute, on average, if the trial needs one
 * @param leadSeconds from the start of the JVM until the rotation is due
 * @param rotationSeconds from then until the archive is finished
 * @param loadSeconds from the start of the JVM to its end; the two before are part of it
 * @param verifySeconds for reading everything back
 * @param diskBytes log file, archive, and what may wait in a queue on disk
 * @param keptBytes what is left of that in the end, if it is kept
 */
record TrialEstimate(
    double copySeconds,
    double waitSeconds,
    double leadSeconds,
    double rotationSeconds,
    double loadSeconds,
    double verifySeconds,
    long diskBytes,
    long keptBytes) {

  private static final double COPY_BYTES_PER_SECOND = 800e6;
  private static final double VERIFY_BYTES_PER_SECOND = 250e6;
  private static final double START_SECONDS = 3;
  private static final double MEAN_WAIT_SECONDS = 30;
  private static final double ARCHIVE_SHARE = 0.3;

  /** The load and the JVM beside it leave less than a core for compressing. */
  private static final double COMPRESSION_SLOWDOWN = 1.15;

  private static final double PACED_SHARE = 0.5;

  /** At the speed at which one core of this machine compresses. */
  static TrialEstimate of(PlannedTrial planned, RunOptions options, double gzipBytesPerSecond) {
    double size = planned.sizeBytes();
    double share = planned.trial().pacesCompression() ? PACED_SHARE : 1;
    double rotation = size / gzipBytesPerSecond * COMPRESSION_SLOWDOWN / share;
    double lead = START_SECONDS + planned.leadSeconds(options);
    double load = lead + rotation + options.aroundSeconds();
    double events =
        options.closedLoop()
            ? PlannedTrial.CLOSED_LOOP_FILES * size
            : planned.trial().bytesPerSecond(options) * (load + rotation);
    long most = (long) ((1 + ARCHIVE_SHARE) * size + 2 * events);
    return new TrialEstimate(
        size / COPY_BYTES_PER_SECOND,
        planned.trial().rotatesByTheClock() ? MEAN_WAIT_SECONDS : 0,
        lead,
        rotation,
        load,
        1 + size / VERIFY_BYTES_PER_SECOND,
        most,
        planned.trial().isArchivedAsGzip() ? (long) (ARCHIVE_SHARE * size + events) : most);
  }

  double totalSeconds() {
    return copySeconds + waitSeconds + loadSeconds + verifySeconds;
  }
}
