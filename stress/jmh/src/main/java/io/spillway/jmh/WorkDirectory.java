package io.spillway.jmh;

import io.spillway.stress.plan.RunDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The directory of one trial, under this module's {@code target}; {@link #close} deletes it. */
public final class WorkDirectory implements AutoCloseable {
  /** System property that names another place for the files, such as a tmpfs. */
  private static final String DIRECTORY = "spillway.jmh.directory";

  private final Path path;

  private WorkDirectory(Path path) {
    this.path = path;
  }

  /** Creates a new directory. */
  public static WorkDirectory create() throws IOException {
    String given = System.getProperty(DIRECTORY);
    Path place = given == null ? target().resolve("work") : Path.of(given);
    Path parent = Files.createDirectories(place);
    return new WorkDirectory(Files.createTempDirectory(parent, "trial"));
  }

  /** Returns the parent of {@code classes} or of the jar that contains this class. */
  private static Path target() {
    try {
      return Path.of(
              WorkDirectory.class.getProtectionDomain().getCodeSource().getLocation().toURI())
          .getParent();
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns the path of the directory. */
  public Path path() {
    return path;
  }

  @Override
  public void close() {
    try {
      RunDirectory.delete(path);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
