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
 * The one place that tells I/O failures apart. All there is to tell by is the text of the C
 * library, in the language of the process: so the English ones are known, others are looked up
 * ({@link SystemTexts}), that of a full disk is learned from a device that is always full, and a
 * lack of descriptors is found by asking for one.
 */
public final class StorageFailures {
  private static final List<String> DISK_FULL = List.of("no space left", "not enough space");
  private static final String QUOTA_EXCEEDED = "Disk quota exceeded";
  private static final String FILE_TOO_LARGE = "File too large";
  private static final String INVALID = "Invalid argument";
  private static final List<String> UNSUPPORTED = // as Linux says ENOTSUP and ENOSYS
      List.of("Operation not supported", "Function not implemented");

  private static final String NOT_A_DIRECTORY = "Not a directory";

  /**
   * What the value of a setting can cause, besides what is not supported. Also as musl and Windows
   * say it.
   */
  private static final List<String> OF_SETTING =
      List.of(
          "Permission denied",
          "Operation not permitted",
          "No such file or directory",
          "No such device or address", // a socket
          NOT_A_DIRECTORY,
          "Is a directory",
          "is a named pipe", // as LogFile says it
          "File name too long",
          "Filename too long",
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

  private static volatile String fullDiskText; // once it is learned

  private StorageFailures() {}

  /**
   * Learns what it has to know before memory or descriptors may be short, and when what cannot be
   * initialized stays so.
   */
  public static void prepare() {
    isNoRoom(new IOException());
  }

  /** Null where there is no such device, or no descriptor for it now. */
  private static String fullDiskText() {
    String text = fullDiskText;
    if (text == null && Files.exists(FULL_DEVICE)) { // or it would be created
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
   * Whether the failure passes by itself once somebody makes room.
   *
   * @param failure of an open or a write
   * @return true for ENOSPC, EDQUOT, EFBIG and their like
   */
  public static boolean isNoRoom(IOException failure) {
    return isDiskFull(failure) || says(failure, FILE_TOO_LARGE);
  }

  /**
   * Whether it takes room on the disk, or in the quota, to go on.
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
   * Whether a file that cannot be opened may be opened later, though no setting is changed. There
   * is no end to what file systems say when they fail or are away, but there is to what a setting
   * can cause.
   *
   * @param failure of an open
   * @return false for no permission, no such directory, and names that no file can have
   */
  public static boolean isPassing(IOException failure) {
    return !(failure instanceof AccessDeniedException
        || failure instanceof NoSuchFileException
        || failure instanceof FileAlreadyExistsException // a file is where a directory should be
        || isUnsupported(failure)
        || says(failure, OF_SETTING));
  }

  /**
   * Whether there is nothing at a path, of which a directory may be missing, or be a file.
   *
   * @param failure of an open
   * @return true for ENOENT and ENOTDIR
   */
  public static boolean isGone(IOException failure) {
    return failure instanceof NoSuchFileException || says(failure, NOT_A_DIRECTORY);
  }

  /**
   * Whether the file system has no such operation, so that it is of no use to repeat it.
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
   * What an operator can do.
   *
   * @param failure of an open or a write
   * @return half a sentence
   */
  public static String remedy(IOException failure) {
    if (isNoRoom(failure)) {
      return "free or raise the space, quota or file-size limit";
    }
    if (says(failure, NO_LOCKS) || says(failure, UNSUPPORTED)) {
      return "see that the file system supports this (a spill needs locks)";
    }
    return isNoDescriptor(failure)
        ? "raise the limit of open files (ulimit -n), or see what keeps so many open"
        : "check that the directory exists, is writable and its disk is healthy";
  }

  /**
   * What went wrong, for a message that names the file already.
   *
   * @param failure of an operation on a file
   * @param path that is named
   * @return the reason, with a path only if it is another
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
