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
 * The files of one appender, which no other may write or roll over: two on one file would cut each
 * other's lines, and Logback's own check goes by class name and so does not see ours. The file is
 * owned per context, the names are in the whole JVM; both are given back by {@code stop()}, so that
 * a reconfiguration can take them over at once. It is told of collisions of names.
 */
final class OwnedFiles implements Consumer<String> {
  private final RollingFileAppender<?> appender;
  private final Reports reports;
  private Written written; // null unless claimed
  private volatile NameClaim names; // null if the policy is ours and claims for itself

  /** The file that an appender writes. Ends with its context, which nobody need stop. */
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
    Path file = FilePaths.canonical(FilePaths.path(appender.getFile()));
    written = new Written(appender, file); // first: memory may end when it is taken
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

  /** Of a collision of names. */
  @Override
  public void accept(String message) {
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

  /** Gives back what was claimed, also if there is no memory to look into Logback's maps. */
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
   * Logback before 1.5.7 has appenders refuse what the context says an earlier one has. It forgets
   * that when the appender has ended, for which a successor need not wait, and never if it could
   * not start.
   */
  private void forget(String map, String value) {
    if (appender.getContext().getObject(map) instanceof Map<?, ?> known
        && String.valueOf(known.get(appender.getName())).equals(value)) {
      known.remove(appender.getName());
    }
  }
}
