package io.spillway.stress.verify;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Finds the log files and archives of a trial, in the order in which their lines were written. */
final class LogFiles {

  private static final Pattern INDEX = Pattern.compile("\\.(\\d+)\\.");
  private static final Pattern DATED = Pattern.compile("\\.\\d{4}-\\d{2}-\\d{2}\\.");
  private static final Pattern SEQUENCE = Pattern.compile("\\.(\\d{6,18})\\.rolled$");

  private LogFiles() {}

  /**
   * Returns the files of one of the harness's own configurations. A window of archives counts
   * backwards (a higher index is older), archives of a date count forwards, and the active file
   * comes last. All other files of the log directory are read before the active file: a raw file
   * under another name is a rotation that was not finished.
   */
  static List<Path> ofTrial(Path logDirectory, Path activeFile) throws IOException {
    List<Path> files = new ArrayList<>();
    try (Stream<Path> found = Files.list(logDirectory)) {
      found
          .filter(Files::isRegularFile)
          .filter(f -> !f.equals(activeFile) && !isMarkedForDeletion(f))
          .forEach(files::add);
    }
    files.sort(
        Comparator.comparing((Path file) -> FileNames.isRolled(file, activeFile))
            .thenComparing(LogFiles::date)
            .thenComparing(Comparator.comparingLong(LogFiles::index).reversed())
            .thenComparing(f -> f));
    files.removeIf(file -> isPart(file) && hasSource(file, files));
    if (Files.exists(activeFile)) {
      files.add(activeFile);
    }
    return files;
  }

  /**
   * Returns the files of one rolling appender in all directories of its pattern: archives by the
   * time of their last change, then rolled files, then the active file, if it has a separate name.
   */
  static List<Path> ofPattern(Path root, Path activeFile, String fileNamePattern)
      throws IOException {
    List<Path> archives = new ArrayList<>();
    if (fileNamePattern != null) {
      Pattern names = FileNames.of(fileNamePattern);
      try (Stream<Path> found = Files.walk(root)) {
        found
            .filter(Files::isRegularFile)
            .filter(file -> !file.equals(activeFile) && names.matcher(file.toString()).matches())
            .forEach(archives::add);
      }
    }
    List<Dated> dated = new ArrayList<>();
    for (Path archive : archives) {
      dated.add(new Dated(archive, Files.getLastModifiedTime(archive)));
    }
    dated.sort(Comparator.comparing(Dated::time).thenComparing(Dated::file));
    List<Path> files = new ArrayList<>(dated.stream().map(Dated::file).toList());
    if (activeFile != null) {
      files.addAll(rolled(activeFile));
    }
    if (activeFile != null && Files.exists(activeFile)) {
      files.add(activeFile);
    }
    return files;
  }

  private static List<Path> rolled(Path activeFile) throws IOException {
    try (Stream<Path> found = Files.list(activeFile.toAbsolutePath().getParent())) {
      return found
          .filter(file -> FileNames.isRolled(file, activeFile.toAbsolutePath()))
          .sorted(Comparator.comparingLong(LogFiles::index).reversed())
          .toList();
    }
  }

  /** Returns all other files that a trial left, which are listed but not read. */
  static List<Path> others(Path logDirectory, List<Path> read) throws IOException {
    try (Stream<Path> found = Files.walk(logDirectory)) {
      return found.filter(Files::isRegularFile).filter(f -> !read.contains(f)).sorted().toList();
    }
  }

  /** Returns the date in a file's name; empty if there is none. */
  private static String date(Path file) {
    Matcher date = DATED.matcher(file.getFileName().toString());
    return date.find() ? date.group() : "";
  }

  /** Returns a number that is higher for older files of one date. */
  private static long index(Path file) {
    Matcher rolled = SEQUENCE.matcher(file.getFileName().toString());
    if (rolled.find()) {
      return -Long.parseLong(rolled.group(1));
    }
    Matcher matcher = INDEX.matcher(file.getFileName().toString());
    if (!matcher.find() || matcher.group(1).length() > 9) {
      return 0;
    }
    long index = Long.parseLong(matcher.group(1));
    return date(file).isEmpty() ? index : -index;
  }

  /** Returns whether the compressor was about to delete the file, as its archive is published. */
  private static boolean isMarkedForDeletion(Path file) {
    return file.getFileName().toString().matches(".*\\.\\d+\\.delete");
  }

  private static boolean isPart(Path file) {
    return file.getFileName().toString().endsWith(".part");
  }

  /** Returns whether the source of a half-written archive still exists; then nothing is lost. */
  private static boolean hasSource(Path part, List<Path> files) {
    String name = part.getFileName().toString().replaceFirst("(\\.gz)?(\\.\\d+)?\\.part$", "");
    return files.stream()
        .filter(f -> !isPart(f))
        .map(f -> f.getFileName().toString())
        .anyMatch(source -> source.equals(name) || source.endsWith(".rolled"));
  }

  private record Dated(Path file, FileTime time) {}
}
