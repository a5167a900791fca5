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

/** The files of a trial in which lines are, oldest lines first. */
final class LogFiles {

  private static final Pattern INDEX = Pattern.compile("\\.(\\d+)\\.");
  private static final Pattern DATED = Pattern.compile("\\.\\d{4}-\\d{2}-\\d{2}\\.");
  private static final Pattern SEQUENCE = Pattern.compile("\\.(\\d{6,18})\\.rolled$");

  private LogFiles() {}

  /**
   * Of one of the harness's own configurations. A window of archives counts backwards (a higher
   * index is older), archives of a date count forwards, and the active file comes last. Whatever
   * else lies in the log directory is read before it: a raw file under another name is a rotation
   * that was not finished.
   */
  static List<Path> ofTrial(Path logDirectory, Path activeFile) throws IOException {
    List<Path> files = new ArrayList<>();
    try (Stream<Path> found = Files.list(logDirectory)) {
      found
          .filter(Files::isRegularFile)
          .filter(f -> !f.equals(activeFile) && !hasServed(f))
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
   * Of one rolling appender, wherever its pattern puts them: archives by the time of their last
   * change, then the active file, if that has a name of its own.
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

  /** Everything else that was left, to be shown but not read. */
  static List<Path> others(Path logDirectory, List<Path> read) throws IOException {
    try (Stream<Path> found = Files.walk(logDirectory)) {
      return found.filter(Files::isRegularFile).filter(f -> !read.contains(f)).sorted().toList();
    }
  }

  /** Empty if there is none in its name. */
  private static String date(Path file) {
    Matcher date = DATED.matcher(file.getFileName().toString());
    return date.find() ? date.group() : "";
  }

  /** The higher the older, of one date. */
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
    return files.stream()
        .filter(f -> !isPart(f))
        .map(f -> f.getFileName().toString())
        .anyMatch(source -> source.equals(name) || source.endsWith(".rolled"));
  }

  private record Dated(Path file, FileTime time) {}
}
