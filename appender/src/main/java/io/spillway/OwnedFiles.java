package io.spillway;

import ch.qos.logback.core.Context;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.RollingPolicyBase;
import io.spillway.internal.disk.FilePaths;
import io.spillway.internal.disk.Owners;
import io.spillway.internal.metrics.Reports;
import io.spillway.rolling.ArchivingPolicy;
import io.spillway.rolling.NameClaim;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The files of one appender, which no other appender may write or roll over: two on one file would
 * cut each other's lines, and Logback's own check, which goes by class name, does not cover this
 * class. The file is owned per context, the archive names in the whole JVM. {@code stop()} gives
 * both back, so that a reconfiguration can take them over at once. {@link #accept} gets messages of
 * collisions of names.
 */
final class OwnedFiles implements Consumer<String> {
  private final RollingFileAppender<?> appender;
  private final Reports reports;
  private Written written; // null unless claimed
  // Null if the policy is an ArchivingPolicy, which claims for itself.
  private volatile NameClaim names;

  /**
   * The file that an appender writes. Owned at most as long as its context, which may end
   * unstopped.
   */
  private static final class Written extends Owners.Owned {
    private final WeakReference<Context> context;
    private final Path file;
    private final String appender;

    Written(RollingFileAppender<?> appender, Path file) {
      this.context = new WeakReference<>(appender.getContext());
      this.file = file;
      this.appender = String.valueOf(appender.getName());
    }

    @Override
    protected boolean isExcludedBy(Owners.Owned other) {
      return other instanceof Written theirs
          && theirs.context.get() == context.get()
          && theirs.file.equals(file);
    }

    @Override
    protected boolean isOver() {
      return context.get() == null;
    }

    @Override
    public String toString() {
      return "log file [" + file + "] of appender [" + appender + "]";
    }
  }

  OwnedFiles(RollingFileAppender<?> appender, Reports reports) {
    this.appender = appender;
    this.reports = reports;
  }

  /** Claims the files. Returns false, after an error status, if another appender has them. */
  boolean claim() {
    if (appender.getContext() == null
        || appender.getRollingPolicy() == null
        || !appender.getRollingPolicy().isStarted()) {
      return true; // the superclass reports what is missing
    }
    return claimFile() && (appender.getRollingPolicy() instanceof ArchivingPolicy || claimNames());
  }

  private boolean claimFile() {
    Path file = FilePaths.canonical(FilePaths.path(appender.getFile()));
    // First, so that release() finds it after an OutOfMemoryError.
    written = new Written(appender, file);
    if (Owners.take(written) instanceof Written other) {
      written = null;
      refuseFile(other.appender);
      return false;
    }
    return true;
  }

  private void refuseFile(String other) {
    appender.addError(
        "Setting [file] has the value ["
            + appender.getFile()
            + "]; allowed: a file that no other appender writes, and ["
            + other
            + "] writes this one. The appender is not started.");
  }

  private boolean claimNames() {
    NameClaim claim = NameClaim.claim(appender, this);
    if (claim != null) {
      names = appender.rawFileProperty() == null ? null : claim;
      if (!claim.take() && names == null) { // it would write a file that another archives
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

  /** Reports a collision of names. */
  @Override
  public void accept(String message) {
    if (names == null) {
      appender.addError(message + " The appender is not started.");
    } else {
      reports.error("names", message + " Nothing is rolled over until then.", null);
    }
  }

  /** Returns whether no other appender uses the names, unless Spillway's policy checks that. */
  boolean mayRollOver() {
    NameClaim claim = names;
    return claim == null || claim.mayRollOver();
  }

  /** Gives back what was claimed, also when there is no memory to search Logback's maps. */
  void release() {
    NameClaim claim = names;
    Written file = written;
    try {
      if (file != null) {
        forget("FA_FILENAMES_MAP", appender.rawFileProperty());
        if (appender.getTriggeringPolicy() instanceof RollingPolicyBase policy) {
          forget("RFA_FILENAME_PATTERN_COLLISION_MAP", policy.getFileNamePattern());
        }
      }
    } finally {
      names = null;
      written = null;
      try {
        if (claim != null) {
          claim.release();
        }
      } finally {
        Owners.release(file);
      }
    }
  }

  /**
   * Removes this appender's entry from a map of the context. Logback before 1.5.7 refuses an
   * appender whose file or pattern is in that map. It removes an entry only when its appender has
   * ended, for which a successor need not wait, and never if that appender could not start.
   */
  private void forget(String map, String value) {
    if (appender.getContext().getObject(map) instanceof Map<?, ?> known
        && String.valueOf(known.get(appender.getName())).equals(value)) {
      known.remove(appender.getName());
    }
  }
}
