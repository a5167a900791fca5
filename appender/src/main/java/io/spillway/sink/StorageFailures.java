package io.spillway.sink;

import java.io.IOException;
import java.util.List;
import java.util.Locale;

/** The one place that tells I/O failures apart, by the text that the C library gives them. */
public final class StorageFailures {
  private static final List<String> DISK_FULL =
      List.of("no space left", "disk quota exceeded", "not enough space");
  private static final String FILE_TOO_LARGE = "file too large";

  private StorageFailures() {}

  /**
   * Whether the failure passes by itself once somebody makes room.
   *
   * @param failure of an open or a write
   * @return true for ENOSPC, EDQUOT, EFBIG and their like
   */
  public static boolean isNoRoom(IOException failure) {
    return isDiskFull(failure) || message(failure).contains(FILE_TOO_LARGE);
  }

  /**
   * Whether it takes room on the disk, or in the quota, to go on.
   *
   * @param failure of an open or a write
   * @return true for ENOSPC, EDQUOT and their like
   */
  public static boolean isDiskFull(IOException failure) {
    return DISK_FULL.stream().anyMatch(message(failure)::contains);
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
    return isNoRoom(failure)
        ? "free or raise the space, quota or file-size limit"
        : "check that the directory exists, is writable and its disk is healthy";
  }
}
