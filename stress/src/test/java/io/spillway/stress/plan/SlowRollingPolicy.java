package io.spillway.stress.plan;

import ch.qos.logback.core.rolling.RollingPolicyBase;
import io.spillway.stress.report.Json;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.GZIPOutputStream;

/**
 * Renames the log file and keeps the appender waiting for a known time; then archives in the
 * background, for another known time. Used in a forked JVM; says exactly how long it took.
 */
public final class SlowRollingPolicy extends RollingPolicyBase {

  private static final long MILLI_NANOS = 1_000_000;

  private long rolloverMillis;
  private long archiveMillis;
  private Path report;

  /**
   * How long it took.
   *
   * @param startEpochMillis when the file had been renamed
   * @param rolloverNanos from then on, until the appender could go on
   * @param archiveNanos from then on, until the archive was whole and the renamed file gone
   */
  record Took(long startEpochMillis, long rolloverNanos, long archiveNanos) {}

  public void setRolloverMillis(long rolloverMillis) {
    this.rolloverMillis = rolloverMillis;
  }

  public void setArchiveMillis(long archiveMillis) {
    this.archiveMillis = archiveMillis;
  }

  public void setReport(String report) {
    this.report = Path.of(report);
  }

  @Override
  public String getActiveFileName() {
    return getParentsRawFileProperty();
  }

  @Override
  public void rollover() {
    Path active = Path.of(getActiveFileName());
    Path rolled = active.resolveSibling("app.1.log");
    try {
      Files.move(active, rolled);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    long startEpochMillis = System.currentTimeMillis();
    long start = System.nanoTime();
    waitUntil(start + rolloverMillis * MILLI_NANOS);
    long reopened = System.nanoTime();
    Thread archiver =
        new Thread(
            () -> {
              waitUntil(reopened + archiveMillis * MILLI_NANOS);
              try {
                archive(rolled);
                long end = System.nanoTime();
                Json.write(report, new Took(startEpochMillis, reopened - start, end - reopened));
              } catch (IOException e) {
                addError("cannot archive", e);
              }
            },
            "archiver");
    archiver.start();
  }

  private static void archive(Path rolled) throws IOException {
    Path part = rolled.resolveSibling("app.1.log.gz.part");
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(part))) {
      Files.copy(rolled, out);
    }
    Files.move(part, rolled.resolveSibling("app.1.log.gz"));
    Files.delete(rolled);
  }

  private static void waitUntil(long nanos) {
    for (long left = nanos - System.nanoTime(); left > 0; left = nanos - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }
}
