package io.spillway.rolling;

import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.RollingPolicy;
import ch.qos.logback.core.rolling.RollingPolicyBase;
import ch.qos.logback.core.rolling.helper.CompressionMode;
import io.spillway.internal.disk.FilePaths;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;

/**
 * One appender's claim to the names of its files. Within a context {@link NameClaims} keeps two
 * from the same names; in the whole JVM one at a time holds them, and rolls over. An appender that
 * is not started, or not any more, holds nothing against one that asks: Logback never stops the
 * policy of an appender that it could not start. Thread-safe.
 */
public final class NameClaim {
  private static final List<NameClaim> HOLDERS = new ArrayList<>(); // guarded by itself

  private final FileAppender<?> appender;
  private final Names names;
  private final Consumer<String> refused;
  private final Consumer<NameClaim> release;
  private final RetryPause pause = new RetryPause();
  private volatile boolean clear;
  private volatile boolean holding; // written under HOLDERS
  private boolean asked; // guarded by HOLDERS

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
   * Takes the names, unless an appender that is started holds them: of another context, or one that
   * has taken them from this one. An appender of the same name in the same context is its
   * predecessor, which a reconfiguration has stopped or is about to.
   *
   * @return false if another one holds them; that is reported
   */
  public boolean take() {
    NameClaim holder;
    synchronized (HOLDERS) {
      holder = liveHolder();
      asked = true;
      if (holder == null) {
        for (Iterator<NameClaim> others = HOLDERS.iterator(); others.hasNext(); ) {
          if (succeeds(others.next())) {
            others.remove();
          }
        }
        HOLDERS.add(this);
        holding = true;
      }
    }
    if (holder != null) {
      refused.accept(message(holder.appender, holder.names));
    }
    return holder == null;
  }

  private NameClaim liveHolder() {
    for (NameClaim other : HOLDERS) {
      boolean predecessor = !asked && isNamesake(other.appender) && isInContextOf(other.appender);
      if (other != this
          && !predecessor
          && other.appender.isStarted()
          && names.collidesWith(other.names)) {
        return other;
      }
    }
    return null;
  }

  /** Ends what another one holds of the same names. */
  private boolean succeeds(NameClaim other) {
    boolean succeeded = other == this || names.collidesWith(other.names);
    other.holding &= !succeeded;
    return succeeded;
  }

  /**
   * Whether the files may be renamed: no other appender of the context uses the names, which is
   * looked at until it is so once, as whoever comes later is at fault, and none of the JVM has
   * taken them. Looks once a second at most.
   *
   * @return false if one does; that is reported
   */
  public boolean mayRollOver() {
    if (!(clear && holding) && !pause.isOn()) {
      clear = look();
      pause.failed(); // of no account once it is clear
    }
    return clear && holding;
  }

  /** The same, whenever it is asked. */
  boolean look() {
    return isUncontested() && (holding || take());
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
    boolean contested = !isNamesake(other) && names.collidesWith(theirs);
    if (contested) {
      refused.accept(message(other, theirs));
    }
    return contested;
  }

  private String message(FileAppender<?> other, Names theirs) {
    String context =
        isInContextOf(other) ? "" : " of context [" + other.getContext().getName() + "]";
    String allowed =
        "names that appender ["
            + nameOf(other)
            + "]"
            + context
            + " does not use for its <file> ["
            + theirs.activeText()
            + "] or its [fileNamePattern] ["
            + theirs.patternText()
            + "]";
    String remedy = "give each appender a <file> and a [fileNamePattern] of its own";
    return names.pattern() == null
        ? Refusals.message("file", names.activeText(), allowed, remedy)
        : Refusals.message("fileNamePattern", names.patternText(), allowed, remedy);
  }

  private boolean isNamesake(FileAppender<?> other) {
    return nameOf(other).equals(nameOf(appender));
  }

  private boolean isInContextOf(FileAppender<?> other) {
    return other.getContext() == appender.getContext();
  }

  private static String nameOf(FileAppender<?> appender) {
    String name = appender.getName();
    return name == null ? "appender " + System.identityHashCode(appender) : name;
  }

  /** Gives the names back. */
  public void release() {
    synchronized (HOLDERS) {
      HOLDERS.remove(this);
      holding = false;
    }
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
