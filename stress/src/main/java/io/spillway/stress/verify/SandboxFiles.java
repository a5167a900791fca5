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

/**
 * The files of one rolling appender, wherever its pattern puts them, oldest lines first: archives
 * by the time of their last change, then the active file, if that has a name of its own.
 */
final class SandboxFiles {
  private SandboxFiles() {}

  /** Files with log lines in them, in reading order. */
  static List<Path> inOrder(Path root, Path activeFile, String fileNamePattern) throws IOException {
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
    if (activeFile != null && Files.exists(activeFile)) {
      files.add(activeFile);
    }
    return files;
  }

  private record Dated(Path file, FileTime time) {}
}
