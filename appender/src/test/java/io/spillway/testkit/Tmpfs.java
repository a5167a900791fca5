package io.spillway.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;

/** A small file system of its own, to be filled to the last byte. */
public final class Tmpfs implements AutoCloseable {
  private static final int BLOCK = 4096;

  private final Path directory;

  /** Mounts one, or skips the test where mounting is forbidden. */
  public Tmpfs(Path directory, String options) {
    this.directory = directory;
    try {
      Files.createDirectories(directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Shell.Result mounted = Shell.attempt("mount", "-t", "tmpfs", "-o", options, "tmpfs", directory);
    Assumptions.assumeTrue(
        mounted.exitCode() == 0,
        () -> "skipped, a tmpfs cannot be mounted here (be root, CAP_SYS_ADMIN): " + mounted);
  }

  /** Its root. */
  public Path directory() {
    return directory;
  }

  /** Bytes still free. */
  public long free() {
    return directory.toFile().getUsableSpace();
  }

  /** Occupies space that {@link #drop} frees. */
  public void ballast(String name, long bytes) {
    try (var out = Files.newOutputStream(directory.resolve(name))) {
      for (long written = 0; written < bytes; written += BLOCK) {
        out.write(new byte[BLOCK]);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Frees the space of a ballast. */
  public void drop(String name) {
    try {
      Files.delete(directory.resolve(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    Shell.attempt("umount", "-l", directory);
  }
}
