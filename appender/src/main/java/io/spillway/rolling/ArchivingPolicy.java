package io.spillway.rolling;

import ch.qos.logback.core.Appender;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.RollingPolicy;
import ch.qos.logback.core.rolling.RollingPolicyBase;
import ch.qos.logback.core.rolling.RolloverFailure;
import io.spillway.internal.compress.ArchiveFormats;
import io.spillway.internal.compress.Archives;
import io.spillway.internal.disk.FilePaths;
import io.spillway.internal.disk.Owners;
import io.spillway.internal.metrics.Environment;
import io.spillway.internal.metrics.Reports;
import io.spillway.metrics.ArchiveMetrics;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * What the rolling policies of this package add to Logback's: a rollover renames the active file to
 * its final name, and one background thread of the JVM, the compressor, makes the archives and
 * deletes old ones. Nothing is overwritten, and a restart finishes what a crash left.
 *
 * <p>The suffix of {@code fileNamePattern} chooses the format: {@code .gz}, {@code .zip}, {@code
 * .zst} (with com.github.luben:zstd-jni on the class path), {@code .xz} (with org.tukaani:xz), one
 * of an {@link io.spillway.archive.ArchiveFormat}, or none.
 */
public interface ArchivingPolicy extends RollingPolicy {
  /**
   * Returns what the policies share.
   *
   * @return one object per policy, without public methods
   */
  Archiving archiving();

  /**
   * Sets the compression level.
   *
   * @param level 1 to 9 for gz, zip and xz (default 6), 1 to 19 for zst (default 3); another value
   *     is an error, and the policy does not start
   */
  default void setCompressionLevel(int level) {
    archiving().settings.level = level;
  }

  /**
   * Sets how much of one core compression may use; the compressor rests to keep to it.
   *
   * @param percent 1 to 100, default 50; another value is an error, and the policy does not start
   */
  default void setCompressionCpuShare(int percent) {
    archiving().settings.cpuPercent = percent;
  }

  /**
   * Returns figures of the files that wait to be archived and of those that have been.
   *
   * @return the figures; {@link ArchiveMetrics#NONE} before the first start
   */
  default ArchiveMetrics getArchiveMetrics() {
    Archives archives = archiving().archives;
    return archives == null ? ArchiveMetrics.NONE : archives.metrics();
  }

  /**
   * Returns the figures of an appender's policy.
   *
   * @param appender any appender
   * @return {@link ArchiveMetrics#NONE} if its policy is none of this package
   */
  static ArchiveMetrics metricsOf(Appender<?> appender) {
    return appender instanceof RollingFileAppender<?> rolling
            && rolling.getRollingPolicy() instanceof ArchivingPolicy policy
        ? policy.getArchiveMetrics()
        : ArchiveMetrics.NONE;
  }

  /**
   * Waits as Logback's policies do when they are stopped, 30 seconds at most, until all rolled
   * files are archived. Returns at once for other policies.
   *
   * @param policy a policy, or null
   */
  static void awaitArchived(RollingPolicy policy) {
    if (policy instanceof ArchivingPolicy own && own.archiving().isRunning()) {
      own.archiving().archives.awaitDone(Archiving.MOST_WAIT_NANOS);
    }
  }

  /**
   * Returns whether the last rollover of a policy has failed, so that it is due again.
   *
   * @param policy a policy, or null
   * @return false if it is none of this package
   */
  static boolean hasFailed(RollingPolicy policy) {
    return policy instanceof ArchivingPolicy own && own.archiving().failed;
  }

  /** The state of a policy, and what each does at a start, a stop and a rollover. */
  final class Archiving {
    static final long MOST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

    final Archives.Settings settings = new Archives.Settings();
    final Reports reports;
    private final RollingPolicyBase policy;
    FileAppender<?> parent;
    volatile Archives archives; // null before the first start
    private volatile boolean failed;
    private long failedNanos;

    Archiving(RollingPolicyBase policy) {
      this.policy = policy;
      this.reports = new Reports(policy);
    }

    /** Returns the active file, or null without {@code <file>}. */
    Path file() {
      String file = parent.rawFileProperty();
      return file == null ? null : Path.of(file);
    }

