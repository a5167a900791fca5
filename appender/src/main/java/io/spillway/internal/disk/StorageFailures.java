package io.spillway.internal.disk;

import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * Classifies I/O failures; no other class does. They differ only in the text of the C library, in
 * the language of the process. The English texts are constants, translations are looked up ({@link
 * SystemTexts}), the text of a full disk is learned from {@code /dev/full}, and a lack of file
 * descriptors is detected by opening a file.
 */
public final class StorageFailures {
  private static final List<String> DISK_FULL = List.of("no space left", "not enough space");
  private static final String QUOTA_EXCEEDED = "Disk quota exceeded";
  private static final String FILE_TOO_LARGE = "File too large";
  private static final String INVALID = "Invalid argument";
  private static final List<String> UNSUPPORTED = // ENOTSUP and ENOSYS on Linux
      List.of("Operation not supported", "Function not implemented");

  private static final String NOT_A_DIRECTORY = "Not a directory";
  private static final List<String> NAME_TOO_LONG = // the text of glibc and that of musl
      List.of("File name too long", "Filename too long");

  /**
   * Failures that the value of a setting can cause, in addition to names that are too long and to
   * what is not supported. Includes the texts of musl and Windows.
   */
  private static final List<String> OF_SETTING =
      List.of(
          "Permission denied",
          "Operation not permitted",
          "No such file or directory",
          "No such device or address", // a socket
          NOT_A_DIRECTORY,
          "Is a directory",
          "is a named pipe", // the text of LogFile
          "Too many levels of symbolic links",
          "Symbolic link loop",
          "Invalid or incomplete multibyte or wide character",
          "Illegal byte sequence",
          "Access is denied",
          "The system cannot find the",
          "syntax is incorrect");

  private static final String NO_LOCKS = "No locks available";
  private static final String NO_DESCRIPTOR = "too many open files";
  private static final Path FULL_DEVICE = Path.of("/dev/full");
  private static final Path EMPTY_DEVICE = Path.of("/dev/null");
  private static final boolean HAS_EMPTY_DEVICE = Files.exists(EMPTY_DEVICE);

  private static volatile String fullDiskText; // null until it is learned

  private StorageFailures() {}

  /**
   * Loads what is needed later, while memory and descriptors are available: a class whose
   * initialization fails once stays unusable.
   */
  public static void prepare() {
    isNoRoom(new IOException());
  }

  /** Returns the text of a full disk; null if {@code /dev/full} is missing or cannot be opened. */
  private static String fullDiskText() {
    String text = fullDiskText;
    if (text == null && Files.exists(FULL_DEVICE)) { // FileOutputStream would create it
      try (OutputStream out = new FileOutputStream(FULL_DEVICE.toFile())) {
        out.write(0);
      } catch (FileNotFoundException e) {
        return null;
      } catch (IOException e) {
        text = message(e);
        fullDiskText = text;
      }
    }
    return text;
  }

  /**
   * Returns whether the failure ends when space, quota or the file-size limit is raised.
   *
   * @param failure of an open or a write
   * @return true for ENOSPC, EDQUOT, EFBIG and their like
   */
  public static boolean isNoRoom(IOException failure) {
    return isDiskFull(failure) || says(failure, FILE_TOO_LARGE);
  }

  /**
   * Returns whether the disk or the quota is full.
   *
   * @param failure of an open or a write
   * @return true for ENOSPC, EDQUOT and their like
   */
  public static boolean isDiskFull(IOException failure) {
    String message = message(failure);
    if (contains(message, DISK_FULL)) {
      return true;
    }
    String learned = fullDiskText();
    return (learned != null && message.contains(learned)) || says(failure, QUOTA_EXCEEDED);
  }

  /**
   * Returns whether a file that cannot be opened may open later without a change of settings. The
   * failures that a setting can cause are listed; all others pass, because the failures of file
   * systems cannot be listed.
   *
   * @param failure of an open
   * @return false for no permission, no such directory, and names that no file can have
   */
  public static boolean isPassing(IOException failure) {
    return !(failure instanceof AccessDeniedException
        || failure instanceof NoSuchFileException
        || failure instanceof FileAlreadyExistsException // a file is where a directory should be
        || isUnsupported(failure)
        || isNameTooLong(failure)
        || says(failure, OF_SETTING));
  }

