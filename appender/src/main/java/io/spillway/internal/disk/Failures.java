package io.spillway.internal.disk;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Classifies I/O failures, here and nowhere else. Java passes on only the text of the C library, so
 * a full disk is recognized by the space that is left, in any language; the other classes by their
 * English texts (glibc, musl, Windows), and a text in another language is a failure that passes.
 */
public final class Failures {
  private static final long FULL_BYTES = 1 << 20;
  private static final Pattern NO_ROOM =
      Pattern.compile("no space left|not enough space|disk quota exceeded|file too large");
  private static final Pattern UNSUPPORTED =
      Pattern.compile("invalid argument|operation not supported|function not implemented");
  private static final Pattern NO_LOCKS = Pattern.compile("no locks available");
  private static final Pattern NO_DESCRIPTOR = Pattern.compile("too many open files");
  private static final Pattern NOT_A_DIRECTORY = Pattern.compile("not a directory");

  /** What the value of a setting can cause. */
  private static final Pattern OF_SETTING =
      Pattern.compile(
          "permission denied|access is denied|operation not permitted|no such|cannot find the"
              + "|a directory|symbolic link|name too long|illegal byte sequence"
              + "|multibyte or wide character|syntax is incorrect");

  private Failures() {}

  private static boolean says(IOException failure, Pattern text) {
    return text.matcher(String.valueOf(failure.getMessage()).toLowerCase(Locale.ROOT)).find();
  }

  /**
   * Returns whether the failure ends when space, quota or file-size limit is raised: the system
   * says so, or less than 1 MB is left.
   */
  public static boolean isNoRoom(IOException failure, Path at) {
    return says(failure, NO_ROOM) || (!isGone(failure) && isFull(at));
  }

  private static boolean isFull(Path at) {
    Path there = at.toAbsolutePath();
    while (there != null && !Files.exists(there)) {
      there = there.getParent();
    }
    return there != null && there.toFile().getUsableSpace() < FULL_BYTES;
  }

  /** Returns whether a file that cannot be opened may open later without a change of settings. */
  public static boolean isPassing(IOException failure) {
    return !(failure instanceof AccessDeniedException
        || failure instanceof NoSuchFileException
        || failure instanceof NotDirectoryException
        || failure instanceof FileAlreadyExistsException // a file in place of a directory
        || isUnsupported(failure)
        || says(failure, OF_SETTING));
  }

  /**
   * Returns whether the file or one of its directories is missing, or a file is in place of one.
   */
  public static boolean isGone(IOException failure) {
    return failure instanceof NoSuchFileException || says(failure, NOT_A_DIRECTORY);
  }

  /** Returns whether the file system does not know the operation, so that repeating is useless. */
  static boolean isUnsupported(IOException failure) {
    return says(failure, UNSUPPORTED);
  }

  /** Returns what an operator can do, in the imperative. */
  public static String remedy(IOException failure, Path at) {
    if (says(failure, NO_LOCKS) || isUnsupported(failure)) {
      return "see that the file system supports this (a spill needs locks)";
    }
    if (says(failure, NO_DESCRIPTOR)) {
      return "raise the limit of open files (ulimit -n), or see what keeps so many open";
    }
    return isNoRoom(failure, at)
        ? "free or raise the space, quota or file-size limit"
        : "check that the directory exists, is writable and its disk is healthy";
  }

  /** Returns what went wrong, for a message that names the file. */
  public static String reason(Throwable failure, Path named) {
    String message = String.valueOf(failure.getMessage());
    if (failure instanceof FileSystemException at) {
      String what = at.getReason() == null ? at.getClass().getSimpleName() : at.getReason();
      boolean known = at.getFile() == null || at.getFile().equals(named.toString());
      return known ? what : what + " [" + at.getFile() + "]";
    }
    int reason = message.lastIndexOf(" (");
    if (failure instanceof FileNotFoundException && reason > 0 && message.endsWith(")")) {
      return message.substring(reason + 2, message.length() - 1);
    }
    return failure instanceof IOException ? message : failure.toString();
  }
}
