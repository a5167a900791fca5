package io.spillway.internal.sink;

import io.spillway.internal.disk.FilePaths;
import io.spillway.internal.disk.StorageFailures;
import io.spillway.internal.metrics.Counters;
import io.spillway.internal.metrics.FlightLog;
import io.spillway.internal.metrics.Reports;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Writes chunks to the own log file and rolls it over between chunks. A failed write is repeated
 * until it succeeds or the delivery is fenced off; meanwhile memory and spill take new events.
 */
public final class LogFileSink implements Sink {
  private static final long FIRST_RETRY_NANOS = 10_000_000L;
  private static final long LAST_RETRY_NANOS = 250_000_000L;

  /** How long after a failed write the log precedes the spill in taking space that returns. */
  private static final long PRECEDENCE_NANOS = 1_000_000_000L;

  /** Interval of attempts to force what is in doubt, since each attempt writes it again. */
  private static final long FORCE_AGAIN_NANOS = 1_000_000_000L;

  private static final byte[] LINE_END = {'\n'};

  /**
   * What the file sink needs of the rolling file appender, which owns the policies. Called by the
   * thread that delivers; may throw whatever a policy throws.
   */
  public interface Rolling {
    /**
     * Queries the triggering policy.
     *
     * @param activeFile the file that is written now
     * @return true if the file is to be rolled over before the next write
     */
    boolean isTriggering(File activeFile);

    /**
     * Returns whether the active file may be moved. Called once a policy has triggered, and again
     * at each write until the rollover is done.
     *
     * @param activeFile the file that is written now
     * @return false if the file must not be moved yet
     */
    default boolean mayRollOver(File activeFile) {
      return true;
    }

    /**
     * Closes the active file, lets the rolling policy move it, and opens the next file.
     *
     * @return false if the policy has reported a failure; true otherwise
     */
    boolean rollover();

    /**
     * Called before each write: opens the active file if an Error, such as an OutOfMemoryError, has
     * cut a rollover short. The active file may be another one by then, and the open one may be
     * archived.
     */
    default void reopen() {}

    /**
     * Notifies the policies of a write.
     *
     * @param bytes the bytes that were just written
     * @param fileLength length of the file in bytes, all of it whole lines
     */
    void written(byte[] bytes, long fileLength);

    /** Writes the footer, closes the file, stops encoder and policies. */
    void close();
  }

  private final LogFile file;
  private final Rolling rolling;
  private final Counters counters;
  private final Reports reports;
  private final LongSupplier nanoClock;
  private Path spillDirectory; // null without a spill
  private boolean checkLineEnd = true;
  private boolean failing;
  private boolean due; // a policy has triggered a rollover
  private boolean doubtful; // bytes could not be forced before the rollover
  private long doubtfulAtNanos;
  // Written by the deliverer, read by the drainer. The time is stored first.
  private volatile long starvedAtNanos;
  private volatile boolean starving;

  /**
   * Creates a sink over a file.
   *
   * @param file written by this sink, opened by the rolling file
   * @param rolling owns the policies
   * @param counters counts every event
   * @param reports reports failures
   */
  public LogFileSink(LogFile file, Rolling rolling, Counters counters, Reports reports) {
    this(file, rolling, counters, reports, Reports.NANO_TIME);
  }

  LogFileSink(
      LogFile file, Rolling rolling, Counters counters, Reports reports, LongSupplier nanoClock) {
    StorageFailures.prepare();
    this.file = file;
    this.rolling = rolling;
    this.counters = counters;
    this.reports = reports;
    this.nanoClock = nanoClock;
  }

  /**
   * On one full disk the log file takes precedence over this spill. To be called before the first
   * delivery.
   *
   * @param spillDirectory where the spill is
   * @return this
   */
  public LogFileSink besideSpill(Path spillDirectory) {
    this.spillDirectory = spillDirectory;
    return this;
  }

  @Override
  public void deliver(Batch batch, boolean leftover, Delivery delivery) {
    ByteBatch chunk = (ByteBatch) batch;
    rolling.reopen();
    rollIfTriggered();
    reportUnclosed();
    long pause = FIRST_RETRY_NANOS;
    while (delivery.done() < chunk.events() && delivery.claim(chunk.events())) {
      delivery.clearInterrupt(); // an interrupt would turn every retry pause into a spin
      try {
        endTornLine(chunk);
        rolling.reopen();
        file.write(chunk.bytes());
        delivered(chunk, leftover, delivery);
        return;
      } catch (IOException e) {
        delivery.unclaim(chunk.events());
        failed(e, delivery.isSpent());
        LockSupport.parkNanos(this, pause);
        pause = Math.min(2 * pause, LAST_RETRY_NANOS);
        rollIfTriggered(); // the next file may have room, and archives that are due may make room
      }
    }
  }

  /** Counts a written chunk as delivered, even if a policy throws. */
  private void delivered(ByteBatch chunk, boolean leftover, Delivery delivery) {
    delivery.done(chunk.events());
    try {
      written(chunk.bytes());
      recovered();
    } finally {
      counters.delivered(chunk.events(), leftover); // last: a waiting thread then sees the rest
    }
  }

  /**
   * Ends a line that is half there. A kill during a write leaves half a line, whether its event had
   * been spilled or not; so may a disk that has failed and comes back.
   */
  private void endTornLine(ByteBatch first) throws IOException {
    if (file.isTorn()) {
      return; // the rest of the line comes next
    }
    if (checkLineEnd) {
      byte[] bytes = first.bytes();
      if (bytes.length > 0 && bytes[bytes.length - 1] == '\n' && file.endsInsideLine()) {
        file.write(LINE_END);
      }
    }
    checkLineEnd = false;
  }

