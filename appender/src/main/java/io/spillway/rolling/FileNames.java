package io.spillway.rolling;

import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.RollingPolicy;
import ch.qos.logback.core.rolling.RollingPolicyBase;
import ch.qos.logback.core.rolling.helper.CompressionMode;
import io.spillway.compress.FilePaths;
import java.nio.file.Path;
import java.time.Instant;

/**
 * The names that one appender uses.
 *
 * @param active its {@code <file>}, or null if it has none
 * @param pattern of its archives, or null if it has none
 * @param sample one of its rolled files, null without pattern
 */
record FileNames(Path active, ArchivePattern pattern, Path sample) {

  /** Those of one of Spillway's policies. */
  static FileNames of(ArchivingPolicy policy, ArchivePattern pattern) {
    return new FileNames(policy.filePath(), pattern, sample(pattern, policy.sampleIndex()));
  }

  /** Those of any appender, as far as its settings tell. */
  static FileNames of(FileAppender<?> appender) {
    String file = appender.rawFileProperty();
    Path active = file == null ? null : FilePaths.path(file).toAbsolutePath().normalize();
    ArchivePattern pattern =
        appender instanceof RollingFileAppender<?> rolling ? pattern(rolling) : null;
    return new FileNames(active, pattern, pattern == null ? null : sample(pattern, 1));
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
  boolean collidesWith(FileNames other) {
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
