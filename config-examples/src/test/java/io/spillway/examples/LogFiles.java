package io.spillway.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/** What an example has written: files by their names, archives unpacked. */
final class LogFiles {
  private LogFiles() {}

  /** Names below a directory, sorted; those of directories end with a slash if they are empty. */
  static List<String> names(Path directory) throws IOException {
    try (Stream<Path> paths = Files.walk(directory)) {
      return paths
          .filter(path -> !path.equals(directory))
          .filter(path -> Files.isRegularFile(path) || isEmptyDirectory(path))
          .map(path -> directory.relativize(path) + (Files.isDirectory(path) ? "/" : ""))
          .sorted()
          .toList();
    }
  }

  private static boolean isEmptyDirectory(Path path) {
    String[] children = path.toFile().list();
    return children != null && children.length == 0;
  }

  /**
   * The lines of all files below a directory, which must be as many as the expressions, in their
   * order, and match them: so nothing is left behind, no spill, no half of an archive.
   */
  static List<String> lines(Path directory, String... expressions) throws IOException {
    List<String> names = names(directory);
    assertThat(names).as("files").hasSameSizeAs(expressions);
    List<String> lines = new ArrayList<>();
    for (String expression : expressions) {
      List<String> matching = names.stream().filter(name -> name.matches(expression)).toList();
      assertThat(matching).as(expression + " among " + names).hasSize(1);
      lines.addAll(lines(directory.resolve(matching.get(0))));
    }
    return lines;
  }

  /** The lines of one file. */
  static List<String> lines(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file);
        InputStream plain = file.toString().endsWith(".gz") ? new GZIPInputStream(in) : in;
        BufferedReader reader =
            new BufferedReader(new InputStreamReader(plain, StandardCharsets.UTF_8))) {
      return reader.lines().toList();
    }
  }
}