  private void rollIfTriggered() {
    if (file.isTorn()) {
      return; // the rest of the line belongs in the same file
    }
    try {
      due |= rolling.isTriggering(file.file()); // a policy may trigger only once
      if (due && !isForcingPaused() && rolling.mayRollOver(file.file())) {
        rollOver();
      }
    } catch (Throwable t) {
      policyFailed(t);
    }
  }

  private boolean isForcingPaused() {
    return doubtful && nanoClock.getAsLong() - doubtfulAtNanos < FORCE_AGAIN_NANOS;
  }

  private void rollOver() {
    doubtful = !force() && !file.mayMove();
    if (doubtful) {
      doubtfulAtNanos = nanoClock.getAsLong();
      return; // what is in doubt is written once more under its present name
    }
    due = false;
    FlightLog.Span span = counters.flightLog().beginRollover();
    Path old = file.path(); // without <file> the next file has another name
    long bytes = file.file().length();
    try {
      if (!rolling.rollover()) {
        counters.sinkFailure();
      }
    } finally {
      counters.rollover();
      counters.flightLog().endRollover(span, old, bytes);
    }
  }

  /**
   * Forces what is delivered to the disk. May be called from any thread.
   *
   * @return false, after a report, if that failed; the next call tries the same bytes again
   */
  public boolean force() {
    try {
      file.force();
      return true;
    } catch (IOException e) {
      counters.sinkFailure();
      if (file.hasLost()) {
        reports.warn("force.lost", lost());
      } else {
        warn(
            "force",
            e,
            "Cannot force file [",
            "] to the disk: ",
            ". It is tried again; the spill keeps what may be missing there.");
      }
      return false;
    }
  }

  private String lost() {
    return "The disk of file ["
        + file.file()
        + "] has lost what was written to it and could not be forced. What of it went through the"
        + " spill is kept there, with all that goes through it from now on; the next start delivers"
        + " it once more. What went through memory alone is missing, and not counted. The spill"
        + " fills meanwhile, and log calls may then wait. To do: see that the disk is healthy, then"
        + " restart the application, or have Logback configured anew.";
  }

  @Override
  public boolean hasLost() {
    return file.hasLost();
  }

  /**
   * Notifies the policies. The chunk is delivered: if a policy throws, the chunk must not come
   * again.
   */
  private void written(byte[] bytes) {
    try {
      rolling.written(bytes, file.length());
    } catch (Throwable t) {
      policyFailed(t);
    }
  }

  private void policyFailed(Throwable t) {
    counters.sinkFailure();
    reports.error(
        "rollover",
        "A rolling or triggering policy threw; nothing is lost, writing goes on to ["
            + file.file()
            + "]: ",
        t,
        "");
  }

  private void failed(IOException e, boolean last) {
    failing = true;
    checkLineEnd = true;
    starvedAtNanos = nanoClock.getAsLong();
    starving = starvesWithSpill(e);
    counters.sinkFailure();
    warn( // the failure may pass, and an ERROR status ends the start of a Spring Boot application
        "write",
        e,
        "Cannot write to file [",
        "]: ",
        last
            ? ". The event is not tried again, as the JVM exits."
            : ". It is tried again until it works; events wait in memory and in the spill.");
  }

  private void reportUnclosed() {
    IOException failure = file.takeCloseFailure();
    if (failure != null) {
      counters.sinkFailure();
      warn(
          "close",
          failure,
          "Closing a file of [",
          "] failed: ",
          ". What was written to it last may be missing, and is not counted; with spillSync what"
              + " goes through the spill is kept until the file is forced.");
    }
  }

  /**
   * Reports a failure, and throws nothing: an exception would pass for one of the sink, whose
   * events would be lost in the end. The failure is counted, and the next one is reported.
   */
  private void warn(
      String topic, IOException failure, String before, String between, String behind) {
    try {
      reports.warn(
          topic,
          before
              + file.file()
              + between
              + StorageFailures.reason(failure, file.path())
              + behind
              + " To do: "
              + StorageFailures.remedy(failure)
              + ".");
    } catch (Throwable untold) {
      return;
    }
  }

  private void recovered() {
    if (failing) {
      failing = false;
      reports.over("write", "Writing to file [" + file.file() + "] works again.");
    }
  }

  private boolean starvesWithSpill(IOException e) {
    try {
      return StorageFailures.isDiskFull(e)
          && spillDirectory != null
          && disk(FilePaths.target(file.file().getPath()).getParent()).equals(disk(spillDirectory));
    } catch (IOException | RuntimeException unknown) {
      return false; // a directory is gone, so the two do not compete for space
    }
  }

  /** Returns the device, as the file store is another one for each mount of a disk. */
  private static Object disk(Path directory) throws IOException {
    return directory.getFileSystem().supportedFileAttributeViews().contains("unix")
        ? Files.getAttribute(directory, "unix:dev")
        : Files.getFileStore(directory);
  }

  /**
   * Returns whether the log waits for space on the disk that the spill is on. The spill polls far
   * more often than the log, so it would take all space that returns, and the log, which alone can
   * empty the spill, would never resume. The state ends by itself: a log that fails to write tries
   * several times a second, and one that waits for something else, such as a rollover, needs no
   * room meanwhile.
   */
  @Override
  public boolean needsRoomOfSpill() {
    return starving && nanoClock.getAsLong() - starvedAtNanos < PRECEDENCE_NANOS;
  }

  @Override
  public void close() {
    try {
      rolling.close();
    } finally {
      reportUnclosed();
    }
  }
}
