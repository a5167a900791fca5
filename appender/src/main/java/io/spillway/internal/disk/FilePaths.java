package io.spillway.internal.disk;

import ch.qos.logback.core.spi.ContextAware;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** File names from a configuration. */
public final class FilePaths {
  private FilePaths() {}

  /**
   * Returns the one path of a file, however the configuration spells it, and whether the file and
   * its directories exist or not: absolute, without links in the part that exists.
   */
  public static Path canonical(Path path) {
    Path whole = path.toAbsolutePath().normalize();
    Path existing = whole;
    while (existing != null && !Files.exists(existing)) {
      existing = existing.getParent();
    }
    try {
      return existing == null
          ? whole
          : existing.toRealPath().resolve(existing.relativize(whole)).normalize();
    } catch (IOException unreadable) {
      return whole;
    }
  }

  /** Adds an ERROR if a setting, which may be null, is a name with {@link #trouble}. */
  public static boolean isRefused(ContextAware component, String setting, String name) {
    String trouble = name == null ? null : trouble(name);
    if (trouble != null) {
      component.addError(
          "Setting [" + setting + "] has the value [" + name + "]: " + trouble + " Not started.");
    }
    return trouble != null;
  }

  /**
   * Returns what is wrong with a name, and what to do; null if nothing is. A JVM in the locale
   * {@code C} or {@code POSIX}, as in a container without {@code LANG}, cannot write every
   * character into a file name: {@code java.io.File} would write {@code ?} for it.
   */
  public static String trouble(String name) {
    try {
      Path.of(name);
      return null;
    } catch (InvalidPathException e) {
      return "no file can have that name in this JVM: "
          + e.getReason()
          + ". To do: take other characters, or set LC_ALL to a UTF-8 locale, such as C.UTF-8.";
    }
  }
}