    /** Checks the settings before Logback does; returns false after an ERROR. */
    boolean isSuitable() {
      String pattern = policy.getFileNamePattern();
      if (!Environment.suffices(policy)) {
        return false;
      }
      if (pattern == null || parent == null) {
        return true; // Logback reports it
      }
      if (parent.isPrudent()) {
        return refuse("prudent", "true", "false", "give each process a <file> of its own");
      }
      if (FilePaths.isRefused(policy, "file", parent.rawFileProperty())
          || FilePaths.isRefused(policy, "fileNamePattern", pattern)) {
        return false;
      }
      settings.format = ArchiveFormats.choose(policy);
      if (settings.level != null && !settings.format.isLevel(settings.level)) {
        String suffix = settings.format.suffix();
        return refuse(
            "compressionLevel",
            String.valueOf(settings.level),
            suffix.isEmpty() ? "none, as nothing is compressed" : "a level of [" + suffix + "]",
            "see [compressionLevel] in CONFIGURATION.md");
      }
      if (settings.cpuPercent < 1 || settings.cpuPercent > 100) {
        String percent = String.valueOf(settings.cpuPercent);
        return refuse("compressionCpuShare", percent, "1 to 100", "correct it");
      }
      return true;
    }

    boolean refuse(String setting, String value, String allowed, String remedy) {
      policy.addError(
          ("Setting [" + setting + "] has the value [" + value + "]; allowed: " + allowed)
              + (". To do: " + remedy + ". Not started."));
      return false;
    }

    /** Returns the pattern without the suffix of its format: that of rolled files. */
    String rawPattern() {
      return withoutSuffix(policy.getFileNamePattern().trim());
    }

    /** Takes the suffix off, which Logback has not if it does not know the format. */
    String withoutSuffix(String name) {
      String suffix = settings.format.suffix();
      return name.endsWith(suffix) ? name.substring(0, name.length() - suffix.length()) : name;
    }

    /** Takes log file and pattern; returns false after an ERROR if they are another's. */
    boolean isOwner() {
      String refusal = file() == null ? null : Owners.take(parent, "log file", file());
      if (refusal == null) {
        refusal = Owners.take(parent, "fileNamePattern", Path.of(rawPattern()));
      }
      if (refusal != null) {
        policy.addError(refusal);
      }
      return refusal == null;
    }

    void start(Archives.Names names) {
      if (parent instanceof RollingFileAppender<?> rolling
          && rolling.getRollingPolicy() instanceof ArchivingPolicy former
          && former.archiving().isRunning()) {
        former.archiving().archives.stop(); // Logback replaces a policy without stopping it
      }
      failed = false;
      archives = new Archives(settings, names, reports);
      archives.start();
    }

    private boolean isRunning() {
      return archives != null && !archives.isStopped();
    }

    /** Stops, after a wait that Logback's policies do as well; returns false if not running. */
    boolean stop() {
      if (!isRunning()) {
        return false;
      }
      if (!Thread.currentThread().isDaemon()) { // the JVM does not wait for that either
        archives.awaitDone(MOST_WAIT_NANOS);
      }
      int left = archives.stop();
      if (left > 0) {
        reports.info(left + " rolled files wait for the next start to archive them.");
      }
      Owners.release(parent);
      return true;
    }

    /** Returns whether a rollover has failed so shortly ago that it is not to be tried yet. */
    boolean isPausing() {
      return failed && System.nanoTime() - failedNanos < RETRY_NANOS;
    }

    /** The renames of a rollover. */
    interface Renames {
      void run() throws IOException;
    }

    /** Rolls over under the lock; whatever goes wrong, the active file is written on. */
    void rollover(Renames renames) throws RolloverFailure {
      Object lock = archives == null ? this : archives;
      synchronized (lock) {
        if (!isRunning()) {
          throw new RolloverFailure("The rolling policy is not started.");
        }
        roll(renames);
      }
    }

    private void roll(Renames renames) throws RolloverFailure {
      try {
        renames.run();
        if (failed) {
          failed = false;
          reports.over("rollover", "The rollover has succeeded.");
        }
      } catch (IOException | RuntimeException e) {
        failed = true;
        failedNanos = System.nanoTime();
        reports.failure(
            "rollover",
            "Cannot roll over ["
                + policy.getActiveFileName()
                + "] to ["
                + policy.getFileNamePattern()
                + "]: "
                + e
                + "; nothing is lost, the same file is written on, and it is tried again in a"
                + " second. To do: see that the directories of both are writable.",
            e);
        throw new RolloverFailure("Cannot roll over [" + policy.getActiveFileName() + "]", e);
      }
    }
  }
}
