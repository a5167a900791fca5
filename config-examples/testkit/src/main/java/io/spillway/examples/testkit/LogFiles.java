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

/** What logs have left: active files, and those that were rolled over, compressed or not yet. */
public final class LogFiles {
  private LogFiles() {}

  /** Names below a directory, sorted; those of directories end with a slash if they are empty. */
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
        } // renamed between the listing and the look at it
      }
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
   * The rolled files, oldest first.
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
          // an archive is whole as soon as it has its name; its source goes a moment later
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

  /** All lines, oldest first. */
  public static List<String> lines(Path active, List<Path> rolled) throws IOException {
    List<String> lines = new ArrayList<>();
    for (Path file : rolled) {
      lines.addAll(lines(file));
    }
    lines.addAll(lines(active));
    return lines;
  }

  /** The lines of one file, unpacked. */
  public static List<String> lines(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file);
        InputStream plain = isArchive(file) ? new GZIPInputStream(in) : in;
        BufferedReader reader =
            new BufferedReader(new InputStreamReader(plain, StandardCharsets.UTF_8))) {
      return reader.lines().toList();
    }
  }
}
