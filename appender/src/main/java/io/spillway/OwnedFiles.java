package io.spillway;

import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.RollingPolicyBase;
import io.spillway.internal.disk.FilePaths;
import io.spillway.internal.disk.Owners;
import io.spillway.rolling.ArchivingPolicy;

/**
 * The file and the pattern of one appender, which no other appender of the JVM may write or roll
 * over. A policy of {@code io.spillway.rolling} takes both itself, for the same appender.
 */
final class OwnedFiles {
  private final RollingFileAppender<?> appender;

  OwnedFiles(RollingFileAppender<?> appender) {
    this.appender = appender;
  }

  /** Takes them. Returns false, after an error status, if another appender has one of them. */
  boolean claim() {
    if (appender.getContext() == null
        || appender.getRollingPolicy() == null
        || !appender.getRollingPolicy().isStarted()) {
      return true; // the superclass reports what is missing
    }
    String file = appender.getFile();
    String refusal = file == null ? null : Owners.take(appender, "log file", FilePaths.path(file));
    if (refusal == null
        && !(appender.getRollingPolicy() instanceof ArchivingPolicy)
        && appender.getRollingPolicy() instanceof RollingPolicyBase policy
        && policy.getFileNamePattern() != null) {
      refusal =
          Owners.take(appender, "fileNamePattern", FilePaths.path(policy.getFileNamePattern()));
    }
    if (refusal != null) {
      appender.addError(refusal);
      Owners.release(appender);
    }
    return refusal == null;
  }

  /** Gives them back. */
  void release() {
    Owners.release(appender);
  }
}
