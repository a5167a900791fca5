package io.spillway.jmh;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A new directory for the files of one shot; {@link #close} deletes it. */
final class WorkDirectory implements AutoCloseable {
  /** System property that names the place of the files; it is passed to forked JVMs. */
  static final String PLACE = "spillway.jmh.directory";

  private final Path path;

  WorkDirectory() throws IOException {
    Path place = Path.of(System.getProperty(PLACE, System.getProperty("java.io.tmpdir")));
    path = Files.createTempDirectory(place, "spillway-jmh");
  }

  Path file(String name) {
    return path.resolve(name);
  }

  @Override
  public void close() {
    try (Stream<Path> files = Files.walk(path)) {
      List<Path> deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
      for (Path file : deepestFirst) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
