package io.spillway.examples.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/** Finds and reads active log files, and rolled ones, compressed or not. */
public final class LogFiles {
  private LogFiles() {}

  /**
   * Returns the names of files below a directory, sorted, and of empty directories, with a slash at
   * the end.
   */
  public static List<String> names(Path directory) throws IOException {
    while (true) {
      try (Stream<Path> paths = Files.walk(directory)) {
        return paths
            .filter(path -> !path.equals(directory))
            .filter(path -> Files.isRegularFile(path) || isEmptyDirectory(path))
            .map(path -> directory.relativize(path) + (Files.isDirectory(path) ? "/" : ""))
            .sorted()
            .toList();
      } catch (UncheckedIOException e) {
        if (!(e.getCause() instanceof NoSuchFileException)) {
          throw e;
        } // a file was renamed during the walk
      }
    }
  }

  private static boolean isEmptyDirectory(Path path) {
    String[] children = path.toFile().list();
    return children != null && children.length == 0;
  }

  /**
   * Returns the lines of all files below a directory, in the order of the expressions. Asserts that
   * each expression matches one file and there are no others, such as a spill or a partial archive.
   */
  public static List<String> lines(Path directory, String... expressions) throws IOException {
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

  /**
   * Returns the rolled files, oldest first.
   *
   * @param rolled matches paths below the directory, without .gz; groups: date and index
   */
  public static List<Path> rolled(Path directory, Pattern rolled) throws IOException {
    Map<String, Path> byAge = new TreeMap<>();
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path file : all.filter(Files::isRegularFile).toList()) {
        String name = directory.relativize(file).toString();
        Matcher matcher = rolled.matcher(name.endsWith(".gz") ? stem(name) : name);
        if (matcher.matches()) {
          String age = "%s %09d".formatted(matcher.group(1), Integer.valueOf(matcher.group(2)));
          // an archive is complete once it has its name; its source is deleted after that
          byAge.merge(age, file, (one, other) -> isArchive(one) ? one : other);
        }
      }
    }
    return List.copyOf(byAge.values());
  }

  private static String stem(String name) {
    return name.substring(0, name.length() - ".gz".length());
  }

  private static boolean isArchive(Path file) {
    return file.toString().endsWith(".gz");
  }

  /** Returns all lines, oldest first. */
  public static List<String> lines(Path active, List<Path> rolled) throws IOException {
    List<String> lines = new ArrayList<>();
    for (Path file : rolled) {
      lines.addAll(lines(file));
    }
    lines.addAll(lines(active));
    return lines;
  }

  /** Returns the lines of one file, decompressed. */
  public static List<String> lines(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file);
        InputStream plain = isArchive(file) ? new GZIPInputStream(in) : in;
        BufferedReader reader =
            new BufferedReader(new InputStreamReader(plain, StandardCharsets.UTF_8))) {
      return reader.lines().toList();
    }
  }
}
