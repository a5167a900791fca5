package io.spillway.rolling;

import ch.qos.logback.core.FileAppender;
import java.util.function.Consumer;

/** One appender's claim to the names of its files. Thread-safe. */
public final class NameClaim {
  private final FileAppender<?> appender;
  private final FileNames names;
  private final Consumer<String> refused;
  private final Consumer<NameClaim> release;
  private final RetryPause pause = new RetryPause();
  private volatile boolean clear;

  NameClaim(
      FileAppender<?> appender,
      FileNames names,
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
    for (FileAppender<?> other : ContextAppenders.started(appender.getContext())) {
      if (isContestedBy(other, FileNames.of(other))) {
        return false;
      }
    }
    return true;
  }

  /** The same of one other claim. */
  boolean isContestedBy(NameClaim other) {
    return isContestedBy(other.appender, other.names);
  }

  private boolean isContestedBy(FileAppender<?> other, FileNames theirs) {
    boolean contested = !nameOf(other).equals(nameOf(appender)) && names.collidesWith(theirs);
    if (contested) {
      refused.accept(message(nameOf(other), theirs));
    }
    return contested;
  }

  private String message(String other, FileNames theirs) {
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
}
