package io.spillway.stress.verify;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Finds the log files and archives of a trial, in the order in which their lines were written. */
final class LogFiles {

  private static final String UNFINISHED = ".tmp"; // a rolled file that Logback has yet to compress

  private LogFiles() {}

  private record Dated(Path file, FileTime time) {}

  /**
   * Returns the files of one appender in all directories of its pattern: archives and rolled files
   * by the time of their last change, then the active file, if it has a name of its own.
   */
  static List<Path> of(Path root, Path activeFile, String fileNamePattern) throws IOException {
    List<Dated> dated = new ArrayList<>();
    if (fileNamePattern != null) {
      Pattern names = FileNames.of(fileNamePattern);
      Pattern stems = FileNames.stemsOf(fileNamePattern);
      for (Path file : all(root)) {
        boolean unfinished =
            file.toString().endsWith(UNFINISHED)
                && (stems.matcher(file.toString()).lookingAt()
                    || file.toString().startsWith(activeFile + ""));
        if (!file.equals(activeFile) && (unfinished || names.matcher(file.toString()).matches())) {
          dated.add(new Dated(file, Files.getLastModifiedTime(file)));
        }
      }
    }
    dated.sort(Comparator.comparing(Dated::time).thenComparing(Dated::file));
    List<Path> files = new ArrayList<>(dated.stream().map(Dated::file).toList());
    if (activeFile != null && Files.exists(activeFile)) {
      files.add(activeFile);
    }
    return files;
  }

  /** Returns all other files that a trial left, which are listed but not read. */
  static List<Path> others(Path root, List<Path> read) throws IOException {
    return all(root).stream().filter(file -> !read.contains(file)).sorted().toList();
  }

  private static List<Path> all(Path root) throws IOException {
    try (Stream<Path> found = Files.walk(root)) {
      return found.filter(Files::isRegularFile).toList();
    }
  }
}
