package io.spillway.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/**
 * Temporary directories in memory, for tests that create thousands of files and force them:
 * {@code @TempDir(factory = InMemory.class)}. Nearly all of their time went into forcing. It is for
 * what hangs on the order of operations alone; what an inode, a full disk or a mount decides has a
 * real file system. Where the machine has no tmpfs with room, and for long forms, it is the default
 * one.
 */
public final class InMemory implements TempDirFactory {
  private static final Path SHARED_MEMORY = Path.of("/dev/shm");
  private static final long ROOM = 1L << 30; // a container has 64 MB, unless it is told

  @Override
  public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext test)
      throws IOException {
    return create("junit-");
  }

  /** For what has no directory injected. */
  public static Path create(String prefix) throws IOException {
    return !Boolean.getBoolean("spillway.test.full")
            && Files.isWritable(SHARED_MEMORY)
            && Files.getFileStore(SHARED_MEMORY).getUsableSpace() >= ROOM
        ? Files.createTempDirectory(SHARED_MEMORY, prefix)
        : Files.createTempDirectory(prefix);
  }
}
