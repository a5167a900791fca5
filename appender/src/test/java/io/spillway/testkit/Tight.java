package io.spillway.testkit;

import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;

/** A directory in which nobody can create anything, root included, until it is opened. */
public final class Tight implements AutoCloseable {
  public final Path directory;

  /** Closes it, or skips the test where that is impossible. */
  public Tight(Path directory) {
    this.directory = directory;
    Shell.Result result = Shell.attempt("chattr", "+i", directory);
    Assumptions.assumeTrue(
        result.exitCode() == 0,
        () -> "skipped, chattr +i does not work here (be root, on ext4 or xfs): " + result);
  }

  /** It can be used again. */
  public void open() {
    Shell.run("chattr", "-i", directory);
  }

  @Override
  public void close() {
    Shell.attempt("chattr", "-i", directory);
  }
}