  /**
   * Returns whether nothing exists at a path; one of its directories may be missing, or a file.
   *
   * @param failure of an open
   * @return true for ENOENT and ENOTDIR
   */
  public static boolean isGone(IOException failure) {
    return failure instanceof NoSuchFileException || says(failure, NOT_A_DIRECTORY);
  }

  /**
   * Returns whether the file system can have no file of that name, so that repeating is useless.
   *
   * @param failure of an open, or of a look at a file
   * @return true for ENAMETOOLONG
   */
  public static boolean isNameTooLong(IOException failure) {
    return says(failure, NAME_TOO_LONG);
  }

  /**
   * Returns whether the file system does not support the operation, so that repeating it is
   * useless.
   *
   * @param failure of a force of a directory
   * @return true for EINVAL, ENOTSUP and ENOSYS
   */
  static boolean isUnsupported(IOException failure) {
    return says(failure, INVALID) || says(failure, UNSUPPORTED);
  }

  private static boolean says(IOException failure, List<String> english) {
    for (String text : english) {
      if (says(failure, text)) {
        return true;
      }
    }
    return false;
  }

  private static boolean says(IOException failure, String english) {
    return contains(message(failure), SystemTexts.of(english));
  }

  private static boolean contains(String message, Iterable<String> texts) {
    for (String text : texts) {
      if (message.contains(text)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isNoDescriptor(IOException failure) {
    if (message(failure).contains(NO_DESCRIPTOR)) {
      return true;
    }
    if (HAS_EMPTY_DEVICE) {
      try (InputStream in = new FileInputStream(EMPTY_DEVICE.toFile())) {
        return in.read() >= 0;
      } catch (IOException none) {
        return true;
      }
    }
    return false;
  }

  private static String message(IOException failure) {
    return String.valueOf(failure.getMessage()).toLowerCase(Locale.ROOT);
  }

  /**
   * Returns what an operator can do about a failure.
   *
   * @param failure of an open or a write
   * @return a clause in the imperative
   */
  public static String remedy(IOException failure) {
    if (isNoRoom(failure)) {
      return "free or raise the space, quota or file-size limit";
    }
    if (isNameTooLong(failure)) {
      return "take a shorter name, or a shorter path to it";
    }
    if (says(failure, NO_LOCKS) || says(failure, UNSUPPORTED)) {
      return "see that the file system supports this (a spill needs locks)";
    }
    return isNoDescriptor(failure)
        ? "raise the limit of open files (ulimit -n), or see what keeps so many open"
        : "check that the directory exists, is writable and its disk is healthy";
  }

  /**
   * Returns what went wrong, for a message that already names the file.
   *
   * @param failure of an operation on a file
   * @param path the path that the message names
   * @return the reason, with the failure's path only if it differs
   */
  public static String reason(Throwable failure, Path path) {
    String text = reason(failure);
    if (failure instanceof FileSystemException at
        && at.getFile() != null
        && !at.getFile().equals(path.toString())) {
      return text + " [" + at.getFile() + "]";
    }
    return text;
  }

  private static String reason(Throwable failure) {
    String message = String.valueOf(failure.getMessage());
    if (failure instanceof AccessDeniedException) {
      return "access denied";
    }
    if (failure instanceof NoSuchFileException) {
      return "no such file or directory";
    }
    if (failure instanceof FileSystemException at) {
      return at.getReason() == null ? at.getClass().getSimpleName() : at.getReason();
    }
    int reason = message.lastIndexOf(" (");
    if (failure instanceof FileNotFoundException && reason > 0 && message.endsWith(")")) {
      return message.substring(reason + 2, message.length() - 1);
    }
    return failure instanceof IOException ? message : failure.toString();
  }
}
