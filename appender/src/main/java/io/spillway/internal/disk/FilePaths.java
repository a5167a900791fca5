package io.spillway.internal.disk;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.StandardCharsets;
import java.nio.charset.UnsupportedCharsetException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/**
 * File names from a configuration. A JVM in the locale {@code C} or {@code POSIX}, as in a
 * container without {@code LANG}, cannot write every character into a file name: {@code
 * java.io.File}, which Logback's appenders use, writes {@code ?} for it, where {@code
 * java.nio.file.Path} throws. A name must stand for the same file in both.
 */
public final class FilePaths {
  private static final int MOST_LINKS = 40; // the limit of Linux

  private FilePaths() {}

  /**
   * Returns the path that {@code java.io.File} uses for a name.
   *
   * @param name as configured
   * @return the path
   * @throws InvalidPathException if no file can have that name
   */
  public static Path path(String name) {
    return Path.of(writable(name));
  }

  /**
   * Returns the name that {@code java.io.File} gives to a file.
   *
   * @param name as configured, or a part of it
   * @return the name itself if this JVM can encode it, or if no JVM can
   */
  public static String writable(String name) {
    try {
      Path.of(name);
      return name;
    } catch (InvalidPathException e) {
      Charset encoding = encoding();
      return new String(name.getBytes(encoding), encoding);
    }
  }

  /**
   * Returns the file that a name stands for: if it is a link, its target, which need not exist. A
   * rename of the link itself would leave only the link to archive.
   *
   * @param name as configured
   * @return the absolute path
   * @throws InvalidPathException if no file can have that name
   */
  public static Path target(String name) {
    return target(path(name));
  }

  private static Path target(Path path) {
    Path file = path.toAbsolutePath().normalize();
    Path target = file;
    try {
      for (int links = 0; links < MOST_LINKS && Files.isSymbolicLink(target); links++) {
        target = target.resolveSibling(Files.readSymbolicLink(target)).normalize();
      }
      return target;
    } catch (IOException gone) {
      return file;
    }
  }

  /**
   * Returns the one path of a file, however the configuration spells it, and whether the file and
   * its directories exist or not.
   *
   * @param path any path
   * @return the absolute path, without links in the part that exists
   */
  public static Path canonical(Path path) {
    Path named = path.toAbsolutePath().normalize();
    Path whole = Files.exists(named) ? named : target(named); // else resolved below
    for (Path existing = whole; existing != null; existing = existing.getParent()) {
      if (Files.exists(existing)) {
        try {
          return existing.toRealPath().resolve(existing.relativize(whole)).normalize();
        } catch (IOException unreadable) {
          return whole; // the path as configured
        }
      }
    }
    return whole;
  }

  /**
   * Describes what is wrong with a name from a configuration, for a status message.
   *
   * @param name as configured
   * @return the reason and the remedy in a sentence or two; null if nothing is wrong
   */
  public static String trouble(String name) {
    try {
      if (path(name).toString().equals(Path.of(name).toString())) {
        return null;
      }
    } catch (InvalidPathException e) {
      if (isImpossible(name)) {
        return "no file can have that name: " + e.getReason();
      }
    }
    return "this JVM writes file names in "
        + encoding()
        + ", so the file is named ["
        + writable(name)
        + "]. To do: set LC_ALL to a UTF-8 locale, such as C.UTF-8, or take other characters.";
  }

  /**
   * Returns whether no file can have a name, in any locale.
   *
   * @param name as configured
   * @return true if {@link #path} throws
   */
  public static boolean isImpossible(String name) {
    try {
      path(name);
      return false;
    } catch (InvalidPathException e) {
      return true;
    }
  }

  private static Charset encoding() {
    try {
      return Charset.forName(System.getProperty("sun.jnu.encoding", "US-ASCII"));
    } catch (IllegalCharsetNameException | UnsupportedCharsetException e) {
      return StandardCharsets.US_ASCII;
    }
  }
}
