package io.spillway.rolling;

import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.RollingPolicy;
import ch.qos.logback.core.rolling.RollingPolicyBase;
import ch.qos.logback.core.rolling.helper.CompressionMode;
import io.spillway.internal.disk.FilePaths;
import java.nio.file.Path;
import java.time.Instant;
import java.util.function.Consumer;

/** One appender's claim to the names of its files. Thread-safe. */
public final class NameClaim {
  private final FileAppender<?> appender;
  private final Names names;
  private final Consumer<String> refused;
  private final Consumer<NameClaim> release;
  private final RetryPause pause = new RetryPause();
  private volatile boolean clear;

  NameClaim(
      FileAppender<?> appender,
      Names names,
      Consumer<String> refused,
      Consumer<NameClaim> release) {
    this.appender = appender;
    this.names = names;
    this.refused = refused;
    this.release = release;
  }

  /**
   * Whether the files may be renamed: no other appender uses the names. Looked at until it is so
   * once, as whoever comes later is at fault, and once a second at most.
   *
   * @return false if one does; that is reported
   */
  public boolean mayRollOver() {
    if (!clear && !pause.isOn()) {
      clear = isUncontested();
      pause.failed(); // of no account once it is clear
    }
    return clear;
  }

  /** Whether no appender that can be found uses the names now; if one does, it is reported. */
  boolean isUncontested() {
    for (FileAppender<?> other : NameClaims.ContextAppenders.started(appender.getContext())) {
      if (isContestedBy(other, Names.of(other))) {
        return false;
      }
    }
    return true;
  }

  /** The same of one other claim. */
  boolean isContestedBy(NameClaim other) {
    return isContestedBy(other.appender, other.names);
  }

  private boolean isContestedBy(FileAppender<?> other, Names theirs) {
    boolean contested = !nameOf(other).equals(nameOf(appender)) && names.collidesWith(theirs);
    if (contested) {
      refused.accept(message(nameOf(other), theirs));
    }
    return contested;
  }

  private String message(String other, Names theirs) {
    String allowed =
        "names that appender ["
            + other
            + "] does not use for its <file> ["
            + theirs.activeText()
            + "] or its [fileNamePattern] ["
            + theirs.patternText()
            + "]";
    String remedy = "give each appender a <file> and a [fileNamePattern] of its own";
    return names.pattern() == null
        ? Refusals.message("file", names.activeText(), allowed, remedy)
        : Refusals.message("fileNamePattern", names.patternText(), allowed, remedy);
  }

  private static String nameOf(FileAppender<?> appender) {
    String name = appender.getName();
    return name == null ? "appender " + System.identityHashCode(appender) : name;
  }

  /** Gives the names back. */
  public void release() {
    release.accept(this);
  }

  /**
   * The names that one appender uses.
   *
   * @param active its {@code <file>}, or null if it has none
   * @param pattern of its archives, or null if it has none
   * @param sample one of its rolled files, null without pattern
   */
  record Names(Path active, ArchivePattern pattern, Path sample) {

    /** Those of one of Spillway's policies. */
    static Names of(ArchivingPolicy policy, ArchivePattern pattern) {
      return new Names(policy.filePath(), pattern, sample(pattern, policy.sampleIndex()));
    }

    /** Those of any appender, as far as its settings tell. */
    static Names of(FileAppender<?> appender) {
      String file = appender.rawFileProperty();
      Path active = file == null ? null : FilePaths.path(file).toAbsolutePath().normalize();
      ArchivePattern pattern =
          appender instanceof RollingFileAppender<?> rolling ? pattern(rolling) : null;
      return new Names(active, pattern, pattern == null ? null : sample(pattern, 1));
    }

    private static ArchivePattern pattern(RollingFileAppender<?> appender) {
      RollingPolicy policy = appender.getRollingPolicy();
      String text = null;
      if (policy instanceof RollingPolicyBase logbacks) {
        text = logbacks.getFileNamePattern();
      } else if (policy instanceof ArchivingPolicy own) {
        text = own.getFileNamePattern();
      }
      if (text == null) {
        return null;
      }
      boolean compressed = policy.getCompressionMode() != CompressionMode.NONE;
      try {
        int dot = text.lastIndexOf('.');
        String suffix = compressed && dot >= 0 ? text.substring(dot).strip() : "";
        return new ArchivePattern(text, suffix, null, appender.getContext());
      } catch (RuntimeException notUnderstood) {
        return null; // then its policy has a meaning of its own for it, and nothing can be said
      }
    }

    private static Path sample(ArchivePattern pattern, int index) {
      return pattern.root().resolve(pattern.stem(Instant.now(), index));
    }

    /** Whether both would write, roll over or expire the same file. */
    boolean collidesWith(Names other) {
      return active != null && active.equals(other.active)
          || covers(other.sample)
          || covers(other.active)
          || other.covers(sample)
          || other.covers(active);
    }

    /** The file, to show. */
    String activeText() {
      return active == null ? "" : active.toString();
    }

    /** The pattern, to show. */
    String patternText() {
      return pattern == null ? "" : pattern.text();
    }

    private boolean covers(Path file) {
      return pattern != null && file != null && pattern.covers(file);
    }
  }
}
