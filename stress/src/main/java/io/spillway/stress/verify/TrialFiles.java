package io.spillway.stress.verify;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The files of a trial, oldest lines first. A window of archives counts backwards (a higher index
 * is older), and the active file comes last. Whatever else lies in the log directory is read before
 * it: a raw file under another name is a rotation that was not finished.
 */
final class TrialFiles {

  private static final Pattern INDEX = Pattern.compile("\\.(\\d+)\\.");

  private TrialFiles() {}

  /** Files with log lines in them, in reading order. */
  static List<Path> inOrder(Path logDirectory, Path activeFile) throws IOException {
    List<Path> files = new ArrayList<>();
    try (Stream<Path> found = Files.list(logDirectory)) {
      found
          .filter(Files::isRegularFile)
          .filter(f -> !f.equals(activeFile) && !hasServed(f))
          .forEach(files::add);
    }
    files.sort(Comparator.comparingLong(TrialFiles::index).reversed().thenComparing(f -> f));
    files.removeIf(file -> isPart(file) && hasSource(file, files));
    if (Files.exists(activeFile)) {
      files.add(activeFile);
    }
    return files;
  }

  /** Everything else that was left, to be shown but not read. */
  static List<Path> others(Path logDirectory, List<Path> read) throws IOException {
    try (Stream<Path> found = Files.walk(logDirectory)) {
      return found.filter(Files::isRegularFile).filter(f -> !read.contains(f)).sorted().toList();
    }
  }

  private static long index(Path file) {
    Matcher matcher = INDEX.matcher(file.getFileName().toString());
    return matcher.find() && matcher.group(1).length() <= 9 ? Long.parseLong(matcher.group(1)) : 0;
  }

  /** Its archive is published; Spillway's compressor was about to delete it. */
  private static boolean hasServed(Path file) {
    return file.getFileName().toString().matches(".*\\.\\d+\\.delete");
  }

  private static boolean isPart(Path file) {
    return file.getFileName().toString().endsWith(".part");
  }

  /** A half-written archive is no loss as long as the file it is made from is still there. */
  private static boolean hasSource(Path part, List<Path> files) {
    String name = part.getFileName().toString().replaceFirst("(\\.gz)?(\\.\\d+)?\\.part$", "");
    return files.stream().anyMatch(f -> !isPart(f) && f.getFileName().toString().equals(name));
  }
}
