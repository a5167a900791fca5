package io.spillway.spill;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * What a slot directory holds, from names and sizes only.
 *
 * @param segments the regular segment files, oldest first
 * @param highestNumber of any name of ours, usable or not
 * @param corruptBytes size of the kept copies
 */
record SlotListing(List<Leftover> segments, long highestNumber, long corruptBytes) {

  static final String SUFFIX = ".seg";
  static final String CORRUPT_SUFFIX = SUFFIX + ".corrupt";
  static final String REWRITE_SUFFIX = SUFFIX + ".sync";
  private static final int DIGITS = 16;

  /**
   * A segment of an earlier run.
   *
   * @param path the file
   * @param number from its name
   * @param size in bytes, when listed
   */
  record Leftover(Path path, long number, long size) {}

  static Path segmentPath(Path directory, long number) {
    return directory.resolve(String.format("%016x", number) + SUFFIX);
  }

  static SlotListing read(SpillFiles files, Path directory, SpillListener listener)
      throws IOException {
    List<Leftover> segments = new ArrayList<>();
    long highest = 0;
    long corruptBytes = 0;
    for (Path path : files.list(directory)) {
      String name = path.getFileName().toString();
      long number = number(name);
      if (number < 0) {
        continue;
      }
      highest = Math.max(highest, number);
      if (files.type(path) != SpillFiles.Type.FILE) {
        listener.notice(path + " is not a regular file: left alone");
      } else if (name.endsWith(SUFFIX)) {
        segments.add(new Leftover(path, number, files.size(path)));
      } else if (name.endsWith(CORRUPT_SUFFIX)) {
        corruptBytes += files.size(path);
      } else if (name.endsWith(REWRITE_SUFFIX)) {
        files.delete(path); // a rewrite that was never published
      }
    }
    segments.sort(Comparator.comparingLong(Leftover::number));
    return new SlotListing(segments, highest, corruptBytes);
  }

  private static long number(String name) {
    if (name.length() < DIGITS + SUFFIX.length() || !name.startsWith(SUFFIX, DIGITS)) {
      return -1;
    }
    long number = 0;
    for (int i = 0; i < DIGITS; i++) {
      char c = name.charAt(i);
      int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
      if (digit < 0 || (i == 0 && digit >= 4)) {
        return -1;
      }
      number = number << 4 | digit;
    }
    return number;
  }
}
