package io.spillway;

import ch.qos.logback.core.Context;
import ch.qos.logback.core.rolling.RollingFileAppender;
import io.spillway.internal.disk.FilePaths;
import io.spillway.internal.metrics.Reports;
import io.spillway.rolling.ArchivingPolicy;
import io.spillway.rolling.NameClaim;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.WeakHashMap;

/**
 * The files of one appender, which no other may write or roll over: two on one file would cut each
 * other's lines, and Logback's own check goes by class name and so does not see ours. The file is
 * owned per context, the names are in the whole JVM; both are given back by {@code stop()}, so that
 * a reconfiguration can take them over at once.
 */
final class OwnedFiles {
  private static final Map<Context, Map<Path, String>> WRITERS = new WeakHashMap<>();

  private final RollingFileAppender<?> appender;
  private final Reports reports;
  private Path written; // null unless claimed
  private volatile NameClaim names; // null if the policy is ours and claims for itself

  OwnedFiles(RollingFileAppender<?> appender, Reports reports) {
    this.appender = appender;
    this.reports = reports;
  }

  /** Returns false, and says why, if another appender has them. */
  boolean claim() {
    if (appender.getContext() == null
        || appender.getRollingPolicy() == null
        || !appender.getRollingPolicy().isStarted()) {
      return true; // the superclass says what is missing
    }
    return claimFile() && (appender.getRollingPolicy() instanceof ArchivingPolicy || claimNames());
  }

  private boolean claimFile() {
    Path file = SpillDirectories.canonical(FilePaths.path(appender.getFile()));
    String other;
    synchronized (WRITERS) {
      other =
          WRITERS
              .computeIfAbsent(appender.getContext(), c -> new HashMap<>())
              .putIfAbsent(file, String.valueOf(appender.getName()));
    }
    if (other == null) {
      written = file;
      return true;
    }
    appender.addError(
        "Setting [file] has the value ["
            + appender.getFile()
            + "]; allowed: a file that no other appender writes, and ["
            + other
            + "] writes this one. The appender is not started.");
    return false;
  }

  private boolean claimNames() {
    NameClaim claim = NameClaim.claim(appender, this::refuse);
    if (claim != null) {
      names = appender.rawFileProperty() == null ? null : claim;
      if (!claim.take() && names == null) { // it would write the very file that another archives
        claim.release();
        claim = null;
      }
    }
    names = claim;
    if (claim == null) {
      release();
    }
    return claim != null;
  }

  private void refuse(String message) {
    if (names == null) {
      appender.addError(message + " The appender is not started.");
    } else {
      reports.error("names", message + " Nothing is rolled over until then.", null);
    }
  }

  /** Whether no other appender uses the names, as far as Spillway's policies do not look. */
  boolean mayRollOver() {
    NameClaim claim = names;
    return claim == null || claim.mayRollOver();
  }

  /** Gives back what was claimed. */
  void release() {
    if (names != null) {
      names.release();
      names = null;
    }
    if (written != null) {
      synchronized (WRITERS) {
        WRITERS.getOrDefault(appender.getContext(), new HashMap<>()).remove(written);
      }
      written = null;
    }
  }
}
